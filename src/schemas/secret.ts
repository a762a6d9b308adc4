/** A secret value: printing, logging or serializing it shows `[secret]`. */

export const HIDDEN_TEXT = "[secret]";

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for sending or storing it. */
  reveal(): string {
    return this.#value;
  }

  /** The last four characters for recognition; empty for a short value. */
  get last4(): string {
    return this.#value.length >= 16 ? this.#value.slice(-4) : "";
  }

  toString(): string {
    return HIDDEN_TEXT;
  }

  toJSON(): string {
    return HIDDEN_TEXT;
  }

  /** The output of `console.log` and `util.inspect`. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN_TEXT;
  }
}
