/**
 * A gateway that shows the request in its answer shows the token too, perhaps spelled otherwise: as JSON, a URL, a page or a
 * debugger writes it. It goes no further than the client.
 */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { HIDDEN_TEXT } from "../schemas/secret.ts";
import { readSpelled } from "./read-spelled.ts";

export type TokenHider = {
  text(text: string): string;
  /** The value of a JSON text, with its members hidden in place, names included. */
  json(value: unknown, text: string): unknown;
};

/** A word of a few letters is no secret, and stands in many answers. */
const SHORTEST = 8;

export function tokenHider(token: string): TokenHider {
  if (token.length < SHORTEST) return { text: (text) => text, json: (value) => value };
  const find = finder(token);
  const text = (each: string) => replaced(each, find(each));
  const number = /^[0-9]+$/.test(token) ? Number(token) : undefined;
  return {
    text,
    json(value, source) {
      // Of a text that is escaped in JSON and otherwise too, only what the parser makes of it can be searched.
      const mayHide = source.includes(String.raw`\u`);
      if (!mayHide && number === undefined && find(source).length === 0) return value;
      return hideIn(value, (each) => (each === number && each !== undefined ? HIDDEN_TEXT : each), text);
    },
  };
}

/** From the first character to the one behind the last. */
type Range = readonly [start: number, end: number];

/** @returns where the token stands in a text, in any mix of its spellings */
function finder(token: string): (text: string) => Range[] {
  const words = [token, ...inBase64(token)].map((word) => readSpelled(word).text).filter((word) => word !== "");
  return (text) => {
    if (text.length < SHORTEST) return [];
    const spelled = readSpelled(text);
    const { text: read } = spelled;
    const [plain, ...encoded] = words.map((word) => rangesOf(word, read));
    const found = [...plain!, ...encoded.flat().map((range) => withRest(range, read))];
    return found.map(([start, end]) => [spelled.originOf(start), spelled.originOf(end)]);
  };
}

function rangesOf(word: string, text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    ranges.push([at, at + word.length]);
  return ranges;
}

function replaced(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start >= done) parts.push(text.slice(done, start), HIDDEN_TEXT);
    done = Math.max(done, end);
  }
  return parts.join("") + text.slice(done);
}

/**
 * What a text holds in base64 that holds the token, whatever stands before and behind it: of each of the three ways in which bytes
 * fall into groups, the characters that come from the token alone.
 */
function inBase64(token: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.from(`${"\0".repeat(before)}${token}`, "latin1");
    const whole = Math.floor((bytes.length * 8) / 6);
    return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
  });
}

/** With the last bits of the token, and what fills up. */
function withRest([start, end]: Range, text: string): Range {
  return [start, end + /^[a-z0-9+/]{0,2}={0,2}/.exec(text.slice(end, end + 4))![0].length];
}

/** Without recursion: an answer may be nested deeper than the stack is. */
function hideIn(root: unknown, ofOther: (value: unknown) => unknown, ofText: (text: string) => string): unknown {
  const open: (unknown[] | JsonObject)[] = [];
  const hidden = (value: unknown) => {
    if (typeof value === "string") return ofText(value);
    if (Array.isArray(value)) open.push(value);
    else if (isJsonObject(value)) open.push(value);
    else return ofOther(value);
    return value;
  };
  const result = hidden(root);
  for (let here = open.pop(); here; here = open.pop()) {
    if (Array.isArray(here)) {
      for (const [index, value] of here.entries()) here[index] = hidden(value);
      continue;
    }
    const names = Object.keys(here);
    const shown = names.map(ofText);
    const isRenamed = shown.some((name, index) => name !== names[index]);
    for (const [index, name] of names.entries()) {
      const value = here[name];
      const now = hidden(value);
      if (!isRenamed && now === value) continue;
      if (isRenamed) delete here[name];
      // A member called __proto__ is one like any other.
      Object.defineProperty(here, shown[index]!, { value: now, writable: true, enumerable: true, configurable: true });
    }
  }
  return result;
}
