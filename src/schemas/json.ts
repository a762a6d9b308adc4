/** Defines which JSON values are accepted, and the canonical text of a JSON value. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: unknown };

/** Member names that can modify the prototype of an object when a value is copied or merged. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const MAX_DEPTH = 64;

export function isSafeKey(key: string): boolean {
  return !FORBIDDEN_KEYS.has(key);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the first part of `value` that is unsafe to copy or can't be stored exactly:
 * - U+0000 or an unpaired surrogate
 * - a number that JSON can't represent exactly
 * - a function or symbol
 * - a prototype key
 * - nesting of more than 64 levels
 */
export function findForbidden(value: unknown): { path: (string | number)[]; reason: string } | undefined {
  return isAllowed(value, 0) ? undefined : firstForbidden(value);
}

/** Checks a value without building paths, which would take most of the time that a large layout takes to read. */
function isAllowed(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return forbiddenScalar(value) === undefined;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (!isAllowed(item, depth + 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key) || forbiddenText(key) !== undefined) return false;
    if (!isAllowed((value as JsonObject)[key], depth + 1)) return false;
  }
  return true;
}

/**
 * Returns the path and reason of the first forbidden part. Uses no recursion, so that deep nesting can't overflow the
 * call stack.
 */
function firstForbidden(value: unknown): { path: (string | number)[]; reason: string } | undefined {
  type Frame = { value: unknown; path: (string | number)[] };
  const stack: Frame[] = [{ value, path: [] }];
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    const { value: here, path } = frame;
    const reason = forbiddenScalar(here);
    if (reason) return { path, reason };
    if (typeof here !== "object" || here === null) continue;
    if (path.length >= MAX_DEPTH) return { path, reason: `is nested more than ${MAX_DEPTH} levels deep` };
    const entries = Object.entries(here);
    for (let index = entries.length - 1; index >= 0; index--) {
      const [key, child] = entries[index]!;
      const step = Array.isArray(here) ? Number(key) : key;
      if (typeof step === "string") {
        if (FORBIDDEN_KEYS.has(step)) return { path: [...path, step], reason: `must not be named "${step}"` };
        const bad = forbiddenText(step);
        if (bad) return { path, reason: `has a member name that ${bad}` };
      }
      // Scalars are checked here, so that paths are built only for containers.
      if (typeof child === "object" && child !== null) stack.push({ value: child, path: [...path, step] });
      else {
        const wrong = forbiddenScalar(child);
        if (wrong) return { path: [...path, step], reason: wrong };
      }
    }
  }
  return undefined;
}

function forbiddenScalar(value: unknown): string | undefined {
  if (typeof value === "string") return forbiddenText(value);
  if (typeof value === "function" || typeof value === "symbol") return `is a ${typeof value}`;
  if (typeof value === "bigint") return "is a number that JSON can't represent exactly";
  if (typeof value !== "number") return undefined;
  if (!Number.isFinite(value)) return "must be a finite number";
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return "is a number that JSON can't represent exactly";
  return undefined;
}

function forbiddenText(text: string): string | undefined {
  if (text.includes("\0")) return "contains the character U+0000";
  if (!text.isWellFormed()) return "contains an unpaired surrogate";
  return undefined;
}

/**
 * Returns the canonical text of a JSON value: no white space, no undefined members, and members sorted. Equal values
 * have equal texts. Hashes and the keys of layout targets (target-key.ts) are computed from these texts.
 *
 * Members have the order of JavaScript objects. Array indexes such as "10" come first, sorted by number. All other
 * names follow, sorted by UTF-16 code units. RFC 8785 differs: it sorts array indexes as texts. Stored hashes and
 * digests depend on the JavaScript order.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedMembers(value));
}

/**
 * Returns the value with its members in canonical order. A value in canonical order is returned unchanged, so that
 * repeated calls are cheap.
 */
export function withSortedMembers<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  return (Array.isArray(value) ? sortedItems(value) : sortedMembers(value as JsonObject)) as T;
}

function sortedItems(items: unknown[]): unknown[] {
  let sorted: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = withSortedMembers(items[index]);
    if (item !== items[index]) (sorted ??= items.slice())[index] = item;
  }
  return sorted ?? items;
}

function sortedMembers(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  let last = "";
  let areSorted = true;
  for (const key of keys) {
    areSorted &&= last <= key;
    last = key;
  }
  // The object is copied only at the first difference, because most values are already in order.
  let sorted: JsonObject | undefined = areSorted ? undefined : {};
  if (sorted) keys.sort();
  for (const key of keys) {
    const member = withSortedMembers(object[key]);
    if (sorted) sorted[key] = member;
    // The copy keeps the order of `object`, whose keys are sorted.
    else if (member !== object[key]) sorted = { ...object, [key]: member };
  }
  return sorted ?? object;
}

/**
 * Returns a copy of a JSON value whose texts have their own memory. A text that was cut out of a file keeps the whole
 * file in memory.
 */
export function detached<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Whether two JSON values have the same canonical text. Does not build the texts. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === 0 && b === 0;
  let members = 0;
  for (const name of Object.keys(a)) {
    if (a[name] === undefined) continue;
    members++;
    if (!Object.hasOwn(b, name) || !sameJson(a[name], b[name])) return false;
  }
  for (const name of Object.keys(b)) if (b[name] !== undefined) members--;
  return members === 0;
}

/** Returns a deep copy of a JSON value. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy = { ...value } as JsonObject;
  for (const name of Object.keys(copy)) {
    const member = copy[name];
    if (typeof member === "object" && member !== null) copy[name] = copyJson(member);
  }
  return copy as T;
}

/**
 * Converts a value as JSON.stringify and JSON.parse do. Values that {@link findForbidden} refuses are kept, such as a
 * function, which JSON.stringify would omit.
 *
 * If a part
 * equals the part of `like` at the same path, the result contains the part of `like`. So the caller recognizes equal
 * parts with `===`. If the whole value is equal, the result is `like` itself. All other parts are copies.
 *
 * @param like a JSON value whose objects may have undefined members
 * @throws the errors of methods `toJSON` in the value, and an error if an object contains itself
 */
export function toJson(value: unknown, like?: unknown): unknown {
  return convert(value, like, []);
}

/** @param parents the objects that contain the value, from the outermost to the innermost */
function convert(given: unknown, like: unknown, parents: object[]): unknown {
  const value = plainOf(given);
  // JSON.stringify writes 0 for -0.
  if (typeof value !== "object" || value === null) return value === 0 && !Object.is(value, like) ? 0 : value;
  // `MAX_DEPTH` would also end the recursion. But an object that refers to itself several times would take exponential
  // time.
  if (parents.includes(value)) throw new TypeError("an object refers to itself, directly or through its members");
  // `findForbidden` refuses a value of this depth. So the content of the object does not matter.
  if (parents.length >= MAX_DEPTH) return {};
  parents.push(value);
  const json = Array.isArray(value) ? convertItems(value, like, parents) : convertMembers(value, like, parents);
  parents.pop();
  return json;
}

function convertItems(items: readonly unknown[], like: unknown, parents: object[]): unknown[] {
  const others = Array.isArray(like) ? (like as unknown[]) : undefined;
  let isSame = others?.length === items.length;
  const json: unknown[] = [];
  for (let index = 0; index < items.length; index++) {
    const other = others?.[index];
    const item = convert(items[index], other, parents) ?? null;
    isSame &&= Object.is(item, other);
    json.push(item);
  }
  return isSame ? others! : json;
}

function convertMembers(members: object, like: unknown, parents: object[]): JsonObject {
  const others = isJsonObject(like) ? like : undefined;
  let isSame = others !== undefined;
  let missing = 0;
  for (const name in others) if (others[name] !== undefined) missing++;
  // The copy has all members as own members, including `__proto__`. So an assignment can't change the prototype.
  const json: JsonObject = { ...members };
  for (const name of Object.keys(json)) {
    const other = others?.[name];
    const member = convert(json[name], other, parents);
    if (member === undefined) {
      delete json[name];
      continue;
    }
    json[name] = member;
    isSame &&= Object.is(member, other);
    missing--;
  }
  return isSame && missing === 0 ? others! : json;
}

/** Returns what JSON.stringify writes instead of an object: the result of its `toJSON`, or the wrapped scalar. */
function plainOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const plain: unknown = typeof toJSON === "function" ? toJSON.call(value, "") : value;
  return isWrapped(plain) ? plain.valueOf() : plain;
}

/** Whether a value is a text, number or boolean that was made an object, for example with `new String(…)`. */
function isWrapped(value: unknown): value is object {
  if (!isJsonObject(value) || Object.getPrototypeOf(value) === Object.prototype) return false;
  return ["[object String]", "[object Number]", "[object Boolean]"].includes(Object.prototype.toString.call(value));
}
