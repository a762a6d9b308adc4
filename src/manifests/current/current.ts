/** What exists now, in the manifests' terms, read whole and with bounded concurrency. */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import pMap from "p-map";
import { isWholeForm, wholeForm } from "../../lists/whole-form.ts";
import { DEFAULT_FLAG, MODES } from "../../schemas/words.ts";
import { layoutIdOf, type Service, ServiceError } from "../../service.ts";
import { countRequests } from "./count-requests.ts";
import { findLayouts } from "./find-layouts.ts";
import { listForms } from "./form-lists.ts";
import { checkContent } from "./in-place.ts";
import type { ContentState, Current, FormState, InPlace, LayoutState, ObjectState } from "../state.ts";
import type { KnownLayouts } from "../lock.ts";
import type { ObjectKey, Wanted } from "../manifest.ts";
import { matchNames } from "./match-names.ts";
import { AmbiguousNames, type Ambiguity } from "./read-errors.ts";
import { readContent, untoldContent } from "./read-versions.ts";
import { type FormSubject, type LayoutSubject, objectText, type Subject, subjectOf } from "../subject.ts";

export type CurrentOptions = {
  service: Service;
  wanted: readonly Wanted[];
  known: KnownLayouts;
  /** The addresses of those of which nothing tells that they have ever had a version; absent: none. */
  withoutContent?: ReadonlySet<string>;
  /** How many requests may be under way at once. */
  concurrency: number;
  /** Objects of which every form is read, with its content and access, whether a manifest names it or not. */
  whole?: readonly ObjectKey[];
  /** For a plan that publishes: of a form whose content is in place, it is only kept that it is so. */
  publish?: boolean;
  /** The addresses that are planned; absent or empty: all. What is ambiguous beside them is left aside. */
  targets?: readonly string[];
  onProgress?: (done: number, total: number) => void;
};

/**
 * @throws ServiceError, NoAnswer as the service throws them; MissingObjects where an object is not there; AmbiguousNames
 *   where several records have the name of one manifest that is planned; LIST_INCOMPLETE where a list changed while it was read, twice:
 *   nothing is planned, and above all nothing pruned, from half a list
 */
export function readCurrent({ wanted, publish = false, ...options }: CurrentOptions): Promise<Current> {
  const manifests = new Map(wanted.map((each) => [each.address, each]));
  // Judged while other answers are on their way.
  const judge = (address: string, content: ContentState) => checkContent(manifests.get(address)!, content);
  return readSubjects({ ...options, subjects: wanted.map(subjectOf), ...(publish && { judge }) });
}

type Judge = (address: string, content: ContentState) => InPlace | undefined;

/** The same for what a plan has read, so that the two can be compared. */
export async function readSubjects({
  service,
  subjects,
  known,
  withoutContent,
  concurrency,
  whole = [],
  judge,
  targets = [],
  onProgress,
}: Omit<CurrentOptions, "wanted" | "publish"> & { subjects: readonly Subject[]; judge?: Judge }): Promise<Current> {
  const counted = countRequests(service, onProgress);
  const formSubjects = subjects.filter((subject) => subject.kind === "Form");
  const layoutSubjects = subjects.filter((subject) => subject.kind === "Layout");
  const objects = new Map(
    [...formSubjects.map(({ object }) => object), ...whole].map((each) => [objectText(each), each]),
  );

  const lists = await listForms(counted.service, [...objects.values()], concurrency);
  const found = await findLayouts(counted.service, layoutSubjects, { known, concurrency });
  const ambiguities = [...found.ambiguities];
  const subjectsOf = Map.groupBy(formSubjects, ({ object }) => objectText(object));
  const wholeObjects = new Set(whole.map(objectText));
  const current = {
    objects: new Map<string, ObjectState>(),
    forms: new Map<string, FormState>(),
    layouts: found.layouts,
    organizationDefaults: found.organizationDefaults,
    otherLayouts: found.otherLayouts,
    listsLayouts: found.listsLayouts,
    leftAside: new Set<string>(),
  };
  const states = [...objects].map(([text, object], index) => {
    const forms = lists[index]!.map(toFormState);
    current.objects.set(text, { object, forms });
    return { text, object, forms };
  });
  const records = states.flatMap(({ text, object, forms }) => {
    const unread = wholeObjects.has(text) ? forms : formsToRead(subjectsOf.get(text) ?? [], forms, known);
    return recordReads(counted.service, object, unread);
  });
  counted.expect(records.length);
  await pMap(records, (read) => read(), { concurrency });
  const reads: Reads = [];
  for (const { text, object, forms } of states) {
    const matched = matchForms(subjectsOf.get(text) ?? [], forms, known);
    ambiguities.push(...matched.ambiguities);
    for (const [subject, form] of matched.matches) current.forms.set(subject.address, form);
    const everything = wholeObjects.has(text) ? forms : [];
    reads.push(...formReads(counted.service, object, { matches: matched.matches, everything, judge }));
  }
  const isPlanned = ({ address }: Ambiguity) => targets.length === 0 || targets.includes(address);
  if (ambiguities.some(isPlanned)) throw new AmbiguousNames(ambiguities.filter(isPlanned));
  for (const { ids } of ambiguities) for (const id of ids) current.leftAside.add(id);
  reads.push(...layoutReads(counted.service, layoutSubjects, current, withoutContent));
  counted.expect(reads.length);
  await pMap(reads, (read) => read(), { concurrency });
  return current;
}

type Reads = (() => Promise<unknown>)[];
/** While it is being read. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The forms of manifests. One that was renamed there is known by its layout, which another server may leave out of its list. */
function formsToRead(
  subjects: readonly FormSubject[],
  forms: readonly FormState[],
  known: KnownLayouts,
): readonly FormState[] {
  const names = new Set(forms.map(({ form }) => form.name));
  const named = subjects.filter(({ formId }) => formId === undefined);
  const wanted = new Set(named.flatMap(({ name, formerName = name }) => [name, formerName]));
  const isLost = ({ address, name, formerName = name }: FormSubject) =>
    known.has(address) && !names.has(name) && !names.has(formerName);
  return named.some(isLost) ? forms : forms.filter(({ form }) => wanted.has(form.name));
}

/** An item of a list is not the record: what it leaves out is read. */
function recordReads(service: Service, object: ObjectKey, forms: readonly Mutable<FormState>[]): Reads {
  return forms
    .filter(({ listed }) => !isWholeForm(listed))
    .map((state) => async () => (state.form = await wholeForm(service, object, state.listed)));
}

function matchForms(
  subjects: readonly FormSubject[],
  forms: readonly FormState[],
  known: KnownLayouts,
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

type FormReading = {
  matches: readonly [FormSubject, FormState][];
  /** Forms that are read whatever the manifests speak of. */
  everything: readonly FormState[];
  judge: Judge | undefined;
};

function formReads(service: Service, object: ObjectKey, { matches, everything, judge }: FormReading): Reads {
  const reads: Reads = [];
  const whole = new Set(everything);
  const subjectOfForm = new Map(matches.map(([subject, state]) => [state, subject]));
  for (const state of new Set([...subjectOfForm.keys(), ...everything]) as Set<Mutable<FormState>>) {
    const { form } = state;
    const subject = subjectOfForm.get(state);
    if (whole.has(state) || subject?.content) {
      reads.push(async () => {
        const content = await readContent(service, layoutIdOf(form), "DYNAMIC_OBJECT", subject?.fields);
        if (subject && !whole.has(state)) state.inPlace = judge?.(subject.address, content);
        if (!state.inPlace) state.content = content;
      });
    }
    if (whole.has(state) || (subject && needsAccess(subject, form))) {
      reads.push(async () => (state.access = await service.getFormAccess({ ...object, formId: form.id })));
    }
  }
  return reads;
}

/** A matrix that is empty on both sides needs no reading, and one that nobody manages only where modes go. */
export function needsAccess({ access, types, formId }: FormSubject, form: FormListedAnswer): boolean {
  if (formId !== undefined) return false;
  const isEmpty = form.directUserAccessCount === 0 && form.roleAccessCount === 0;
  if (access === "rows") return true;
  return !isEmpty && (access === "empty" || form.types.some((mode) => !types.includes(mode)));
}

function layoutReads(
  service: Service,
  subjects: readonly LayoutSubject[],
  current: { layouts: Map<string, LayoutState>; listsLayouts: boolean },
  withoutContent: ReadonlySet<string> = new Set(),
): Reads {
  return subjects.flatMap(({ address, surface, content, fields }) => {
    const state: Mutable<LayoutState> | undefined = current.layouts.get(address);
    // A layout that is only known by its id may be gone: its versions tell.
    if (!state || (!content && state.name !== undefined)) return [];
    return [
      async () => {
        try {
          state.content = await readContent(service, state.layoutId, surface, fields);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 404 || state.name !== undefined) throw error;
          // It may have no version yet: whoever writes one learns whether it is there, and makes no second layout.
          if (!current.listsLayouts && withoutContent.has(address)) state.content = untoldContent(state.layoutId);
          else current.layouts.delete(address);
        }
      },
    ];
  });
}

/** Without what has to be read of it beside the list. */
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
