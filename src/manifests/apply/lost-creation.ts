/** What a creation has made that was not answered: looked for by all that tells it apart. */

import { listForms } from "../current/form-lists.ts";
import { placeOf } from "../current/layout-state.ts";
import { AmbiguousNames } from "../current/read-errors.ts";
import type { StepRequest } from "../plan/plan.ts";
import type { Layout } from "../../schemas/layout.ts";
import { type Service, ServiceError } from "../../service.ts";
import { fits } from "./fits.ts";

type Request<N extends StepRequest["operation"]> = StepRequest & { operation: N };
type Wanted = Pick<Request<"createLayout">["body"], "surface" | "target" | "name">;

/** @throws AmbiguousNames where several forms could be the one */
export async function lostForm(
  service: Service,
  address: string,
  { object, body: { name, types } }: Request<"createForm">,
): Promise<{ formId: string; layoutId: string } | undefined> {
  const [forms = []] = await listForms(service, [object], 1);
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
  const listed = await layoutsLike(service, body);
  if (!listed) return "untold";
  const { supportedModes } = body;
  const made = theOne(
    address,
    listed.filter((layout) => fits(layout, { supportedModes })),
  );
  return made && { layoutId: made.id };
}

/** The layouts of a place and name that an organization has made for itself; undefined where none are listed. */
export async function layoutsLike(service: Service, wanted: Wanted): Promise<Layout[] | undefined> {
  try {
    const listed = await service.listLayouts({ query: { surface: wanted.surface } });
    return listed.filter(
      ({ ownerScope, status, name, surface, target }) =>
        ownerScope !== "SYSTEM" &&
        status !== "ARCHIVED" &&
        name === wanted.name &&
        placeOf({ surface, target }) === placeOf(wanted),
    );
  } catch (error) {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}

function theOne<T extends { id: string }>(address: string, made: readonly T[]): T | undefined {
  if (made.length <= 1) return made[0];
  const ids = made.map(({ id }) => id);
  const message = `several records could be what the creation of ${address} has made: ${ids.join(", ")}`;
  throw new AmbiguousNames([{ address, message, ids }]);
}
