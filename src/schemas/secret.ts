/** A value that is used and never told: whatever prints, logs or serializes it gets `[secret]`. */

export const HIDDEN_TEXT = "[secret]";

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that has to send or store it. */
  reveal(): string {
    return this.#value;
  }

  /** Enough to recognize it by, and nothing of a short one. */
  get last4(): string {
    return this.#value.length >= 16 ? this.#value.slice(-4) : "";
  }

  toString(): string {
    return HIDDEN_TEXT;
  }

  toJSON(): string {
    return HIDDEN_TEXT;
  }

  /** What `console.log` and `util.inspect` show. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN_TEXT;
  }
}
