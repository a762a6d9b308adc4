/**
 * The record of migrations in the draft of a layout of the organization. A draft is the only data of a server that
 * clients can replace by compare-and-swap. The layout is never published, so no user sees it.
 */

import pMap from "p-map";
import { FormctlError, hasCode } from "../base/error.ts";
import { sha256 } from "../base/sha256.ts";
import { isMigrationRecord, isOrganizationLayout, listAllLayouts, MIGRATION_RECORD } from "../lists/layouts.ts";
import { draftAmong, latestAmong, shownContent } from "../lists/versions.ts";
import type { LayoutAnswer, VersionAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { quoted } from "../base/shell-quote.ts";
import { readBack, type Service, ServiceError, unlessMissing } from "../service.ts";
import type { MigrationEntry, MigrationRecord, RecordState } from "./record.ts";
import { EMPTY_RECORD, readRecordContent, recordContent } from "./record-content.ts";
import { lostRecord, recordChanged } from "./record-entries.ts";

/** Thrown if the server can't hold the record in a layout. At this time, nothing is recorded yet. */
export class LayoutRecordRefused extends Error {
  override readonly name = "LayoutRecordRefused";
}

export type LayoutRecordOptions = {
  service: Service;
  newMutationId: () => string;
  sleep: (milliseconds: number) => Promise<void>;
};

/**
 * A layout with the name of the record. `record` is undefined if the layout's draft is empty or missing. `isEmptied`: it
 * is not as it was created, so it contained a record, or another user changed it.
 */
type Candidate = {
  layout: LayoutAnswer;
  draftId: string | null;
  isEmptied: boolean;
  record: { entries: MigrationEntry[]; write: string; isNew: boolean } | undefined;
};
/** A layout whose draft contains a record. */
type Recorded = Candidate & { draftId: string; record: NonNullable<Candidate["record"]> };

/** Maximum number of concurrent requests for layouts whose names the list omits. */
const LAYOUTS_AT_ONCE = 8;
/**
 * The maximum number of attempts to create the layout. Each attempt sends another id. If a layout that is now archived
 * was created with the same id, the server only replays the stored response, and creates no layout.
 */
const CREATIONS = 5;

export type LayoutRecord = MigrationRecord & {
  /** Returns the id of the layout that contains the record. Undefined before a record is read or written. */
  layoutId(): string | undefined;
  /**
   * Searches for a record that another user renamed, emptied or archived.
   *
   * @param former the id of the layout that contained the record; undefined if it is unknown
   * @param found the id of the layout that now contains the record; undefined if there is none
   * @returns MIGRATION_RECORD_LOST with the way to restore the record; undefined if there is no trace of a lost record
   */
  findLost(ids: { former: string | undefined; found: string | undefined }): Promise<FormctlError | undefined>;
  /** Begins a new record, whatever the traces of a former one. */
  renew(): Promise<void>;
};

/**
 * Opens the record. Its revision is the id of the draft.
 *
 * `read` and `write` throw LayoutRecordRefused if the server does not list layouts, does not accept the layout, or
 * ignores `expectedDraftVersionId`. They throw MIGRATION_RECORD_AMBIGUOUS if several layouts contain a record.
 */
export function layoutRecord(options: LayoutRecordOptions): LayoutRecord {
  const { service, newMutationId, sleep } = options;
  /** The layout that contains the record, once it is known. */
  let layoutId: string | undefined;
  /** Whether a new record is begun although a former one is missing. */
  let isRenewed = false;
  /** Whether the record is marked as new: see MigrationRecord. */
  let isMarked = false;

  const record: LayoutRecord = {
    get where() {
      return layoutId === undefined ? `the layout "${MIGRATION_RECORD.name}"` : layoutText(layoutId);
    },
    async read(): Promise<RecordState> {
      const found = await find();
      return found ? { entries: found.record.entries, revision: found.draftId } : NO_RECORD;
    },
    async write(entries, revision) {
      if (revision !== null) {
        if (layoutId === undefined && !(await find())) throw recordChanged(record);
        return save(layoutId!, entries, revision);
      }
      const empty = await establish();
      if (!empty) throw recordChanged(record);
      const written = await save(empty.id, entries, empty.draftId);
      await withdrawIfTwice(empty.id, written);
      layoutId = empty.id;
      return written;
    },
    layoutId: () => layoutId,
    get isNew() {
      return layoutId === undefined || isMarked;
    },
    setNew(marked) {
      isMarked = marked;
    },
    async findLost({ former, found }) {
      if (former === undefined) {
        if (found !== undefined) return undefined;
        const emptied = (await readCandidates(service)).find(({ isEmptied }) => isEmptied);
        const trace = emptied ?? (await readOthers(service)).find(isRecorded);
        return trace && lostIn(trace.layout.id, trace);
      }
      const now = await unlessMissing(() => readCandidate(service, { id: former }));
      // If the former layout contains no record, the token may be that of another organization of the server.
      return found === undefined || now?.record ? lostIn(former, now) : undefined;
    },
    async renew() {
      isRenewed = true;
      isMarked = false;
      await record.write([], null);
    },
  };
  return record;

  /** Finds the layout that contains a record, and remembers it. */
  async function find(): Promise<Recorded | undefined> {
    if (layoutId !== undefined) {
      const id = layoutId;
      const known = await unlessMissing(() => readCandidate(service, { id }));
      if (known && isRecorded(known)) return remembered(known);
    }
    const found = (await readCandidates(service)).filter(isRecorded);
    if (found.length > 1) throw ambiguous(found);
    return remembered(found[0]);
  }

  function remembered(found: Recorded | undefined): Recorded | undefined {
    layoutId = found?.layout.id;
    isMarked = found?.record.isNew ?? false;
    return found;
  }

  /**
   * Creates the layout if there is none. Also checks that the server compares drafts. A server that ignores
   * `expectedDraftVersionId` would let two processes run one migration.
   *
   * @returns the ids of the layout and of its empty draft; undefined if another process is writing the record
   */
  async function establish(): Promise<{ id: string; draftId: string } | undefined> {
    let candidates = await readCandidates(service);
    if (candidates.length === 0) candidates = await create();
    if (candidates.some(isRecorded)) return undefined;
    const oldest = candidates.toSorted(oldestFirst)[0]!;
    const first = oldest.draftId === null ? await createDraft(oldest) : oldest;
    if (isRecorded(first)) return undefined;
    const { id } = first.layout;
    const former = first.draftId!;
    const draftId = await compareAndSave(id, EMPTY_RECORD, former);
    if (draftId === undefined) return undefined;
    // The former draft is now outdated. A server that compares drafts refuses this write.
    const isCompared = draftId !== former && (await compareAndSave(id, EMPTY_RECORD, former)) === undefined;
    if (!isCompared) throw new LayoutRecordRefused("it does not compare drafts (expectedDraftVersionId)");
    return { id, draftId };
  }

  async function create(): Promise<Candidate[]> {
    for (let time = 1; time <= CREATIONS; time++) {
      let unclear: unknown;
      let created: LayoutAnswer | undefined;
      try {
        // Concurrent processes send the same id, and get the same layout.
        created = await service.createLayout(
          { body: { ...NEW_LAYOUT, clientMutationId: `formctl-migrations-${time}` } },
          { isOnce: true, mayOmit: ["clientMutationId"] },
        );
      } catch (error) {
        if (isRefusal(error)) throw new LayoutRecordRefused(`it refuses the layout (${error.message})`);
        // If the outcome is unknown, the list shows whether the layout was created.
        if (!hasCode(error, "OUTCOME_UNKNOWN", "NOT_CONFIRMED")) throw error;
        unclear = error;
      }
      const candidates = await readCandidates(service, sleep);
      if (candidates.length > 0) return candidates;
      if (unclear !== undefined) throw unclear;
      // The server returned its stored response: the layout was created before, and is no longer found.
      if (created && !isRenewed) throw lostIn(created.id, await unlessMissing(() => readCandidate(service, created)));
    }
    throw new LayoutRecordRefused("it does not list a layout that it created");
  }

  /** Creates the first draft, for servers that create layouts without a draft. Returns the layout with its draft. */
  async function createDraft({ layout }: Candidate): Promise<Candidate> {
    // Concurrent processes send the same id. So the request of the last process does not replace a record that another
    // process has already written. All processes continue with the current draft.
    const clientMutationId = `formctl-migrations-${sha256(layout.id)}`;
    await refusable(() => service.saveDraft({ layoutId: layout.id, body: { clientMutationId, ...EMPTY_RECORD } }));
    const shown = await readBack(() => unlessMissing(() => readCandidate(service, layout)), sleep);
    const created = shown ?? (await readCandidate(service, layout));
    if (created.draftId !== null) return created;
    throw new LayoutRecordRefused("it does not show drafts");
  }

  /** Saves the content if the draft has not changed. Returns the id of the new draft; undefined if it has changed. */
  async function compareAndSave(id: string, content: DraftContent, expected: string): Promise<string | undefined> {
    try {
      return await refusable(() => saveDraft(id, content, { expectedDraftVersionId: expected }));
    } catch (error) {
      if (isConflict(error)) return undefined;
      throw error;
    }
  }

  async function saveDraft(
    id: string,
    content: DraftContent,
    expected: { expectedDraftVersionId: string },
  ): Promise<string> {
    const body = { clientMutationId: newMutationId(), ...content, ...expected };
    return (await service.saveDraft({ layoutId: id, body })).draftVersionId;
  }

  /**
   * Writes the entries. The answer may be lost, or a retry may be refused after a successful first attempt. In both
   * cases, the draft shows whether the entries were written.
   */
  async function save(id: string, entries: readonly MigrationEntry[], revision: string): Promise<string> {
    const write = newMutationId();
    try {
      return await saveDraft(id, recordContent(entries, write, isMarked), {
        expectedDraftVersionId: revision,
      });
    } catch (error) {
      if (isRefusal(error) && !isConflict(error)) throw error;
      const now = await readCandidate(service, { id }).catch(() => undefined);
      if (now && now.draftId !== null && now.record?.write === write) return now.draftId;
      throw isConflict(error) ? recordChanged(record) : error;
    }
  }

  /**
   * Not every server recognizes a repeated creation. Two processes may therefore have created a layout each. A process
   * that sees both records empties its own record and fails. At most one process continues.
   */
  async function withdrawIfTwice(id: string, revision: string): Promise<void> {
    const found = (await readCandidates(service)).filter(isRecorded);
    if (found.every(({ layout }) => layout.id === id)) return;
    await compareAndSave(id, EMPTY_RECORD, revision);
    throw recordChanged(record);
  }
}

/** Returns the error for a record that was in a layout. @param now the layout; undefined if it no longer exists */
function lostIn(id: string, now: Candidate | undefined): FormctlError {
  if (!now) return lostRecord(`the layout ${id}, which contained it, was archived or deleted`);
  if (!now.record) {
    const restore = `If the server has its former draft, restore it: formctl layouts versions list ${id}`;
    return lostRecord(`the layout ${id}, which contained it, was emptied`, restore);
  }
  const restore = `Rename the layout: formctl layouts update ${id} --name ${quoted(MIGRATION_RECORD.name)}`;
  return lostRecord(`the layout ${id}, which contains it, was renamed`, restore);
}

const NO_RECORD: RecordState = { entries: [], revision: null };

const NEW_LAYOUT = { ...MIGRATION_RECORD, supportedModes: ["VIEW" as const], target: {} };

/**
 * Reads the layouts with the name of the record.
 *
 * @param sleep is present after a creation: a server may show the versions of a new layout late
 * @throws LayoutRecordRefused if the server does not list layouts, or does not show their contents
 */
async function readCandidates(service: Service, sleep?: LayoutRecordOptions["sleep"]): Promise<Candidate[]> {
  const named = (await listOnSurface(service)).filter(isMigrationRecord);
  return Promise.all(named.map((layout) => readListed(service, layout, sleep)));
}

/** Reads a listed layout. Some servers answer 404 for the versions of a layout that has none. */
async function readListed(
  service: Service,
  layout: LayoutAnswer,
  sleep?: LayoutRecordOptions["sleep"],
): Promise<Candidate> {
  const read = () => unlessMissing(() => readCandidate(service, layout));
  try {
    const known = await (sleep ? readBack(read, sleep) : read());
    return known ?? { layout, draftId: null, isEmptied: false, record: undefined };
  } catch (error) {
    if (!hasCode(error, "NOT_SHOWN")) throw error;
    throw new LayoutRecordRefused("it does not show the content of drafts");
  }
}

/** Reads the other layouts of the surface that were never published. One of them may be the renamed record. */
async function readOthers(service: Service): Promise<Candidate[]> {
  const layouts = (await listOnSurface(service)).filter(
    (layout) => !isMigrationRecord(layout) && layout.currentVersionId == null,
  );
  const read = (layout: LayoutAnswer) => readCandidate(service, layout).catch(() => undefined);
  const found = await pMap(layouts, read, { concurrency: LAYOUTS_AT_ONCE });
  return found.filter((each) => each !== undefined);
}

async function listOnSurface(service: Service): Promise<LayoutAnswer[]> {
  const layouts = await listAllLayouts(service, new Set([MIGRATION_RECORD.surface]));
  if (!layouts) throw new LayoutRecordRefused("it does not list layouts");
  return layouts.filter(isOrganizationLayout);
}

async function readCandidate(service: Service, layout: LayoutAnswer): Promise<Candidate> {
  const { id: layoutId } = layout;
  const where = layoutText(layoutId);
  const versions = await service.listVersions({ layoutId });
  const recordIn = async (version: VersionAnswer | undefined) =>
    version && readRecordContent(await shownContent(service, layoutId, version), where);
  const draft = draftAmong(versions) ?? versions.find(({ id }) => id === layout.latestDraftVersionId);
  const record = await recordIn(draft);
  // If a user published the layout, its draft no longer contains the record. Without this check, all migrations would
  // run again.
  if (!record && (await recordIn(latestAmong(versions)))) {
    throw new FormctlError(
      "MIGRATION_RECORD_DAMAGED",
      `${where} was published, so its draft no longer contains the record of migrations`,
      `Restore the draft: formctl layouts versions restore ${layoutId} latest`,
    );
  }
  return { layout, draftId: draft?.id ?? null, record, isEmptied: !record && !isNew(layout, versions) };
}

/** Clocks of servers and rounded times may make the draft of a new layout some seconds younger than the layout. */
const SAME_TIME_MS = 60_000;

/** Whether a layout has only the draft of its creation. Each save makes another draft. True if the times are unknown. */
function isNew({ createdAt }: LayoutAnswer, versions: readonly VersionAnswer[]): boolean {
  const [only] = versions;
  if (!only || versions.length > 1) return versions.length === 0;
  const age = Date.parse(only.createdAt ?? "") - Date.parse(createdAt ?? "");
  return !(age > SAME_TIME_MS);
}

function layoutText(layoutId: string): string {
  return `the layout "${MIGRATION_RECORD.name}" (${layoutId})`;
}

function isRecorded(candidate: Candidate): candidate is Recorded {
  return candidate.record !== undefined;
}

/**
 * Compares layouts by the time of their creation. If several layouts without a record exist, all processes choose the
 * same layout.
 */
function oldestFirst({ layout: a }: Candidate, { layout: b }: Candidate): number {
  return Date.parse(a.createdAt ?? "") - Date.parse(b.createdAt ?? "") || (a.id < b.id ? -1 : 1);
}

/** Calls `send`, which saves a draft. @throws LayoutRecordRefused if the server refuses the draft */
async function refusable<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    // The status 404 means that another user archived the layout.
    if (isRefusal(error) && !isConflict(error) && error.status !== 404)
      throw new LayoutRecordRefused(`it refuses the draft (${error.message})`);
    throw error;
  }
}

/** The statuses with which a server refuses a request. 409 and 412 can also be conflicts, see `isConflict`. */
const REFUSED = new Set([400, 404, 405, 409, 412, 422, 501]);

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && REFUSED.has(error.status);
}

function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 409 || error.status === 412);
}

function ambiguous(found: readonly Recorded[]): FormctlError {
  const ids = found.map(({ layout }) => layout.id);
  return new FormctlError(
    "MIGRATION_RECORD_AMBIGUOUS",
    `several layouts contain a record of migrations: ${ids.join(", ")}`,
    `Compare them: formctl layouts draft show ID. Then archive all but one: formctl layouts archive ${ids.at(-1)}`,
  );
}
