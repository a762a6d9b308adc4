/** Adds the address of the command line and the server to a refusal, so that its hint is a complete command. */

import type { TokenSource } from "../config/token.ts";
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
import { FailedAfterWrite } from "./after-write.ts";
import type { Server } from "./command.ts";

/** What the command works on. `text` is the address, quoted for a shell. */
export type Subject = { kind: "layout" | "form" | "object"; text: string };

/** The server that refused, and the source of its token. */
export type AskedServer = { profile: string | undefined; tokenFrom: TokenSource | undefined };

export class RefusedCommand extends Error {
  override readonly name = "RefusedCommand";
  readonly refusal: ServiceError;
  readonly subject: Subject | undefined;
  /** Undefined for a refusal of the local store. */
  readonly server: AskedServer | undefined;

  constructor(refusal: ServiceError, subject: Subject | undefined, server: AskedServer | undefined) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.subject = subject;
    this.server = server;
  }
}

/** Adds the subject in the command's input and the server to a refusal, also to one after a write. Returns other errors unchanged. */
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

/** Commands use these names for the argument that they work on. */
function subjectOf({ layout, form, object }: Readonly<Record<string, unknown>>): Subject | undefined {
  if (layout) return { kind: "layout", text: layoutText(layout as LayoutAddress) };
  if (form) return { kind: "form", text: formText(form as FormAddress) };
  if (object) return { kind: "object", text: formatObject(object as ObjectAddress) };
  return undefined;
}
