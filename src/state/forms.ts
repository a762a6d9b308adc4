/** Finds the form of each manifest among the listed forms, and decides what has to be read of it. */

import { isWholeForm } from "../lists/forms.ts";
import type { FormListedAnswer } from "../schemas/answers.ts";
import type { LayoutIds } from "./lock.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { type FormState, type FormSubject, subjectOf } from "./state.ts";
import { type Ambiguity, matchNames } from "./match.ts";
import type { Reader } from "./reader.ts";
import type { ObjectKey } from "../lists/addresses.ts";

/**
 * Returns the id of the version that all modes of a listed form show. Undefined if the modes show no version or several
 * versions.
 */
export function shownVersion({ types, layoutAvailability }: FormListedAnswer): string | undefined {
  const versions = new Set(types.map((mode) => layoutAvailability?.[mode]?.versionId));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

/**
 * Returns the reads for members that the list of forms omits. If `all` is false, reads only the forms that manifests
 * name. But if a form of a manifest may have been renamed on the target, all forms are read. Only the layout id in the
 * lock identifies a renamed form.
 */
export function recordReads(
  reader: Pick<Reader, "form">,
  object: ObjectKey,
  forms: readonly { -readonly [K in keyof FormState]: FormState[K] }[],
  { subjects, known, all }: { subjects: readonly FormSubject[]; known: LayoutIds; all: boolean },
): (() => Promise<void>)[] {
  const listed = new Set(forms.map(({ form }) => form.name));
  const wanted = new Set(subjects.flatMap(({ name, formerName = name }) => [name, formerName]));
  const isRenamed = ({ address, name, formerName = name }: FormSubject) =>
    known.has(address) && !listed.has(name) && !listed.has(formerName);
  const needed = all || subjects.some(isRenamed) ? forms : forms.filter(({ form }) => wanted.has(form.name));
  return needed
    .filter((state) => !isWholeForm(state.listed))
    .map((state) => async () => {
      state.form = await reader.form(object, state.listed);
    });
}

/** Returns the form of each subject. Subjects whose form does not exist are not in `matches`. */
export function matchForms(
  subjects: readonly FormSubject[],
  forms: readonly FormState[],
  known: LayoutIds,
): { matches: [FormSubject, FormState][]; ambiguities: readonly Ambiguity[] } {
  const byId = new Map(forms.map((state) => [state.form.id, state]));
  const { matches, ambiguities } = matchNames(
    subjects.map((subject) => ({ ...subject, layoutId: known.get(subject.address) })),
    forms.map(({ form: { id, name, viewLayoutId } }) => ({ id, name, layoutId: viewLayoutId })),
  );
  return {
    matches: subjects.flatMap((subject): [FormSubject, FormState][] => {
      const state = byId.get(matches.get(subject.address)?.id ?? "");
      return state ? [[subject, state]] : [];
    }),
    ambiguities,
  };
}

/**
 * Whether the access of a form has to be read:
 *
 * - The manifest has rows of access.
 * - The manifest requires empty access, and the current access is not empty.
 * - The plan removes modes, and the current access is not empty.
 */
export function needsAccess({ access, types }: FormSubject, form: FormListedAnswer): boolean {
  const isEmpty = form.directUserAccessCount === 0 && form.roleAccessCount === 0;
  if (access === "rows") return true;
  return !isEmpty && (access === "empty" || form.types.some((mode) => !types.includes(mode)));
}

/**
 * Requests what a plan probably reads of the form of a manifest, while other manifests are still being read: the list of
 * forms, and the access. Ignores manifests of layouts. Contents are not requested early: they are large, and would stay
 * in memory until the comparison.
 */
export function readEarly(reader: Pick<Reader, "access" | "onListed">, manifest: Manifest): void {
  if (manifest.kind !== "Form") return;
  const { object, name } = manifest;
  reader.onListed(object, name, (form) => {
    if (needsAccess(subjectOf(manifest), form)) void reader.access(object, form.id);
  });
}
