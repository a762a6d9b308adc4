/** Reads the body of a request: checks its type and size, and parses its JSON. */

import { ServiceError } from "../service.ts";
import type { BodyLimit } from "./limits.ts";

const JSON_TYPE = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** With `fatal`, invalid UTF-8 is an error. Otherwise invalid bytes would be replaced with other text. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws ServiceError 415 if the body is compressed, or is not declared as JSON in UTF-8 */
export function checkType(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  const encoding = headers.get("content-encoding") ?? "identity";
  if (JSON_TYPE.test(type) && encoding === "identity") return;
  const message =
    encoding === "identity"
      ? "send the body as content-type: application/json"
      : `the content-encoding ${JSON.stringify(encoding)} is not supported. Send the body without compression`;
  throw new ServiceError(415, { code: "UNSUPPORTED_MEDIA_TYPE", message });
}

/** Returns the most bytes that the body can have: its declared length, or the limit. */
export function mostBytes({ method, headers }: Request, limit: number): number {
  if (method === "GET" || method === "HEAD") return 0;
  const declared = headers.get("content-length");
  if (declared === null) return headers.has("transfer-encoding") ? limit : 0;
  // A longer body is refused before it is read.
  return Number(declared) <= limit ? Number(declared) : 0;
}

/**
 * Reads the bytes of the body. A declared length is checked before the body is read. Without a declared length, the
 * bytes are counted while they are read.
 *
 * @throws ServiceError 413 if the body has more than `limit` bytes
 * @throws ServiceError 400 if the body is incomplete
 */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? "NaN");
  if (declared === 0) return new Uint8Array();
  if (declared > limit) throw tooLarge(`is longer than ${limit} bytes`);
  try {
    // HTTP enforces a declared length, so the bytes need not be counted.
    const bytes = declared > 0 ? new Uint8Array(await request.arrayBuffer()) : await count(request, limit);
    if (bytes.length > limit) throw tooLarge(`is longer than ${limit} bytes`);
    return bytes;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(400, { code: "INVALID_JSON", message: "the body is incomplete" });
  }
}

async function count(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    if (total > limit) throw tooLarge(`is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Checks the numbers of values and members in an unparsed body.
 *
 * @throws ServiceError 413 if the body has too many values, or an object with too many members
 */
export function checkValues(bytes: Uint8Array, { values, members }: Pick<BodyLimit, "values" | "members">): void {
  const excess = findExcess(bytes, values, members);
  if (excess === "values") throw tooLarge(`has more than ${values} values`);
  if (excess === "members") throw tooLarge(`has an object with more than ${members} members`);
}

/**
 * After this many members of an object, each further member counts as `CROWDED_WEIGHT` values. V8 takes several times
 * longer for each member of a large object.
 */
const CROWDED = 32;
const CROWDED_WEIGHT = 10;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Determines the limit that a JSON text exceeds. Counts commas and brackets outside strings. For a text that is not
 * JSON, the result has no meaning.
 */
function findExcess(bytes: Uint8Array, maxValues: number, maxMembers: number): "values" | "members" | undefined {
  let weight = 1;
  /**
   * The number of members so far of each open object. An open list has -Infinity, because list items are not members.
   */
  const open: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA) {
      const last = open.length - 1;
      const commas = last < 0 ? 0 : ++open[last]!;
      if (commas >= maxMembers) return "members";
      weight += commas >= CROWDED ? CROWDED_WEIGHT : 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      weight++;
      open.push(byte === OPEN_LIST ? -Infinity : 0);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) open.pop();
    if (weight > maxValues) return "values";
  }
  return undefined;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Parses the body. @throws ServiceError 400 INVALID_JSON */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it is not valid UTF-8";
    throw new ServiceError(400, { code: "INVALID_JSON", message: `the body is not JSON: ${reason}` });
  }
}

function tooLarge(excess: string): ServiceError {
  return new ServiceError(413, {
    code: "PAYLOAD_TOO_LARGE",
    message: `the body ${excess}, the limit of this operation`,
  });
}
