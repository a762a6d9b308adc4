/**
 * Wraps secret values: a wrapped value prints as `[secret]`. Defines the format of formctl's tokens: a prefix, 256
 * random bits and a checksum.
 */

import { nodeZlib } from "./node-modules.ts";

export const HIDDEN_TEXT = "[secret]";
/** The text that replaces a user value in a recording of exchanges. */
export const REDACTED = "[redacted]";

/** A value that is never printed, logged or serialized. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value, to send, store or compare it. */
  reveal(): string {
    return this.#value;
  }

  /** The last four characters, for users to recognize the value. Empty if the value is shorter than 16 characters. */
  get last4(): string {
    return this.#value.length >= 16 ? this.#value.slice(-4) : "";
  }

  toString(): string {
    return HIDDEN_TEXT;
  }

  toJSON(): string {
    return HIDDEN_TEXT;
  }

  /** Called by `console.log` and `util.inspect`. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN_TEXT;
  }
}

const PREFIX = "fctl_";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 6;
const shape = /^fctl_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;

export const TOKEN_BYTES = 32;

/**
 * Returns a token: `fctl_`, the bytes in base64url, and a checksum. The checksum is the CRC-32 of the preceding text,
 * in six base62 digits.
 */
export function formatToken(bytes: Uint8Array): string {
  const text = PREFIX + Buffer.from(bytes).toString("base64url");
  return text + checksum(text);
}

/** Whether `text` has the format of a token. Detects typing errors without a store. */
export function isWellFormedToken(text: string): boolean {
  return shape.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/** Replaces the tokens in a text by `[secret]`, so that messages and logs contain no tokens. */
export function hideTokens(text: string): string {
  return text.replace(/fctl_[A-Za-z0-9_-]{8,}/g, HIDDEN_TEXT);
}

function checksum(text: string): string {
  let digits = "";
  for (let rest = nodeZlib().crc32(text); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / DIGITS.length))
    digits = DIGITS[rest % DIGITS.length]! + digits;
  return digits;
}
