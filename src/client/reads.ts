/** Sends reads over HTTP. Reads every page of a list, and applies the filters that a server may not support. */

import { MOST_FORMS } from "../lists/forms.ts";
import { type ListPage, readWhole } from "../lists/pages.ts";
import type { Answer } from "../schemas/operation-types.ts";
import type { JsonObject } from "../schemas/json.ts";
import { type Input, type OperationName, operationRow } from "../schemas/operations.ts";
import { isSurface, TARGET_MEMBERS } from "../schemas/words.ts";
import { ServiceError } from "../service.ts";
import type { LimitedCall } from "./call-limits.ts";
import { type AnyInput, refused, requestPath } from "./call.ts";
import { InvalidAnswer } from "../schemas/answer-shape.ts";
import { asCount, listKey, readList } from "../schemas/read-answer.ts";
import { jsonOf, read2xx, unreadable } from "./read-answer.ts";
import type { Sent, Transport, TransportOptions } from "./transport.ts";

export type Read = (name: OperationName, input: AnyInput, call?: LimitedCall) => Promise<unknown>;

type Reading = { name: OperationName; call: LimitedCall | undefined };

/**
 * @returns a function that sends a read
 * @throws ServiceError, NoAnswer or LIST_INCOMPLETE from the returned function
 */
export function createReads(options: TransportOptions, send: Transport): Read {
  /**
   * The largest number of versions in one answer so far. An answer with fewer versions is not a full page, so no page
   * follows. Starts at 2: no server has pages of one item.
   */
  let longest = 2;
  /** True after the server has refused the largest documented page size. */
  let refusesLargest = false;

  return async (name, input, call) =>
    filtered(name, input, await readAll({ name, call }, documentedInput(name, input)));

  async function readAll(reading: Reading, input: AnyInput): Promise<unknown> {
    const { name } = reading;
    const key = listKey(name);
    if (key !== undefined) return whole(reading, key, input);
    if (name !== "listForms" || input.query?.["limit"] !== MOST_FORMS) return readOnce(reading, input, read2xx);
    const { limit: _, ...query } = input.query;
    const anyLength = { ...input, query };
    if (refusesLargest) return readOnce(reading, anyLength, read2xx);
    try {
      return await readOnce(reading, input, read2xx);
    } catch (error) {
      if (!isAboutLimit(error)) throw error;
      refusesLargest = true;
      return readOnce(reading, anyLength, read2xx);
    }
  }

  function whole(reading: Reading, key: string, input: AnyInput): Promise<unknown> {
    const { name } = reading;
    return readWhole({
      what: `the list ${requestPath(operationRow(name), input)}`,
      keyOf: (item) => (item as JsonObject)[key],
      ask: (page) =>
        readOnce(reading, page === undefined ? input : { ...input, query: { ...input.query, page } }, listPage),
      mayGoOn: (entries) => mayGoOn(name, entries),
    });
  }

  /**
   * Whether to request another page of a list, if the answer does not report pages:
   * - The list of layouts: always. There is only one list of layouts, so the request costs little.
   * - A list of versions: if the answer may be a full page. Each layout has such a list, so needless requests would add
   *   up.
   * - Any other list: never.
   */
  function mayGoOn(name: OperationName, entries: number): boolean {
    if (name === "listLayouts") return true;
    if (name !== "listVersions" || entries < longest) return false;
    longest = entries;
    return true;
  }

  async function readOnce<T>(
    { name, call }: Reading,
    input: AnyInput,
    readOutput: (name: OperationName, input: AnyInput, sent: Sent) => T,
  ): Promise<T> {
    const row = operationRow(name);
    const path = requestPath(row, input);
    const sent = await send({ method: "GET", path, repeatability: "read", operation: name, call });
    const { status, body } = sent.answer;
    options.onAnswer?.({ operation: name, status, body: body.kind === "json" ? body.value : undefined });
    if (status >= 400) throw refused(row, sent);
    try {
      return readOutput(name, input, sent);
    } catch (error) {
      throw error instanceof InvalidAnswer ? unreadable(`GET ${path}`, options, sent, error) : error;
    }
  }
}

/** Reads one page of a list. Some servers report the length of the list only in a header. */
function listPage(name: OperationName, _input: AnyInput, sent: Sent): ListPage<unknown> {
  const list = readList(name, jsonOf(sent));
  return { ...list, total: list.total ?? asCount(sent.answer.headers.get("x-total-count") ?? undefined) };
}

function isAboutLimit(error: unknown): boolean {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return false;
  const { message, fieldErrors = {} } = error.body;
  return [message, ...Object.keys(fieldErrors)].some((text) => /\blimit\b/.test(text));
}

type LayoutQuery = NonNullable<Input<"listLayouts">["query"]>;
type SurfaceQuery = NonNullable<Input<"getSurfaceDefinitions">["query"]>;
type AvailableQuery = NonNullable<Input<"listAvailableForms">["query"]>;

/**
 * Returns the input without undocumented query parameters. A server may refuse or ignore these parameters. The client
 * therefore filters the answer instead. The parameter `type` of the available forms is documented: the client sends
 * `type`, and also filters the answer.
 */
function documentedInput(name: OperationName, input: AnyInput): AnyInput {
  if (name !== "listLayouts" && name !== "getSurfaceDefinitions") return input;
  const { query: _filteredHere, ...rest } = input;
  return rest;
}

/**
 * Applies the query to the answer. Keeps a layout without `surface`, `supportedModes` or `target` if the layout may
 * match.
 */
export function filtered(name: OperationName, { query = {} }: AnyInput, answer: unknown): unknown {
  switch (name) {
    case "listLayouts":
      return layoutsOf(answer as Answer<"listLayouts">, query);
    case "listAvailableForms": {
      const { type } = query as AvailableQuery;
      return (answer as Answer<"listAvailableForms">).filter(({ types }) => type === undefined || types.includes(type));
    }
    case "getSurfaceDefinitions":
      return surfacesOf(answer as Answer<"getSurfaceDefinitions">, query);
    default:
      return answer;
  }
}

function layoutsOf(layouts: Answer<"listLayouts">, query: LayoutQuery): Answer<"listLayouts"> {
  const { surface, mode, ...target } = query;
  const members = Object.entries(target).filter(([, value]) => value !== undefined);
  return layouts.filter((layout) => {
    if (surface !== undefined && layout.surface !== undefined && layout.surface !== surface) return false;
    if (mode !== undefined && layout.supportedModes?.includes(mode) === false) return false;
    const shown: Readonly<Record<string, unknown>> | undefined = layout.target;
    return members.every(([member, value]) =>
      shown === undefined ? mayHave(layout.surface, member) : shown[member] === value,
    );
  });
}

/** Whether a target of the surface may have the member. The target of an unknown surface may have any member. */
function mayHave(surface: string | undefined, member: string): boolean {
  if (!isSurface(surface)) return true;
  const { required, optional } = TARGET_MEMBERS[surface];
  return [...required, ...optional].some((one) => one === member);
}

function surfacesOf(
  definitions: Answer<"getSurfaceDefinitions">,
  { surface }: SurfaceQuery,
): Answer<"getSurfaceDefinitions"> {
  if (surface === undefined) return definitions;
  return { ...definitions, surfaces: definitions.surfaces.filter((one) => one.surface === surface) };
}
