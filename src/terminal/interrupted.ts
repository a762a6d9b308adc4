import { FormctlError } from "../base/error.ts";
import type { EndSignal } from "../base/exit-codes.ts";

/** The user pressed Ctrl-C at a prompt (SIGINT), or a signal arrived. */
export class Interrupted extends FormctlError {
  override readonly name = "Interrupted";
  readonly signal: EndSignal;

  constructor(signal: EndSignal = "SIGINT") {
    super("INTERRUPTED", signal === "SIGINT" ? "interrupted" : "terminated");
    this.signal = signal;
  }
}

/** Returns the signal that aborted `ending` of a host. Any other reason counts as SIGTERM. */
export function endSignalOf({ reason }: AbortSignal): EndSignal {
  return reason instanceof Interrupted ? reason.signal : "SIGTERM";
}
