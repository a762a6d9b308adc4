/** Lists the forms of an object, completes list items, and finds a form by its id or name. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import type { FormAnswer, FormListedAnswer, FormPageAnswer } from "../schemas/answers.ts";
import type { Filter, FilterCondition, ListQuery as FormQuery } from "../schemas/page.ts";
import { DEFAULT_FLAG, isIdentifier } from "../schemas/words.ts";
import { notShown, type Service, ServiceError } from "../service.ts";
import { quoted } from "../base/shell-quote.ts";
import { findByShortId, mayBeShortId } from "../base/short-ids.ts";
import { formsMatching } from "./form-filter.ts";
import { type ListPage, type ListReading, readWhole } from "./pages.ts";
import { type ObjectKey, objectText } from "./addresses.ts";

/** The largest page of forms (docs/decisions.md, "Lists"). */
export const MOST_FORMS = 100;

/**
 * Returns every form that the query selects. If the server does not state that it obeys the filter, the whole list is
 * filtered here.
 *
 * @param onPage called after each page with the number of forms read so far, and the total. The total is undefined if
 *   the server does not report it. Not called if the query is empty and one request returns all forms
 * @throws LIST_INCOMPLETE, and the errors of the service
 * @throws NOT_SHOWN if the server neither filters nor shows a filtered member
 */
export async function listAllForms(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectKey,
  query: Pick<FormQuery, "sort" | "filters" | "columns"> = {},
  onPage?: (done: number, total: number | undefined) => void,
): Promise<FormListedAnswer[]> {
  let isFiltered = true;
  const check = (page: FormPageAnswer) => (isFiltered &&= isStatedToBeFiltered(page));
  const forms = await listForms(service, { moduleKey, objectKey }, query, { onPage, check });
  return query.filters && !isFiltered ? formsMatching(forms, query.filters) : forms;
}

/** Whether the server states that a page obeys the filter. */
export const isStatedToBeFiltered = ({ meta }: FormPageAnswer) => meta.filtered === true;

/**
 * Requires that a page of forms obeys the filter. A page can't be filtered here, because the matching forms may be on
 * other pages.
 *
 * @throws NOT_SHOWN if a form of the page does not match, or lacks a filtered member
 */
export function requireFilteredPage(page: FormPageAnswer, filter: Filter): void {
  if (isStatedToBeFiltered(page) || formsMatching(page.data, filter).length === page.data.length) return;
  throw notShown(
    "a page of the matching forms, because it ignores the filter",
    "List all matching forms: remove --page, --limit and --count.",
  );
}

/**
 * Sends the fastest request, which has no query. For most objects, its answer contains all forms. This function is
 * separate, so that no variable holds an incomplete answer while the list is read.
 *
 * @returns all forms. Undefined if the answer does not contain all forms
 */
async function listAtOnce(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
): Promise<FormListedAnswer[] | undefined> {
  const { items, total, hasMore } = pageOf(await service.listForms(object));
  const isWhole = total === undefined ? hasMore === false : total === items.length && hasMore !== true;
  return isWhole ? [...items] : undefined;
}

type Reading = {
  onPage?: ((done: number, total: number | undefined) => void) | undefined;
  /** The number of forms after which the read ends. Default: all forms are read. */
  most?: number | undefined;
  /** Called with each page. Throws if the page is not an answer to the query. */
  check?: (page: FormPageAnswer) => unknown;
  /** The requested length of a page. Default: the largest. */
  limit?: number;
};

async function listForms(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
  query: Pick<FormQuery, "sort" | "filters" | "columns">,
  reading: Reading = {},
): Promise<FormListedAnswer[]> {
  if (Object.keys(query).length === 0 && reading.most === undefined) {
    const all = await listAtOnce(service, object);
    if (all) return all;
  }
  return readWhole(formsReading(service, object, query, reading));
}

/** Returns how the forms of an object are read, for pages.ts. */
export function formsReading(
  service: Pick<Service, "listForms">,
  { moduleKey, objectKey }: ObjectKey,
  query: Pick<FormQuery, "sort" | "filters" | "columns">,
  { onPage, most, check, limit = MOST_FORMS }: Reading,
): ListReading<FormListedAnswer> {
  let read = 0;
  let total: number | undefined;
  return {
    what: `the forms of ${moduleKey}/${objectKey}`,
    keyOf: ({ id }) => id,
    usesCursors: true,
    async ask(page = 1, cursor) {
      const following = pageQuery(page, cursor, limit);
      const answer = await service.listForms({ moduleKey, objectKey, query: { ...query, ...following } });
      check?.(answer);
      const next = pageOf(answer);
      // An incomplete list is read a second time, from page 1.
      read = (page === 1 ? 0 : read) + next.items.length;
      total = next.total ?? total;
      onPage?.(read, total);
      return next;
    },
    limit,
    most,
  };
}

/**
 * Returns the query of a page. With a cursor, no page number is sent, because a server could count pages from the
 * cursor. The first page reports the total, so a query with a cursor requests only `hasMore`.
 */
function pageQuery(page: number, cursor: string | undefined, limit: number): FormQuery {
  return cursor === undefined ? { page, limit } : { cursor, limit, count: "hasMore" };
}

type Selection = {
  filters: Filter;
  matches: (form: FormListedAnswer) => boolean;
  /**
   * Whether every answer must state that it obeys the filter. A filter by one name needs no statement: an answer with
   * another name shows that the server ignores filters, and any other answer has all forms with the name.
   */
  isStated: boolean;
};

const withName = (name: string): Selection => ({
  filters: where({ field: "name", operator: "eq", value: name }),
  matches: (form) => form.name === name,
  isStated: false,
});

const where = (condition: FilterCondition): Filter => ({ op: "and", items: [condition] });

/**
 * Lists the forms that a filter selects. Returns undefined if the server refuses the filter, ignores it, or does not
 * state that it obeys (`meta.filtered`). The caller then needs the whole list.
 */
async function listSelected(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
  { filters, matches, isStated }: Selection,
): Promise<FormListedAnswer[] | undefined> {
  const check = ({ data, meta }: FormPageAnswer) => {
    if ((!isStated || meta.filtered === true) && data.every(matches)) return;
    throw new NotFiltered();
  };
  try {
    return await listForms(service, object, { filters }, { check });
  } catch (error) {
    if (!isUnfiltered(error)) throw error;
    return undefined;
  }
}

/** Ends the read of a list that the server does not filter. */
class NotFiltered extends Error {}

function isUnfiltered(error: unknown): boolean {
  return error instanceof NotFiltered || (error instanceof ServiceError && REFUSES_FILTERS.has(error.status));
}

/**
 * Statuses with which servers refuse an unknown parameter of a list, or a long URL. If the parameter was not the reason,
 * the request for the whole list fails too.
 */
const REFUSES_FILTERS = new Set([400, 404, 405, 414, 422, 500, 501]);

/**
 * Returns all forms of an object with exactly this name. Names need not be unique.
 *
 * @throws LIST_INCOMPLETE, and the errors of the service
 */
export async function listFormsNamed(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
  name: string,
): Promise<FormListedAnswer[]> {
  const selection = withName(name);
  const selected = await listSelected(service, object, selection);
  return selected ?? (await listAllForms(service, object)).filter(selection.matches);
}

/** Lists the first thousand forms of an object, because an object may have any number of forms. */
export function listFirstForms(service: Pick<Service, "listForms">, object: ObjectKey): Promise<FormListedAnswer[]> {
  return listForms(service, object, {}, { most: MOST_COMPARED });
}

/**
 * Lists forms for the completion of a partly typed name. Returns at most one page of the forms whose names start with
 * the text. If the text is empty, or the server does not filter by it, returns the first thousand forms. The items may
 * include forms with other names.
 */
export async function listFormsToComplete(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
  start: string,
): Promise<readonly FormListedAnswer[]> {
  if (start === "") return listFirstForms(service, object);
  const { moduleKey, objectKey } = object;
  const filters = where({ field: "name", operator: "startsWith", value: start });
  try {
    const query = { filters, limit: MOST_FORMS, count: "none" } as const;
    const { data, meta } = await service.listForms({ moduleKey, objectKey, query });
    if (meta.filtered === true) return data;
  } catch (error) {
    if (!isUnfiltered(error)) throw error;
  }
  return listFirstForms(service, object);
}

/**
 * Lists the forms with one of the names. Returns undefined if the server does not state that it filters by names. The
 * caller then needs the whole list.
 */
export function listFormsWithNames(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
  names: readonly string[],
): Promise<FormListedAnswer[] | undefined> {
  return listSelected(service, object, {
    filters: where({ field: "name", operator: "in", value: [...names] }),
    matches: ({ name }) => names.includes(name),
    isStated: true,
  });
}

const FLAGS = Object.values(DEFAULT_FLAG);

/**
 * Lists the default forms of an object. The items may include other forms: all forms are listed if the object has few
 * forms, or if the server does not state that it filters by default flags.
 *
 * @param begun the first of several pages, if it is already read
 * @throws LIST_INCOMPLETE, and the errors of the service
 */
export async function listDefaultForms(
  service: Pick<Service, "listForms">,
  object: ObjectKey,
  begun?: readonly FormListedAnswer[],
): Promise<FormListedAnswer[]> {
  const first = begun ?? (await listForms(service, object, {}, { most: MOST_FORMS }));
  if (!begun && first.length < MOST_FORMS) return [...first];
  const selected = await listSelected(service, object, {
    filters: { op: "or", items: FLAGS.map((field) => ({ field, operator: "eq", value: true })) },
    matches: (form) => FLAGS.some((flag) => form[flag] === true),
    isStated: true,
  });
  return selected ?? listAllForms(service, object);
}

/** Converts an answer to a page. `meta` may be missing, because not every server reports its pages. */
export function pageOf({ data, meta }: FormPageAnswer): ListPage<FormListedAnswer> {
  return { items: data, total: meta?.total, hasMore: meta?.hasMore, nextCursor: meta?.nextCursor };
}

/**
 * Whether a list item has all members of the record. The API document does not promise these four members for list
 * items.
 */
export function isWholeForm({ isActive, isPublic, config, viewLayoutId }: FormListedAnswer): boolean {
  return [isActive, isPublic, config, viewLayoutId].every((member) => member !== undefined);
}

/** Returns the form with all members of its record. Reads the record if the item of the list lacks some of them. */
export async function wholeForm(
  service: Pick<Service, "getForm">,
  { moduleKey, objectKey }: ObjectKey,
  listed: FormListedAnswer,
): Promise<FormListedAnswer> {
  if (isWholeForm(listed)) return listed;
  return { ...listed, ...(await service.getForm({ moduleKey, objectKey, formId: listed.id })) };
}

/** The address of a form. `form` is an id, a name or a shortened id (short-ids.ts). */
export type FormAddress = { moduleKey: string; objectKey: string; form: string };

/** Names of endpoints that take the place of a form id in the path. No form has such an id. */
const RESERVED = new Set(["available", "defaults"]);

/** Statuses with which servers refuse an unknown id, or a name in place of an id. */
const NOT_AN_ID = new Set([400, 404, 422]);

export function mayBeFormId(text: string): boolean {
  return isIdentifier(text) && !RESERVED.has(text);
}

/**
 * Finds a form by id, else by name, else by shortened id. Reads the record, because an item of the list may lack
 * members.
 *
 * @throws NOT_FOUND if no form matches
 * @throws AMBIGUOUS_NAME if several forms have the name or the shortened id
 */
export async function findForm(service: Service, address: FormAddress): Promise<FormAnswer> {
  return (await locateForm(service, address)).form;
}

/** Like `findForm`. Also returns the list item of a form that was found by name or shortened id. */
export async function locateForm(
  service: Service,
  address: FormAddress,
): Promise<{ form: FormAnswer; listed?: FormListedAnswer }> {
  const { moduleKey, objectKey, form: wanted } = address;
  if (mayBeFormId(wanted)) {
    try {
      return { form: await service.getForm({ moduleKey, objectKey, formId: wanted }) };
    } catch (error) {
      if (!(error instanceof ServiceError) || !NOT_AN_ID.has(error.status)) throw error;
    }
  }
  const listed = await findNamed(service, address);
  return { form: await service.getForm({ moduleKey, objectKey, formId: listed.id }), listed };
}

async function findNamed(service: Service, { moduleKey, objectKey, form }: FormAddress): Promise<FormListedAnswer> {
  const path = { moduleKey, objectKey };
  const object = objectText(path);
  const selection = withName(form);
  const selected = await listSelected(service, path, selection);
  // If the server does not filter, the whole list answers each of the following questions.
  const all = selected ? undefined : await listAllForms(service, path);
  const named = selected ?? all?.filter(selection.matches) ?? [];
  const found = onlyNamed(object, named) ?? (await findStarted(service, path, form, all));
  if (found) return found;
  const others = all ?? (await listFirstForms(service, path));
  const meant = similarNames(
    form,
    others.map(({ name }) => name),
  ).map((name) => quoted(`${object}/${name}`));
  const hint =
    meant.length === 0 ? `List the forms: formctl forms list ${object}` : `Did you mean ${meant.join(" or ")}?`;
  throw new FormctlError("NOT_FOUND", `the form "${form}" of ${object} does not exist`, hint);
}

/**
 * Finds a form by its shortened id.
 *
 * @param all all forms of the object, if they are already read
 * @throws AMBIGUOUS_NAME if several ids start with the text
 */
async function findStarted(
  service: Service,
  object: ObjectKey,
  start: string,
  all: readonly FormListedAnswer[] | undefined,
): Promise<FormListedAnswer | undefined> {
  if (!mayBeShortId(start)) return undefined;
  const selection: Selection = {
    filters: where({ field: "id", operator: "startsWith", value: start }),
    matches: ({ id }) => id.startsWith(start),
    isStated: true,
  };
  const forms = all ?? (await listSelected(service, object, selection)) ?? (await listAllForms(service, object));
  return findByShortId(forms, start, `forms of ${object.moduleKey}/${object.objectKey}`);
}

/** The number of forms that are read to suggest or complete a name. */
const MOST_COMPARED = 1_000;

/**
 * Returns the form with a name, or undefined if no form has the name.
 *
 * @throws AMBIGUOUS_NAME if several forms have the name
 */
function onlyNamed(object: string, named: readonly FormListedAnswer[]): FormListedAnswer | undefined {
  if (named.length > 1) throw ambiguousName(object, named);
  return named[0];
}

const MAX_SUGGESTIONS = 3;

/**
 * Returns the most similar name. If no name is similar, returns the names that start with the text. Returns no name if
 * more than `MAX_SUGGESTIONS` names start with the text.
 */
function similarNames(text: string, names: readonly string[]): string[] {
  const near = nearest(text, names);
  if (near !== undefined) return [near];
  const start = text.toLowerCase();
  const started = [...new Set(names.filter((name) => name.toLowerCase().startsWith(start)))];
  return started.length > MAX_SUGGESTIONS ? [] : started.toSorted();
}

/** Creates the error for a name that several forms have. @param object the object as MODULE/OBJECT */
export function ambiguousName(object: string, named: readonly Pick<FormListedAnswer, "id" | "name">[]): FormctlError {
  const [first] = named;
  const ids = named.map(({ id }) => id).join(", ");
  const message = `${named.length} forms of ${object} are named "${first?.name}": ${ids}`;
  return new FormctlError("AMBIGUOUS_NAME", message, `Specify the id: ${quoted(`${object}/${first?.id}`)}`);
}
