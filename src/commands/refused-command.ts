/** A refusal of the service, with what the command was typed about: so that a hint can be typed as it is. */

import { ServiceError } from "../service.ts";
import {
  type FormAddress,
  formatObject,
  formText,
  type LayoutAddress,
  layoutText,
  type ObjectAddress,
} from "./addresses.ts";

/** `text` is the address, quoted for a shell. */
export type Subject = { kind: "layout" | "form" | "object"; text: string };

export class RefusedCommand extends Error {
  override readonly name = "RefusedCommand";
  readonly refusal: ServiceError;
  readonly subject: Subject;

  constructor(refusal: ServiceError, subject: Subject) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.subject = subject;
  }
}

/** A refusal with the address in the command's input; any other error, and one of a command without, as it is. */
export function withSubject(error: unknown, input: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof ServiceError)) return error;
  const subject = subjectOf(input);
  return subject ? new RefusedCommand(error, subject) : error;
}

/** Commands call what they are about by these names. */
function subjectOf({ layout, form, object }: Readonly<Record<string, unknown>>): Subject | undefined {
  if (layout) return { kind: "layout", text: layoutText(layout as LayoutAddress) };
  if (form) return { kind: "form", text: formText(form as FormAddress) };
  if (object) return { kind: "object", text: formatObject(object as ObjectAddress) };
  return undefined;
}
