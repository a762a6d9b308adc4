/**
 * Lists the forms of objects: all forms, or only the forms that a plan needs. Finds the form of each manifest among the
 * listed forms.
 */

import pMap from "p-map";
import { FormctlError } from "../../error.ts";
import { isWholeForm, listDefaultForms, listFormsWithNames, MOST_FORMS, pageOf, wholeForm } from "../../lists/forms.ts";
import { type Listing, type ListPage, MAX_PAGES, readPages } from "../../lists/pages.ts";
import type { FormListedAnswer } from "../../schemas/answers.ts";
import { DEFAULT_FLAG, type Mode, MODES } from "../../schemas/words.ts";
import { incompleteList, type Service, ServiceError } from "../../service.ts";
import { objectText } from "../address.ts";
import type { LayoutIds } from "../lock.ts";
import type { ObjectKey } from "../manifest.ts";
import type { FormState, FormSubject } from "../state.ts";
import { type Ambiguity, matchNames } from "./match.ts";

type Lists = Pick<Service, "listForms">;
type Page = ListPage<FormListedAnswer>;

export class MissingObjects extends FormctlError {
  override readonly name = "MissingObjects";
  readonly objects: readonly ObjectKey[];

  constructor(objects: readonly ObjectKey[]) {
    const names = objects.map(objectText).join(", ");
    super(
      "OBJECT_MISSING",
      objects.length === 1 ? `the object ${names} does not exist` : `these objects do not exist: ${names}`,
      "The API can't create objects: create it where the organization is set up, or correct the name.",
    );
    this.objects = objects;
  }
}

export type NeededForms = {
  object: ObjectKey;
  /** The names of the needed forms. Undefined if all forms are needed. */
  names: ReadonlySet<string> | undefined;
  /** Whether the default forms are needed too. */
  defaults: boolean;
};

/** The listed forms of an object. `isWhole` states whether the list certainly contains all forms of the object. */
export type FormList = { forms: readonly FormListedAnswer[]; isWhole: boolean };

/**
 * Lists all forms of each object, in the order of the objects. A list may change during the read. An incomplete list is
 * read once more.
 *
 * @throws MissingObjects with all missing objects; LIST_INCOMPLETE if both reads of a list are incomplete
 */
export async function listForms(
  service: Lists,
  objects: readonly ObjectKey[],
  concurrency: number,
): Promise<FormListedAnswer[][]> {
  return listWhole(service, objects, { firsts: await firstPages(service, objects, concurrency), concurrency });
}

/**
 * Lists the needed forms of each object, in the order of the objects. The first page may show that an object has many
 * more forms than needed. The needed forms are then requested by name. Otherwise all forms are listed, also if the
 * server does not filter by names.
 *
 * @throws the errors of `listForms`
 */
export async function listNeededForms(
  service: Lists,
  needed: readonly NeededForms[],
  concurrency: number,
): Promise<FormList[]> {
  const firsts = await firstPages(
    service,
    needed.map(({ object }) => object),
    concurrency,
  );
  const lists: (FormList | undefined)[] = [];
  for (const [index, { object, names, defaults }] of needed.entries()) {
    const first = firsts[index]!;
    if (names && isShorterByName(first, names.size))
      lists[index] = await listByName(service, { object, names, defaults, first }, concurrency);
  }
  const others = needed.flatMap((_, index) => (lists[index] ? [] : [index]));
  const wholes = await listWhole(
    service,
    others.map((index) => needed[index]!.object),
    { firsts: others.map((index) => firsts[index]!), concurrency },
  );
  for (const [position, index] of others.entries()) lists[index] = { forms: wholes[position]!, isWhole: true };
  return lists as FormList[];
}

/** The number of names in one request, because servers limit the length of URLs. */
const NAMES_PER_REQUEST = 20;

/** Whether a list by name needs fewer requests than the pages after the first page. */
export function isShorterByName(first: Page, names: number): boolean {
  return Math.ceil(names / NAMES_PER_REQUEST) < announcedPages(first).length;
}

/**
 * Lists the forms with the needed names, and the needed default forms. Returns undefined if it is uncertain
 * whether the server filters by names.
 */
async function listByName(
  service: Lists,
  { object, names, defaults, first }: NeededForms & { names: ReadonlySet<string>; first: Page },
  concurrency: number,
): Promise<FormList | undefined> {
  const ask = (part: string[]) => listFormsWithNames(service, object, part, first.items);
  const all = [...names];
  const parts = Array.from({ length: Math.ceil(all.length / NAMES_PER_REQUEST) }, (_, index) =>
    all.slice(index * NAMES_PER_REQUEST, (index + 1) * NAMES_PER_REQUEST),
  );
  const [one = [], ...others] = parts;
  const named = await ask(one);
  if (!named) return undefined;
  const more = await pMap(others, ask, { concurrency });
  if (more.some((each) => !each)) return undefined;
  const holders = defaults ? await listDefaultForms(service, object, first.items) : [];
  const forms = new Map([...named, ...more.flatMap((each) => each ?? []), ...holders].map((form) => [form.id, form]));
  return { forms: [...forms.values()], isWhole: false };
}

/** The query of the first page of a list. */
export const firstPage = () => ({ page: 1, limit: MOST_FORMS });

/** Requests the first page of each object. @throws MissingObjects with all missing objects */
async function firstPages(service: Lists, objects: readonly ObjectKey[], concurrency: number): Promise<Page[]> {
  const missing: ObjectKey[] = [];
  const firsts = await pMap(
    objects,
    async (object) => {
      try {
        return await requestPage(service, object, 1);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 404) throw error;
        missing.push(object);
        return undefined;
      }
    },
    { concurrency },
  );
  if (missing.length > 0) throw new MissingObjects(objects.filter((object) => missing.includes(object)));
  return firsts as Page[];
}

async function listWhole(
  service: Lists,
  objects: readonly ObjectKey[],
  { firsts, concurrency }: { firsts: readonly Page[]; concurrency: number },
): Promise<FormListedAnswer[][]> {
  const first = await listOnce(service, objects, { firsts, concurrency });
  const changed = objects.filter((_, index) => "reason" in first[index]!);
  const again = await firstPages(service, changed, concurrency);
  const second = new Map<ObjectKey, Listing<FormListedAnswer>>();
  for (const [index, listing] of (await listOnce(service, changed, { firsts: again, concurrency })).entries()) {
    if ("reason" in listing) throw incompleteList(`the forms of ${objectText(changed[index]!)}`, listing.reason);
    second.set(changed[index]!, listing);
  }
  return objects.map((object, index) => (second.get(object) ?? first[index]!) as FormListedAnswer[]);
}

/** Returns the whole list of each object. Requests the pages after the first page, without a second attempt. */
async function listOnce(
  service: Lists,
  objects: readonly ObjectKey[],
  { firsts, concurrency }: { firsts: readonly Page[]; concurrency: number },
): Promise<Listing<FormListedAnswer>[]> {
  const pages = firsts.map((first) => new Map([[1, first]]));
  const request = (index: number, number: number) => requestPage(service, objects[index]!, number);
  // Pages that the total announces are read concurrently. Further pages are read one after another.
  const announced = objects.flatMap((_, index) =>
    announcedPages(firsts[index]!).map((number) => async () => {
      pages[index]!.set(number, await request(index, number));
    }),
  );
  await pMap(announced, (read) => read(), { concurrency });
  return pMap(
    objects,
    (_, index) =>
      readPages({
        keyOf: ({ id }) => id,
        mayGoOn: () => true,
        limit: MOST_FORMS,
        ask: async (page = 1) => pages[index]!.get(page) ?? request(index, page),
      }),
    { concurrency },
  );
}

async function requestPage(service: Lists, { moduleKey, objectKey }: ObjectKey, page: number): Promise<Page> {
  const query = page === 1 ? firstPage() : { page, limit: MOST_FORMS };
  return pageOf(await service.listForms({ moduleKey, objectKey, query }));
}

/**
 * Returns the numbers of the pages after the first, up to the limit of a list. Returns none if the server does not
 * report the number of forms.
 */
function announcedPages({ items, total }: Page): number[] {
  if (total === undefined || items.length === 0 || items.length >= total) return [];
  const count = Math.min(Math.ceil(total / items.length), MAX_PAGES);
  return Array.from({ length: count - 1 }, (_, index) => index + 2);
}

/** Returns the state of a listed form, before its content and access are read. */
export function toFormState(form: FormListedAnswer): FormState {
  const hasFlags = MODES.every((mode) => form[DEFAULT_FLAG[mode]] !== undefined);
  return {
    form,
    listed: form,
    defaultFor: hasFlags ? MODES.filter((mode) => form[DEFAULT_FLAG[mode]]) : undefined,
    access: undefined,
    content: undefined,
    inPlace: undefined,
  };
}

/**
 * Returns the id of the version that all modes of a listed form show. Undefined if the modes show no version or several
 * versions.
 */
export function shownVersion({ types, layoutAvailability }: FormListedAnswer): string | undefined {
  const versions = new Set(types.map((mode) => layoutAvailability?.[mode]?.versionId));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

/** Returns the default forms by mode. A mode is absent if the server shows no default form for the mode. */
export function holdersOf(forms: readonly FormState[]): Map<Mode, FormState> {
  const holders = new Map<Mode, FormState>();
  for (const state of forms) for (const mode of state.defaultFor ?? []) holders.set(mode, state);
  return holders;
}

/**
 * Returns the reads for members that the list of forms omits. If `all` is false, reads only the forms that manifests
 * name. But if a form of a manifest may have been renamed on the target, all forms are read. Only the layout id in the
 * lock identifies a renamed form.
 */
export function recordReads(
  service: Service,
  object: ObjectKey,
  forms: readonly { -readonly [K in keyof FormState]: FormState[K] }[],
  { subjects, known, all }: { subjects: readonly FormSubject[]; known: LayoutIds; all: boolean },
): (() => Promise<void>)[] {
  const listed = new Set(forms.map(({ form }) => form.name));
  const named = subjects.filter(({ formId }) => formId === undefined);
  const wanted = new Set(named.flatMap(({ name, formerName = name }) => [name, formerName]));
  const isRenamed = ({ address, name, formerName = name }: FormSubject) =>
    known.has(address) && !listed.has(name) && !listed.has(formerName);
  const needed = all || named.some(isRenamed) ? forms : forms.filter(({ form }) => wanted.has(form.name));
  return needed
    .filter((state) => !isWholeForm(state.listed))
    .map((state) => async () => {
      state.form = await wholeForm(service, object, state.listed);
    });
}

/** Returns the form of each subject. Subjects whose form does not exist are not in `matches`. */
export function matchForms(
  subjects: readonly FormSubject[],
  forms: readonly FormState[],
  known: LayoutIds,
): { matches: [FormSubject, FormState][]; ambiguities: readonly Ambiguity[] } {
  const byId = new Map(forms.map((state) => [state.form.id, state]));
  const named = subjects.filter(({ formId }) => formId === undefined);
  const { matches, ambiguities } = matchNames(
    named.map((subject) => ({ ...subject, layoutId: known.get(subject.address) })),
    forms.map(({ form: { id, name, viewLayoutId } }) => ({ id, name, layoutId: viewLayoutId })),
  );
  return {
    matches: subjects.flatMap((subject): [FormSubject, FormState][] => {
      const state = byId.get(subject.formId ?? matches.get(subject.address)?.id ?? "");
      return state ? [[subject, state]] : [];
    }),
    ambiguities,
  };
}

/**
 * Whether the access of a form has to be read. Never needed for a form without a manifest. Needed in these cases:
 *
 * - The manifest has rows of access.
 * - The manifest requires empty access, and the current access is not empty.
 * - The plan removes modes, and the current access is not empty.
 */
export function needsAccess({ access, types, formId }: FormSubject, form: FormListedAnswer): boolean {
  if (formId !== undefined) return false;
  const isEmpty = form.directUserAccessCount === 0 && form.roleAccessCount === 0;
  if (access === "rows") return true;
  return !isEmpty && (access === "empty" || form.types.some((mode) => !types.includes(mode)));
}
