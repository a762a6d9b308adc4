/** A refusal of the service, with what the command was typed about and whom it asked: so that a hint can be typed as it is. */

import type { Target } from "../config/target.ts";
import { ServiceError } from "../service.ts";
import {
  type FormAddress,
  formatObject,
  formText,
  type LayoutAddress,
  layoutText,
  type ObjectAddress,
} from "./addresses.ts";
import type { Server } from "./command.ts";
import { type AskedServer, FailedAfterWrite, RefusedCommand, type Subject } from "./failure.ts";

/**
 * A refusal with the address in the command's input, if there is one, and the server; also where it came after a write. Any
 * other error as it is.
 */
export async function withSubject(
  error: unknown,
  input: Readonly<Record<string, unknown>>,
  { target, server }: { target: Target; server: Server },
): Promise<unknown> {
  if (error instanceof FailedAfterWrite)
    return new FailedAfterWrite(error, await withSubject(error.cause, input, { target, server }));
  if (!(error instanceof ServiceError)) return error;
  return new RefusedCommand(error, subjectOf(input), await askedServer(target, server));
}

async function askedServer(target: Target, server: Server): Promise<AskedServer | undefined> {
  if (target.kind === "local") return undefined;
  const tokenFrom = await server.token().then(
    ({ source }) => source,
    () => undefined,
  );
  return { profile: target.profile, tokenFrom };
}

/** Commands call what they are about by these names. */
function subjectOf({ layout, form, object }: Readonly<Record<string, unknown>>): Subject | undefined {
  if (layout) return { kind: "layout", text: layoutText(layout as LayoutAddress) };
  if (form) return { kind: "form", text: formText(form as FormAddress) };
  if (object) return { kind: "object", text: formatObject(object as ObjectAddress) };
  return undefined;
}
