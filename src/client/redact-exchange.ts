/**
 * Redacts recorded exchanges (record-exchanges.ts). Each member of a recording passes through here, so a member that is
 * added later is redacted too.
 *
 * - Tokens, cookies and other credentials are always replaced.
 * - User values are replaced in the bodies (members `config`, `metadata` and default values), and where the server
 *   repeats them, such as in an error message. Their types are kept.
 * - A body that is not JSON is omitted.
 */

import { HIDDEN_TEXT, hideTokens, REDACTED } from "../base/secret.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { measureJson } from "../schemas/json-limits.ts";
import { phraseHider } from "./hide-phrases.ts";
import { type TokenHider, tokenHider } from "./hide-token.ts";

export type Redactor = {
  /** Adds a token that requests contain. */
  addToken(token: string): void;
  /** Remembers the values and tokens in the bodies of an entry. Called for all entries before the first `redact`. */
  learn(entry: unknown): void;
  redact<T>(entry: T): T;
};

/** Names of headers, query parameters and JSON members whose values are credentials. */
const SECRET_NAME = /(?:authorization|cookie|token|secret|password|passwd|api[-_]?key)s?$/i;

/** JSON members with user values: `config`, `metadata`, `defaults`, `default_value` and so on. */
const VALUE_NAME = /^(?:config|metadata|defaults?|default[-_]?values?)$/i;

/** JSON members with a message, in which a server may repeat a value. */
const MESSAGE_NAME = /^(?:messages?|details?|descriptions?|reasons?|hints?|errors?|warnings?)$/i;

/** Headers in which a server repeats no value. A value such as "json" must not hide a part of them. */
const FIXED_HEADER = /^(?:accept.*|content-.*|date|user-agent)$/i;

/** The base of relative URLs. It is not recorded. */
const RELATIVE = "http://relative.invalid";

/** @param keepsValues whether user values are recorded */
export function createRedactor({ keepsValues }: { keepsValues: boolean }): Redactor {
  const tokens = new Map<string, TokenHider>();
  const secrets = phraseHider(8, HIDDEN_TEXT);
  const values = phraseHider(4, REDACTED);

  /** Redacts a text of JSON from which `parse` has removed the tokens of requests. */
  const parsed = (text: string) => secrets.hide(hideTokens(text));
  const plain = (text: string) => {
    let shown = text;
    for (const hider of tokens.values()) shown = hider.text(shown);
    return parsed(shown);
  };
  /** Redacts the values that a server repeats. A single word, such as a code, is replaced as a whole. */
  const withoutValues = (text: string) => {
    if (keepsValues || (/^[\w.-]*$/.test(text) && !values.has(text))) return text;
    return values.hide(text);
  };
  // A value may be a part of a token. The token is hidden first, as a whole.
  const echo = (text: string) => withoutValues(plain(text));

  function parse(text: string): unknown {
    if (measureJson(text).exceeded !== undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
      return [...tokens.values()].reduce((hidden, hider) => hider.json(hidden, text), value);
    } catch {
      return undefined;
    }
  }

  function learnValue(text: string): void {
    values.add(text);
    // In a message, a token in the value is hidden already.
    values.add(hideTokens(text));
  }

  function learnJson(value: unknown, name: string, isValue: boolean): void {
    const kind = kindOf(name);
    const isUserValue = isValue || kind.isValue;
    if (typeof value === "string" && kind.isSecret) secrets.add(value);
    else if (Array.isArray(value)) for (const item of value) learnJson(item, name, isUserValue);
    else if (isJsonObject(value))
      for (const [key, member] of Object.entries(value)) learnJson(member, key, isUserValue || isFilter(value, key));
    else if (isUserValue && (typeof value === "string" || typeof value === "number")) learnValue(String(value));
  }

  function redactJson(value: unknown, name: string, { isValue, isMessage }: JsonPlace): unknown {
    const kind = kindOf(name);
    const place = {
      isValue: !keepsValues && (isValue || kind.isValue),
      isMessage: isMessage || kind.isMessage,
    };
    if (Array.isArray(value)) return value.map((item) => redactJson(item, name, place));
    if (isJsonObject(value)) {
      const members = Object.entries(value).map(([key, member]): [string, unknown] => {
        const isCompared = !keepsValues && isFilter(value, key);
        return [parsed(key), redactJson(member, key, isCompared ? { ...place, isValue: true } : place)];
      });
      return Object.fromEntries(members);
    }
    if (place.isValue || (kind.isSecret && typeof value !== "boolean")) return placeholder(value);
    if (typeof value !== "string") return value;
    const shown = parsed(value);
    return place.isMessage && name !== "code" ? withoutValues(shown) : shown;
  }

  function redactUrl(text: string): string {
    const url = URL.parse(text, RELATIVE);
    if (!url) return echo(text);
    const path = plain(url.pathname);
    const decoded = decodedPath(url.pathname);
    const pathname = plain(decoded) === decoded ? path : `/${HIDDEN_TEXT}`;
    const query = new URLSearchParams();
    for (const [key, value] of url.searchParams) query.append(plain(key), parameter(key, value));
    return `${url.origin === RELATIVE ? "" : plain(url.origin)}${pathname}${query.size > 0 ? `?${query.toString()}` : ""}`;
  }

  function parameter(name: string, value: string): string {
    if (SECRET_NAME.test(name) || (!keepsValues && VALUE_NAME.test(name.split(/[.[]/)[0]!))) return REDACTED;
    const json = /^\s*[[{]/.test(value) ? parse(value) : undefined;
    return json === undefined ? echo(value) : JSON.stringify(redactJson(json, "", { isValue: false, isMessage: true }));
  }

  function header(name: string, value: string): string {
    if (SECRET_NAME.test(name)) return REDACTED;
    if (/^(?:content-)?location$/i.test(name)) return redactUrl(value);
    return FIXED_HEADER.test(name) ? plain(value) : echo(value);
  }

  function redactBody({ text, ...body }: JsonObject, inError: boolean): JsonObject {
    const json = typeof text === "string" ? parse(text) : undefined;
    const others = redactMember(body, "", "", inError) as JsonObject;
    if (json === undefined) return { ...others, comment: `omitted, because it is not JSON: ${lengthOf(text)} bytes` };
    return { ...others, text: JSON.stringify(redactJson(json, "", { isValue: false, isMessage: inError })) };
  }

  function redactMember(value: unknown, name: string, list: string, inError: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => redactMember(item, "", name, inError));
    if (isJsonObject(value)) {
      if (typeof value["text"] === "string") return redactBody(value, inError);
      const { name: itemName, value: itemValue } = value;
      if (typeof itemName === "string" && typeof itemValue === "string") {
        const shown = list === "queryString" ? parameter(itemName, itemValue) : header(itemName, itemValue);
        return { ...value, name: plain(itemName), value: shown };
      }
      const members = Object.entries(value).map(([key, member]): [string, unknown] => [
        plain(key),
        redactMember(member, key, "", inError),
      ]);
      return Object.fromEntries(members);
    }
    if (typeof value !== "string") return value;
    if (/^(?:url|redirectURL)$/.test(name)) return redactUrl(value);
    return name === "_error" ? echo(value) : plain(value);
  }

  return {
    addToken(token) {
      if (!tokens.has(token)) tokens.set(token, tokenHider(token));
    },
    learn(entry) {
      for (const text of bodiesIn(entry)) learnJson(parse(text), "", false);
    },
    redact: <T>(entry: T) => redactMember(entry, "", "", isErrorAnswer(entry)) as T,
  };
}

/** Returns what the value of a JSON member may contain, by the name of the member. */
function kindOf(name: string) {
  return { isSecret: SECRET_NAME.test(name), isValue: VALUE_NAME.test(name), isMessage: MESSAGE_NAME.test(name) };
}

/** `isMessage`: whether the server may repeat user values in the text: in a message, or anywhere in an error answer */
type JsonPlace = { isValue: boolean; isMessage: boolean };

/** Whether the member is the value in a condition on a user value: `{field: "config.title", value: …}`. */
function isFilter({ field }: JsonObject, key: string): boolean {
  return key === "value" && typeof field === "string" && field.split(".").some((part) => VALUE_NAME.test(part));
}

/** Returns a value of the same type that contains nothing of the user. */
function placeholder(value: unknown): unknown {
  if (typeof value === "string") return REDACTED;
  if (typeof value === "number") return 0;
  return typeof value === "boolean" ? false : value;
}

/** Returns the texts of the request and response bodies of an entry. */
function bodiesIn(entry: unknown): string[] {
  const { request, response } = entry as JsonObject;
  const bodies = [(request as JsonObject)["postData"], (response as JsonObject)["content"]];
  return bodies.flatMap((body) => (isJsonObject(body) && typeof body["text"] === "string" ? [body["text"]] : []));
}

function isErrorAnswer(entry: unknown): boolean {
  const response = isJsonObject(entry) ? entry["response"] : undefined;
  return isJsonObject(response) && Number(response["status"]) >= 400;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}
