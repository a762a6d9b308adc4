import { FormctlError } from "../error.ts";

/** The user pressed Ctrl-C at a prompt, or SIGINT (exit code 130) or SIGTERM (143) arrived. */
export class Interrupted extends FormctlError {
  override readonly name = "Interrupted";
  readonly exitCode: 130 | 143;

  constructor(exitCode: 130 | 143 = 130) {
    super("INTERRUPTED", exitCode === 130 ? "interrupted" : "terminated");
    this.exitCode = exitCode;
  }
}
