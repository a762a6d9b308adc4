/**
 * Readers of what a server answered. A reader returns a value of its type or says where the value differs. What the API
 * does not promise is an optional member, so that the compiler refuses a view or a next step that uses it unguarded.
 *
 * Records are read in place: JSON.parse made them for this one reader, and members that no reader names stay as they are.
 */

import { isJsonObject, type JsonObject } from "./json.ts";

/** An answer that lacks what its reader needs, or has it in another shape. */
export class InvalidAnswer extends Error {
  override readonly name = "Unreadable";

  readonly problem: string;
  /** Where in the answer; the outermost step comes first. */
  readonly path: string;

  constructor(problem: string, path = "") {
    super(path === "" ? `it ${problem}` : `${path} ${problem}`);
    this.problem = problem;
    this.path = path;
  }

  /** The same, seen from the record or list that holds the value. */
  within(step: string | number): InvalidAnswer {
    const rest = this.path === "" || this.path.startsWith("[") ? this.path : `.${this.path}`;
    return new InvalidAnswer(this.problem, typeof step === "number" ? `[${step}]${rest}` : `${step}${rest}`);
  }
}

/** @throws InvalidAnswer */
export type Reader<T> = (value: unknown) => T;

/** What a reader reads. */
export type Answered<R> = R extends Reader<infer T> ? T : never;

type Members = Readonly<Record<string, Reader<unknown>>>;
type ReadRecord<R extends Members, O extends Members> = {
  -readonly [K in keyof R]: Answered<R[K]>;
} & { -readonly [K in keyof O]?: Answered<O[K]> | undefined };

export const text: Reader<string> = (value) => {
  if (typeof value === "string") return value;
  throw new InvalidAnswer("is not a text");
};

/** Half of a surrogate pair can't be sent back, and a control character is in no id. */
export function isPossibleId(value: string): boolean {
  return value !== "" && value.isWellFormed() && !CONTROL.test(value);
}

const CONTROL = new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f]`);

/** The API has ids as texts; some servers write numbers. */
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

/** Each item is read in place, like the members of a record. */
export function listOf<T>(read: Reader<T>): Reader<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new InvalidAnswer("is not a list");
    const items = value as unknown[];
    for (let index = 0; index < items.length; index++) items[index] = readAt(read, items[index], index);
    return items as T[];
  };
}

/**
 * A record with some members that must be there, and some that may be missing. `null` in the place of an optional member
 * says as little as its absence, unless its reader takes null.
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

/** Whether null means something to a reader. */
function takesNull(read: Reader<unknown>): boolean {
  try {
    return read(null) === null;
  } catch {
    return false;
  }
}
