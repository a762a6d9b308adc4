/** Reads over HTTP. A list is read whole, however a server divides it. */

import { MOST_FORMS } from "../lists/all-forms.ts";
import { type ListPage, readWhole } from "../lists/whole-list.ts";
import type { JsonObject } from "../schemas/json.ts";
import { type OperationName, operationRow } from "../schemas/operations.ts";
import { ServiceError } from "../service.ts";
import { type AnyInput, jsonOf, read2xx, refused, target, unreadable } from "./call.ts";
import { InvalidAnswer } from "../schemas/answer-shape.ts";
import { documentedInput, filtered } from "./filters.ts";
import { listKey, readList } from "./read-answer.ts";
import { asCount } from "./said-of-pages.ts";
import type { Sent, Transport, TransportOptions } from "./transport.ts";

export type Read = (name: OperationName, input: AnyInput) => Promise<unknown>;

/** @returns what sends a GET. It throws ServiceError, NoAnswer, LIST_INCOMPLETE */
export function createReads(options: TransportOptions, send: Transport): Read {
  /** The longest list of versions that came at once: a shorter one is no full page. Nobody makes pages of one. */
  let longest = 2;
  /** It makes shorter pages than the longest that there may be. */
  let refusesMost = false;

  return async (name, input) => filtered(name, input, await readAll(name, documentedInput(name, input)));

  async function readAll(name: OperationName, input: AnyInput): Promise<unknown> {
    const key = listKey(name);
    if (key !== undefined) return whole(name, key, input);
    if (name !== "listForms" || input.query?.["limit"] !== MOST_FORMS) return readOnce(name, input, read2xx);
    const { limit: _, ...query } = input.query;
    const anyLength = { ...input, query };
    if (refusesMost) return readOnce(name, anyLength, read2xx);
    try {
      return await readOnce(name, input, read2xx);
    } catch (error) {
      if (!isAboutLimit(error)) throw error;
      refusesMost = true;
      return readOnce(name, anyLength, read2xx);
    }
  }

  function whole(name: OperationName, key: string, input: AnyInput): Promise<unknown> {
    return readWhole({
      what: `the list ${target(operationRow(name), input)}`,
      keyOf: (item) => (item as JsonObject)[key],
      ask: (page) =>
        readOnce(name, page === undefined ? input : { ...input, query: { ...input.query, page } }, listPage),
      mayGoOn: (entries) => mayGoOn(name, entries),
    });
  }

  /** Where it matters that something is not in a list. Those of layouts are few, those of versions as many as layouts. */
  function mayGoOn(name: OperationName, entries: number): boolean {
    if (name === "listLayouts") return true;
    if (name !== "listVersions" || entries < longest) return false;
    longest = entries;
    return true;
  }

  async function readOnce<T>(
    name: OperationName,
    input: AnyInput,
    readOutput: (name: OperationName, input: AnyInput, sent: Sent) => T,
  ): Promise<T> {
    const row = operationRow(name);
    const path = target(row, input);
    const sent = await send({ method: "GET", path, repeatability: "read" });
    if (sent.answer.status >= 400) throw refused(row, sent);
    try {
      return readOutput(name, input, sent);
    } catch (error) {
      throw error instanceof InvalidAnswer ? unreadable(`GET ${path}`, options, sent, error) : error;
    }
  }
}

/** Where its body says nothing of pages, a header may. */
function listPage(name: OperationName, _input: AnyInput, sent: Sent): ListPage<unknown> {
  const list = readList(name, jsonOf(sent));
  return { ...list, total: list.total ?? asCount(sent.answer.headers.get("x-total-count") ?? undefined) };
}

function isAboutLimit(error: unknown): boolean {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return false;
  const { message, fieldErrors = {} } = error.body;
  return [message, ...Object.keys(fieldErrors)].some((text) => /\blimit\b/.test(text));
}
