/**
 * Creates readers of server responses. A reader returns a value of its type, or throws an error. The error has the path
 * of the first invalid part. Members that the API does not promise are optional. So the compiler rejects an unchecked
 * use of these members.
 *
 * Records are changed in place: only the reader uses the result of `JSON.parse`. Members without a reader stay
 * unchanged.
 */

import { isJsonObject, type JsonObject } from "./json.ts";

/** The response lacks a required member, or a member has the wrong type. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";

  readonly problem: string;
  /** The path in the response, outermost step first. */
  readonly path: string;

  constructor(problem: string, path = "") {
    super(path === "" ? `it ${problem}` : `${path} ${problem}`);
    this.problem = problem;
    this.path = path;
  }

  /** Returns the same error with `step` in front of its path. */
  within(step: string | number): InvalidAnswer {
    const rest = this.path === "" || this.path.startsWith("[") ? this.path : `.${this.path}`;
    return new InvalidAnswer(this.problem, typeof step === "number" ? `[${step}]${rest}` : `${step}${rest}`);
  }
}

/** Reads a value of a response. @throws InvalidAnswer */
export type Reader<T> = (value: unknown) => T;

/** The type that a reader returns. */
export type Answered<R> = R extends Reader<infer T> ? T : never;

type Members = Readonly<Record<string, Reader<unknown>>>;
type ReadRecord<R extends Members, O extends Members> = {
  -readonly [K in keyof R]: Answered<R[K]>;
} & { -readonly [K in keyof O]?: Answered<O[K]> | undefined };

export const text: Reader<string> = (value) => {
  if (typeof value === "string") return value;
  throw new InvalidAnswer("is not a string");
};

/**
 * Whether a text can be an id. Ids contain no control characters and no unpaired surrogates, which can't be sent back.
 */
export function isPossibleId(value: string): boolean {
  return value !== "" && value.isWellFormed() && !CONTROL.test(value);
}

const CONTROL = new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f]`);

/** Reads an id. Ids are texts in the API, but some servers send numbers. */
export const id: Reader<string> = (value) => {
  if (typeof value === "string" && isPossibleId(value)) return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw new InvalidAnswer("is not an id");
};

export const flag: Reader<boolean> = (value) => {
  if (typeof value === "boolean") return value;
  throw new InvalidAnswer("is not true or false");
};

export const number: Reader<number> = (value) => {
  if (typeof value === "number") return value;
  throw new InvalidAnswer("is not a number");
};

export const object: Reader<JsonObject> = (value) => {
  if (isJsonObject(value)) return value;
  throw new InvalidAnswer("is not an object");
};

export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value) => (value === null ? null : read(value));
}

/** Returns a reader of lists. The reader replaces each item in place by the result of `read`. */
export function listOf<T>(read: Reader<T>): Reader<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new InvalidAnswer("is not a list");
    const items = value as unknown[];
    for (let index = 0; index < items.length; index++) items[index] = readAt(read, items[index], index);
    return items as T[];
  };
}

/**
 * Returns a reader of records with required and optional members. `null` for an optional member counts as absent,
 * unless the reader of the member accepts null.
 */
export function record<const R extends Members, const O extends Members>(
  required: R,
  optional: O,
): Reader<ReadRecord<R, O>> {
  const needed = Object.entries(required);
  const possible = Object.entries(optional);
  return (value) => {
    const holder = object(value);
    for (const [name, read] of needed) {
      if (holder[name] === undefined) throw new InvalidAnswer(`lacks ${name}`);
      holder[name] = readAt(read, holder[name], name);
    }
    for (const [name, read] of possible) {
      const member = holder[name];
      if (member === undefined) continue;
      if (member === null && !takesNull(read)) delete holder[name];
      else holder[name] = readAt(read, member, name);
    }
    return holder as ReadRecord<R, O>;
  };
}

function readAt<T>(read: Reader<T>, value: unknown, step: string | number): T {
  try {
    return read(value);
  } catch (error) {
    throw error instanceof InvalidAnswer ? error.within(step) : error;
  }
}

function takesNull(read: Reader<unknown>): boolean {
  try {
    return read(null) === null;
  } catch {
    return false;
  }
}
