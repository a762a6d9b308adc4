/** What a creation has made that was not answered: looked for by all that tells it apart. */

import { AmbiguousNames } from "../current/read-errors.ts";
import type { StepRequest } from "../plan/plan.ts";
import type { Service } from "../../service.ts";
import { fits } from "./fits.ts";
import { listingsOf } from "./listings.ts";

type Request<N extends StepRequest["operation"]> = StepRequest & { operation: N };

/** @throws AmbiguousNames where several forms could be the one */
export async function lostForm(
  service: Service,
  address: string,
  { object, body: { name, types } }: Request<"createForm">,
): Promise<{ formId: string; layoutId: string } | undefined> {
  const forms = await listingsOf(service).formsNamed(object, name);
  // The plan has found none of this name.
  const made = theOne(
    address,
    forms.filter((form) => fits(form, { name, types })),
  );
  return made && { formId: made.id, layoutId: made.viewLayoutId };
}

/**
 * "untold": the server lists no layouts.
 *
 * @throws AmbiguousNames where several layouts could be the one
 */
export async function lostLayout(
  service: Service,
  address: string,
  { body }: Request<"createLayout">,
): Promise<{ layoutId: string } | undefined | "untold"> {
  const listed = await listingsOf(service).layoutsNamed(body);
  if (!listed) return "untold";
  const { supportedModes } = body;
  const made = theOne(
    address,
    listed.filter((layout) => fits(layout, { supportedModes })),
  );
  return made && { layoutId: made.id };
}

function theOne<T extends { id: string }>(address: string, made: readonly T[]): T | undefined {
  if (made.length <= 1) return made[0];
  const ids = made.map(({ id }) => id);
  const message = `several records could be what the creation of ${address} has made: ${ids.join(", ")}`;
  throw new AmbiguousNames([{ address, message, ids }]);
}
