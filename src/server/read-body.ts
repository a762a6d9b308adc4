/** The body of a request: its type, its size and its JSON. */

import { ServiceError } from "../service.ts";

const JSON_TYPE = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Fatal: bytes that are no UTF-8 must not become other text. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws ServiceError 415 when the body is not declared as JSON in UTF-8, or is compressed */
export function checkType(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  const encoding = headers.get("content-encoding") ?? "identity";
  if (JSON_TYPE.test(type) && encoding === "identity") return;
  const message =
    encoding === "identity"
      ? "send the body as content-type: application/json"
      : `the content-encoding ${JSON.stringify(encoding)} is not understood: send the body as it is`;
  throw new ServiceError(415, { code: "UNSUPPORTED_MEDIA_TYPE", message });
}

/**
 * The bytes of the body, counted while they are read: a length that was declared is believed only when it is too large.
 *
 * @throws ServiceError 413 over the limit, 400 when the body ends before its end
 */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? "NaN");
  if (declared === 0) return new Uint8Array();
  if (declared > limit) throw tooLarge(limit);
  try {
    // A declared length is kept by the protocol itself, so that nothing has to be counted.
    const bytes = declared > 0 ? new Uint8Array(await request.arrayBuffer()) : await count(request, limit);
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(400, { code: "INVALID_JSON", message: "the body ended before its end" });
  }
}

async function count(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    if (total > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Refuses a body whose values are too many, before they are made of it. @throws ServiceError 413 */
export function checkValues(bytes: Uint8Array, limit: number): void {
  if (!isHeavier(bytes, limit)) return;
  throw new ServiceError(413, {
    code: "PAYLOAD_TOO_LARGE",
    message: `the body has more than ${limit} values, the limit of this operation`,
  });
}

/** V8 takes several times as long to make, to look through and to sort what an object has beyond some members. */
const CROWDED = 32;
const CROWDED_WEIGHT = 10;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the values of a JSON text by the commas and brackets outside of strings. What is no JSON gets some number. */
function isHeavier(bytes: Uint8Array, limit: number): boolean {
  let weight = 1;
  /** The members so far of each object that is open; of a list, none are counted. */
  const members: number[] = [];
  for (let at = 0; at < bytes.length && weight <= limit; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA) {
      const last = members.length - 1;
      weight += last >= 0 && ++members[last]! > CROWDED ? CROWDED_WEIGHT : 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      weight++;
      members.push(byte === OPEN_LIST ? -Infinity : 0);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) members.pop();
  }
  return weight > limit;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The value of a JSON text. @throws ServiceError 400 INVALID_JSON */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it is not UTF-8";
    throw new ServiceError(400, { code: "INVALID_JSON", message: `the body is not JSON: ${reason}` });
  }
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError(413, {
    code: "PAYLOAD_TOO_LARGE",
    message: `the body is over ${limit} bytes, the limit of this operation`,
  });
}
