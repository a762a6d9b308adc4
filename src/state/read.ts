/**
 * Reads the current state of all resources that manifests describe: complete lists, access and contents. The number of
 * concurrent requests is limited.
 */

import pMap from "p-map";
import { layoutIdOf, type Service, ServiceError } from "../service.ts";
import { sameContent, withoutStamp } from "../contents/compare.ts";
import { contentBase } from "./staged-changes.ts";
import { isOwnDraft } from "./stamp.ts";
import type { LayoutIds } from "./lock.ts";
import type { Wanted } from "../manifests/manifest.ts";
import { isRemembered, packBlocks, packContent } from "../contents/memory.ts";
import {
  type ContentState,
  type Current,
  type FormState,
  type FormSubject,
  type InPlace,
  type LayoutState,
  type LayoutSubject,
  type ObjectState,
  type Subject,
  subjectOf,
  surfaceOf,
  type VersionState,
  toFormState,
} from "./state.ts";
import type { FormList, NeededForms } from "./form-lists.ts";
import { matchForms, needsAccess, recordReads } from "./forms.ts";
import { findLayouts } from "./layouts.ts";
import { AmbiguousNames, type Ambiguity } from "./match.ts";
import { type Reader, withReader } from "./reader.ts";
import { hiddenContent } from "./versions.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

export type WantedOptions = {
  wanted: readonly Wanted[];
  known: LayoutIds;
  /** The addresses whose lock entry has a layout id but no content: see `layoutsWithoutContent`. */
  withoutContent?: ReadonlySet<string>;
  /** Objects whose forms are listed even if no manifest describes one of them. */
  objects?: readonly ObjectKey[];
  /** The objects with a complete read: all forms, with content and access, even without a manifest. */
  whole?: readonly ObjectKey[];
  /**
   * Restricts the lists of objects with many more forms than subjects. For such an object, only forms with the names of
   * the subjects are listed. If no form has the name of a subject, more forms are listed:
   *
   * - With a layout id of the subject in the lock: all forms, because a user may have renamed the form on the target.
   * - Otherwise: the forms with the names that this function returns. The manifest may rename one of these forms.
   *
   * Default: all forms are listed.
   */
  byName?: ((object: string) => Iterable<string>) | undefined;
  /**
   * Whether the plan publishes. The content of a form is then not kept in memory if the content already matches the
   * manifest.
   */
  publish?: boolean;
  /**
   * The planned addresses. If absent or empty, all addresses are planned. An ambiguous name is an error only for
   * planned addresses.
   */
  targets?: readonly string[];
};

export type CurrentOptions = WantedOptions & {
  service: Service;
  concurrency: number;
  onProgress?: (done: number, total: number) => void;
};

/**
 * Reads the current state of all manifests.
 *
 * @throws MissingObjects if an object does not exist
 * @throws AmbiguousNames if a planned manifest could mean several records
 * @throws LIST_INCOMPLETE if both reads of a list are incomplete
 * @throws the errors of the service
 */
export function readCurrent({ service, concurrency, onProgress, ...options }: CurrentOptions): Promise<Current> {
  return withReader(service, { concurrency, onProgress }, (reader) => readWanted(reader, options));
}

/** Like `readCurrent`, with a reader. What it has read before is not requested again. */
export function readWanted(reader: Reader, { wanted, publish = false, ...options }: WantedOptions): Promise<Current> {
  const manifests = new Map(wanted.map((each) => [each.address, each]));
  // Each content is compared right after its read. Meanwhile other requests are running.
  const judge = (address: string, content: ContentState) => findInPlace(manifests.get(address)!, content);
  return readSubjects(reader, { ...options, subjects: wanted.map(subjectOf), ...(publish && { judge }) });
}

/**
 * Returns the version ids and digests for the lock, if the published content certainly equals the manifest. Otherwise
 * steps may be needed, and the result is undefined. Two examples: the manifest stages field changes, or the version
 * does not report its modes.
 */
function findInPlace(wanted: Wanted, { published, draft }: ContentState): InPlace | undefined {
  if (!wanted.content || !wanted.publish || !published) return undefined;
  const modes = wanted.kind === "Form" ? wanted.types : wanted.supportedModes;
  if (!published.modes || modes.some((mode) => !published.modes!.includes(mode))) return undefined;
  const surface = surfaceOf(wanted);
  const content = withoutStamp(wanted.content);
  if (content.stagedFieldDefinitions.length > 0 || !sameContent(content, published.content)) return undefined;
  const isOwn = draft !== null && isOwnDraft(draft, surface);
  const base = contentBase(content, surface);
  return { version: published.id, draft: draft?.id ?? null, ...(isOwn && { isOwnDraft: isOwn }), base };
}

type Judge = (address: string, content: ContentState) => InPlace | undefined;
type Reads = (() => Promise<unknown>)[];
/** A state whose members are still being set. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Reads the current state of subjects. For the subjects of a plan, this function reads the same members as when the
 * plan was created. So the digest of the current state can be compared with the digest in the plan.
 */
export async function readSubjects(
  reader: Reader,
  {
    subjects,
    known,
    withoutContent = new Set(),
    objects: listed = [],
    whole = [],
    byName,
    judge,
    targets = [],
  }: Omit<WantedOptions, "wanted" | "publish"> & { subjects: readonly Subject[]; judge?: Judge },
): Promise<Current> {
  const { concurrency } = reader;
  const formSubjects = subjects.filter((subject) => subject.kind === "Form");
  const layoutSubjects = subjects.filter((subject) => subject.kind === "Layout");
  const objects = new Map(
    [...formSubjects.map(({ object }) => object), ...listed, ...whole].map((each) => [objectText(each), each]),
  );

  const subjectsOf = Map.groupBy(formSubjects, ({ object }) => objectText(object));
  const wholeObjects = new Set(whole.map(objectText));
  const lists = await listObjects(
    reader,
    [...objects].map(([text, object]) => ({
      object,
      subjects: subjectsOf.get(text) ?? [],
      isWhole: wholeObjects.has(text),
    })),
    { known, byName },
  );
  const found = await findLayouts(reader, layoutSubjects, known);
  const ambiguities = [...found.ambiguities];
  const current = {
    objects: new Map<string, ObjectState>(),
    forms: new Map<string, FormState>(),
    layouts: found.layouts,
    organizationDefaults: found.organizationDefaults,
    otherLayouts: found.otherLayouts,
    listsLayouts: found.listsLayouts,
    ambiguousIds: new Set<string>(),
  };
  const states = [...objects].map(([text, object], index) => {
    const forms = lists[index]!.forms.map(toFormState);
    current.objects.set(text, { object, forms });
    return { object, forms, subjects: subjectsOf.get(text) ?? [], isWhole: wholeObjects.has(text) };
  });
  const records = states.flatMap(({ object, forms, subjects: ofObject, isWhole }) =>
    recordReads(reader, object, forms, { subjects: ofObject, known, all: isWhole }),
  );
  reader.expect(records.length);
  await pMap(records, (read) => read(), { concurrency });

  const reads: Reads = [];
  for (const { object, forms, subjects: ofObject, isWhole } of states) {
    const matched = matchForms(ofObject, forms, known);
    ambiguities.push(...matched.ambiguities);
    for (const [subject, form] of matched.matches) current.forms.set(subject.address, form);
    const subjectOfForm = new Map(matched.matches.map(([subject, state]) => [state, subject]));
    const needed = isWhole ? new Set([...subjectOfForm.keys(), ...forms]) : subjectOfForm.keys();
    for (const state of needed)
      reads.push(...formReads(reader, object, state, { subject: subjectOfForm.get(state), isWhole, judge }));
  }
  const isPlanned = ({ address }: Ambiguity) => targets.length === 0 || targets.includes(address);
  if (ambiguities.some(isPlanned)) throw new AmbiguousNames(ambiguities.filter(isPlanned));
  for (const { ids } of ambiguities) for (const id of ids) current.ambiguousIds.add(id);
  reads.push(...layoutReads(reader, layoutSubjects, current, withoutContent));
  reader.expect(reads.length);
  await pMap(reads, (read) => read(), { concurrency });
  return current;
}

type NeededObject = { object: ObjectKey; subjects: readonly FormSubject[]; isWhole: boolean };

/**
 * Lists the forms of each object. With `CurrentOptions.byName`, lists only the forms that the subjects of the object
 * need. A subject (state.ts) is the form or layout that a manifest describes.
 */
async function listObjects(
  reader: Reader,
  objects: readonly NeededObject[],
  { known, byName }: Pick<WantedOptions, "known" | "byName">,
): Promise<readonly FormList[]> {
  const needed = objects.map(({ object, subjects, isWhole }) => ({
    object,
    names: byName && !isWhole ? namesOf(subjects) : undefined,
    defaults: subjects.some(({ defaultFor }) => defaultFor.length > 0),
  }));
  const lists = await reader.neededForms(needed);
  const again = objects.flatMap(({ object, subjects }, index): (NeededForms & { index: number })[] => {
    const { forms, isWhole } = lists[index]!;
    const found = new Set(forms.map(({ name }) => name));
    const missing = subjects.filter(({ name, formerName = name }) => !found.has(name) && !found.has(formerName));
    if (isWhole || missing.length === 0) return [];
    const { names = [], ...rest } = needed[index]!;
    if (missing.some(({ address }) => known.has(address))) return [{ ...rest, names: undefined, index }];
    const others = [...(byName?.(objectText(object)) ?? [])];
    return others.length === 0 ? [] : [{ ...rest, names: new Set([...names, ...others]), index }];
  });
  const larger = await reader.neededForms(again);
  const replaced = new Map(again.map(({ index }, position) => [index, larger[position]!]));
  return lists.map((list, index) => replaced.get(index) ?? list);
}

/** Returns the names and former names of subjects. Undefined without subjects: all forms are then needed. */
function namesOf(subjects: readonly FormSubject[]): ReadonlySet<string> | undefined {
  if (subjects.length === 0) return undefined;
  return new Set(subjects.flatMap(({ name, formerName = name }) => [name, formerName]));
}

/**
 * Returns the reads for the content and access of a form.
 *
 * @param options.isWhole whether content and access are read even if the manifest does not need them
 */
function formReads(
  reader: Reader,
  object: ObjectKey,
  state: Mutable<FormState>,
  { subject, isWhole, judge }: { subject: FormSubject | undefined; isWhole: boolean; judge: Judge | undefined },
): Reads {
  const { form } = state;
  const reads: Reads = [];
  if (isWhole || subject?.content) {
    reads.push(async () => {
      const content = await reader.takeContent(layoutIdOf(form), "DYNAMIC_OBJECT", subject?.fields);
      if (subject && !isWhole) state.inPlace = judge?.(subject.address, content);
      if (!state.inPlace) state.content = packState(content, reader, isWhole ? packBlocks : packContent);
    });
  }
  if (isWhole || (subject && needsAccess(subject, form))) {
    reads.push(async () => (state.access = await reader.access(object, form.id)));
  }
  return reads;
}

/**
 * Packs the contents of versions, so that the current state of many layouts needs little memory. A content for which a
 * migration remembers computed results (contents/memory.ts) is not packed. The content stays in memory anyway, and a
 * packed copy would lack the computed results.
 *
 * @param reader limits what the contents of a run need
 * @param pack how a content is packed. An export needs the order of its members
 * @throws what `reader.hold` throws
 */
export function packState(
  { published, draft, ...state }: ContentState,
  reader: Pick<Reader, "hold">,
  pack = packContent,
): ContentState {
  const packVersion = (version: VersionState | null) =>
    version && !isRemembered(version.content) ? { ...version, content: pack(version.content, reader.hold) } : version;
  return { ...state, published: packVersion(published), draft: packVersion(draft) };
}

function layoutReads(
  reader: Reader,
  subjects: readonly LayoutSubject[],
  current: { layouts: Map<string, LayoutState>; listsLayouts: boolean },
  withoutContent: ReadonlySet<string>,
): Reads {
  return subjects.flatMap(({ address, surface, content, fields }) => {
    const state: Mutable<LayoutState> | undefined = current.layouts.get(address);
    // A state without a name means that the server does not show the layout. The id of the layout is then from the
    // lock. Only the versions of the layout show whether the layout still exists. So the versions are read even if the
    // manifest does not manage the content.
    if (!state || (!content && state.name !== undefined)) return [];
    return [
      async () => {
        try {
          state.content = packState(await reader.takeContent(state.layoutId, surface, fields), reader);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 404 || state.name !== undefined) throw error;
          // The layout has no version. If its lock entry has no digest of a content, the layout may still exist. If the
          // server does not list layouts either, such a layout counts as existing, and apply updates the layout. If the
          // layout is missing, the update only fails. A creation would create an existing layout a second time.
          if (!current.listsLayouts && withoutContent.has(address)) state.content = hiddenContent(state.layoutId);
          else current.layouts.delete(address);
        }
      },
    ];
  });
}
