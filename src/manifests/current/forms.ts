/** Finds the form of each manifest among the listed forms. */

import { isWholeForm, wholeForm } from "../../lists/forms.ts";
import type { FormListedAnswer } from "../../schemas/answers.ts";
import { DEFAULT_FLAG, type Mode, MODES } from "../../schemas/words.ts";
import type { Service } from "../../service.ts";
import type { LayoutIds } from "../lock.ts";
import type { ObjectKey } from "../manifest.ts";
import type { FormState } from "../state.ts";
import type { FormSubject } from "../subject.ts";
import { matchNames } from "./match.ts";
import type { Ambiguity } from "./read-errors.ts";

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

/** Returns the id of the version that all modes of a listed form show. Undefined if they show none or several. */
export function shownVersion({ types, layoutAvailability }: FormListedAnswer): string | undefined {
  const versions = new Set(types.map((mode) => layoutAvailability?.[mode]?.versionId));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

/**
 * Returns the default forms by mode. A mode without a default, or whose default the server does not show, is absent.
 */
export function holdersOf(forms: readonly FormState[]): Map<Mode, FormState> {
  const holders = new Map<Mode, FormState>();
  for (const state of forms) for (const mode of state.defaultFor ?? []) holders.set(mode, state);
  return holders;
}

/**
 * Returns the reads for members that the list of forms omits. If `all` is false, only forms that manifests name are
 * read. Exception: if the form of a manifest may have been renamed on the target, all forms are read, because only the
 * layout id in the lock identifies it.
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
 * Whether the access of a form has to be read. It is not read for a form that no manifest describes, or if the desired
 * and the current access are both empty. If the manifest does not manage access, it is read only if the plan removes
 * modes and the current access is not empty.
 */
export function needsAccess({ access, types, formId }: FormSubject, form: FormListedAnswer): boolean {
  if (formId !== undefined) return false;
  const isEmpty = form.directUserAccessCount === 0 && form.roleAccessCount === 0;
  if (access === "rows") return true;
  return !isEmpty && (access === "empty" || form.types.some((mode) => !types.includes(mode)));
}
