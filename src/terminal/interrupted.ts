/** The person pressed Ctrl-C at a question, or a signal came while nothing had been done yet. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: 130 | 143;

  constructor(exitCode: 130 | 143 = 130) {
    super(exitCode === 130 ? "interrupted" : "terminated");
    this.exitCode = exitCode;
  }
}
