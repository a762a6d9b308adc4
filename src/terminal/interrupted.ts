/** The person pressed Ctrl-C at a question. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor() {
    super("interrupted");
  }
}
