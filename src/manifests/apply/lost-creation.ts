/** What a creation has made that was not answered: looked for by all that tells it apart. */

import { wholeForm } from "../../lists/whole-form.ts";
import { layoutIdOf, type Service } from "../../service.ts";
import { AmbiguousNames } from "../current/read-errors.ts";
import type { StepRequest } from "../plan/planned.ts";
import { fits } from "./fits.ts";
import type { Listings } from "./listings.ts";

type Request<N extends StepRequest["operation"]> = StepRequest & { operation: N };

/** @throws AmbiguousNames where there are several forms of its name */
export async function lostForm(
  { service, listings }: { service: Service; listings: Listings },
  address: string,
  { object, body: { name, types } }: Request<"createForm">,
): Promise<{ formId: string; layoutId: string } | undefined> {
  const made = theOne(address, await listings.formsNamed(object, name), { types });
  return made && { formId: made.id, layoutId: layoutIdOf(await wholeForm(service, object, made)) };
}

/**
 * "untold": the server lists no layouts.
 *
 * @throws AmbiguousNames where there are several layouts of its place and name
 */
export async function lostLayout(
  listings: Listings,
  address: string,
  { body }: Request<"createLayout">,
): Promise<{ layoutId: string } | undefined | "untold"> {
  const listed = await listings.layoutsNamed(body);
  if (!listed) return "untold";
  const made = theOne(address, listed, { supportedModes: body.supportedModes });
  return made && { layoutId: made.id };
}

/** The plan has found none of this name: a second one, be it otherwise or not, is somebody's, and a person has to choose. */
function theOne<T extends { id: string }>(
  address: string,
  named: readonly T[],
  sent: Readonly<Record<string, unknown>>,
): T | undefined {
  const [one, another] = named;
  if (!another) return one && fits(one, sent) ? one : undefined;
  const ids = named.map(({ id }) => id);
  const message = `several records could be what the creation of ${address} has made: ${ids.join(", ")}`;
  throw new AmbiguousNames([{ address, message, ids }]);
}
