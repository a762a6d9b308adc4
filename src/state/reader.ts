/**
 * Reads a target for one run of a command. Each list, record and content is requested once, and shared by all callers.
 * A caller that does not await an answer has it requested early. After writes, a new reader is opened, because a reader
 * does not notice changes.
 */

import pMap from "p-map";
import { FormctlError } from "../base/error.ts";
import { wholeForm } from "../lists/forms.ts";
import { listAllLayouts, wholeLayout } from "../lists/layouts.ts";
import { wholeVersion } from "../lists/versions.ts";
import type { AccessAnswer, FormListedAnswer, LayoutAnswer } from "../schemas/answers.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Surface } from "../schemas/layout.ts";
import type { Input } from "../schemas/operations.ts";
import { readLayout, type Service, ServiceError } from "../service.ts";
import { limitConcurrency } from "./limited-service.ts";
import type { ContentState } from "./state.ts";
import {
  type FormList,
  type FormPage,
  isShorterByName,
  listByName,
  listWhole,
  type NeededForms,
  requestPage,
} from "./form-lists.ts";
import { readContent, shownContentOf } from "./versions.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

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

/**
 * Reads a target. An answer and an error are remembered, also for a caller that awaits them later. Every method throws
 * the errors of the service.
 */
export type Reader = {
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  /**
   * Lists all forms of each object, in the order of the objects.
   *
   * @throws MissingObjects with all missing objects; LIST_INCOMPLETE if two reads of a list are incomplete
   */
  forms(objects: readonly ObjectKey[]): Promise<FormListedAnswer[][]>;
  /**
   * Lists the needed forms of each object, in the order of the objects. The first page may show that an object has many
   * more forms than needed. The needed forms are then requested by name. Otherwise all forms are listed, also if the
   * server does not filter by names.
   *
   * @throws the errors of `forms`
   */
  neededForms(needed: readonly NeededForms[]): Promise<FormList[]>;
  /**
   * Lists the forms of an object early, and calls back as soon as a page shows a form with the name. Requests the first
   * page. Requests the other pages, unless the names of all calls can be listed with fewer requests.
   */
  onListed(object: ObjectKey, name: string, found: (form: FormListedAnswer) => void): void;
  /** Returns a listed form with all members of its record. */
  form(object: ObjectKey, listed: FormListedAnswer): Promise<FormListedAnswer>;
  access(object: ObjectKey, formId: string): Promise<AccessAnswer>;
  /** Lists the layouts of surfaces. Default: all surfaces. Undefined if the server does not list layouts. */
  layouts(surfaces?: ReadonlySet<string>): Promise<readonly LayoutAnswer[] | undefined>;
  /** Returns a layout. Undefined if the server does not show it. */
  layout(layoutId: string): Promise<LayoutAnswer | undefined>;
  /** Returns a listed layout with all members that a plan compares. */
  wholeLayout(listed: LayoutAnswer): Promise<LayoutAnswer>;
  /** Reads the content of a layout, as described at `readContent`. */
  content(layoutId: string, surface: Surface, fields?: readonly string[]): Promise<ContentState>;
  /** Like `content`, for the last read of a content in a run: the reader then forgets the versions of the layout. */
  takeContent: Reader["content"];
  /** Returns the content that a version shows. Undefined if the layout does not have the version. */
  contentOf(layoutId: string, versionId: string | null, surface: Surface): Promise<DraftContent | undefined>;
  /** Requests the versions of layouts early. @returns a function that ends the requests */
  readAhead(layoutIds: readonly string[]): () => void;
  /** Forgets the versions of a layout, which need much memory. */
  forgetContent(layoutId: string): void;
  /**
   * Adds a content that the run keeps.
   *
   * @param bytes its size as it is kept
   * @throws ANSWER_TOO_LARGE if the contents of the run need too much memory
   */
  hold(this: void, bytes: number): void;
  /** Reports the number of answered reads from now on, and the number of reads that are known so far. */
  report(onProgress: OnProgress | undefined): void;
  /** Adds future reads to the reported total. */
  expect(reads: number): void;
  /** Sends no more requests. Waiting and later reads fail. */
  stop(): void;
};

type OnProgress = (done: number, total: number) => void;

export type ReaderOptions = { concurrency: number };

/** The maximum size in bytes of the contents that a run keeps. A thousand layouts of 100 KB need about 10 MB. */
const MAX_HELD = 96 * 1024 * 1024;

/** The lists of an object so far. */
type ObjectLists = {
  first: Promise<FormPage> | undefined;
  all: Promise<FormListedAnswer[]> | undefined;
  /** The listed forms by name. */
  listed: Map<string, FormListedAnswer>;
  /** Called when a form with the name is listed. */
  waiting: Map<string, (form: FormListedAnswer) => void>;
  /** The number of calls of `onListed`. */
  sought: number;
};

/** @param open returns the service. Called before the first request */
export function openReader(open: () => Service | Promise<Service>, { concurrency }: ReaderOptions): Reader {
  const limited = limitConcurrency(concurrency);
  let service: Service | Promise<Service> | undefined;
  let isStopped = false;
  let held = 0;
  let counter = createCounter(undefined);
  const objects = new Map<string, ObjectLists>();
  const layoutLists = new Map<string, Promise<LayoutAnswer[] | undefined>>();
  const records = new Map<string, Promise<unknown>>();
  const versions = new Map<string, Map<string, Promise<unknown>>>();

  /** Sends a request when its turn comes. */
  async function request<T>(ask: (opened: Service) => Promise<T>): Promise<T> {
    return limited(async () => {
      const opened = await (service ??= open());
      if (isStopped) throw new Error("stopped");
      return ask(opened);
    });
  }

  const lists: Pick<Service, "listForms" | "listLayouts"> = {
    listForms: (input) => counter.count(() => request((opened) => opened.listForms(input))),
    listLayouts: (input) => counter.count(() => request((opened) => opened.listLayouts(input))),
  };
  const versionsOf = (layoutId: string) => getOrSet(versions, layoutId, () => new Map<string, Promise<unknown>>());
  const remembered = {
    getForm: (input: Input<"getForm">) => record(`form ${input.formId}`, (opened) => opened.getForm(input)),
    getFormAccess: (input: Input<"getFormAccess">) =>
      record(`access ${input.formId}`, (opened) => opened.getFormAccess(input)),
    getLayout: (input: Input<"getLayout">) => record(`layout ${input.layoutId}`, (opened) => opened.getLayout(input)),
    listVersions: (input: Input<"listVersions">) =>
      record("", (opened) => opened.listVersions(input), versionsOf(input.layoutId)),
    getVersion: (input: Input<"getVersion">) =>
      record(input.versionId, (opened) => opened.getVersion(input), versionsOf(input.layoutId)),
  };

  function record<T>(key: string, ask: (opened: Service) => Promise<T>, known = records): Promise<T> {
    return kept(counter.count(() => remember(known as Map<string, Promise<T>>, key, () => request(ask))));
  }

  function listsOf(object: ObjectKey): ObjectLists {
    return getOrSet(objects, objectText(object), () => ({
      first: undefined,
      all: undefined,
      listed: new Map(),
      waiting: new Map(),
      sought: 0,
    }));
  }

  async function page(object: ObjectKey, number: number): Promise<FormPage> {
    const answer = await requestPage(lists, object, number);
    const { listed, waiting } = listsOf(object);
    for (const form of answer.items) {
      listed.set(form.name, form);
      waiting.get(form.name)?.(form);
      waiting.delete(form.name);
    }
    return answer;
  }

  function firstPage(object: ObjectKey): Promise<FormPage> {
    return (listsOf(object).first ??= kept(page(object, 1)));
  }

  async function firstPages(all: readonly ObjectKey[]): Promise<void> {
    const missing: ObjectKey[] = [];
    const read = async (object: ObjectKey) => {
      try {
        await firstPage(object);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 404) throw error;
        missing.push(object);
      }
    };
    await pMap(all, read, { concurrency });
    if (missing.length > 0) throw new MissingObjects(all.filter((object) => missing.includes(object)));
  }

  function allForms(object: ObjectKey): Promise<FormListedAnswer[]> {
    const read = async () =>
      listWhole(object, (number) => page(object, number), { first: await firstPage(object), concurrency });
    return (listsOf(object).all ??= kept(read()));
  }

  async function listNeeded({ object, names, defaults }: NeededForms): Promise<FormList> {
    const first = await firstPage(object);
    const named =
      names && isShorterByName(first, names.size)
        ? await listByName(lists, { object, names, defaults }, { first, concurrency })
        : undefined;
    return named ? { forms: named, isWhole: false } : { forms: await allForms(object), isWhole: true };
  }

  async function listOthers(object: ObjectKey): Promise<void> {
    const first = await firstPage(object);
    if (!isShorterByName(first, listsOf(object).sought)) await allForms(object);
  }

  const content: Reader["content"] = (layoutId, ...options) => readContent(remembered, layoutId, ...options);
  const forgetContent = (layoutId: string) => void versions.delete(layoutId);

  return {
    concurrency,
    async forms(all) {
      await firstPages(all);
      return pMap(all, allForms, { concurrency });
    },
    async neededForms(needed) {
      await firstPages(needed.map(({ object }) => object));
      return pMap(needed, listNeeded, { concurrency });
    },
    onListed(object, name, found) {
      const known = listsOf(object);
      known.sought++;
      const form = known.listed.get(name);
      if (form) found(form);
      else known.waiting.set(name, found);
      void kept(listOthers(object));
    },
    form: (object, listed) => wholeForm(remembered, object, listed),
    access: ({ moduleKey, objectKey }, formId) => remembered.getFormAccess({ moduleKey, objectKey, formId }),
    async layouts(surfaces) {
      const all = layoutLists.get("");
      const isWanted = ({ surface }: LayoutAnswer) => !surfaces || surface === undefined || surfaces.has(surface);
      if (all) return (await all)?.filter(isWanted);
      const key = [...(surfaces ?? [])].sort().join();
      return remember(layoutLists, key, () => listAllLayouts({ ...lists, ...remembered }, surfaces, concurrency));
    },
    layout: (layoutId) => readLayout(remembered, layoutId),
    wholeLayout: (listed) => wholeLayout(remembered, listed),
    content,
    takeContent: (layoutId, ...options) => content(layoutId, ...options).finally(() => forgetContent(layoutId)),
    hold(bytes) {
      held += bytes;
      if (held <= MAX_HELD) return;
      const message = `the contents of the target need more than ${MAX_HELD / 2 ** 20} MiB of memory`;
      throw new FormctlError("ANSWER_TOO_LARGE", message, "Name fewer forms, layouts or manifests in one command.");
    },
    async contentOf(layoutId, versionId, surface) {
      const listed = (await remembered.listVersions({ layoutId })).find(({ id }) => id === versionId);
      return listed && shownContentOf(await wholeVersion(remembered, layoutId, listed), surface);
    },
    readAhead(layoutIds) {
      let hasEnded = false;
      const read = async (layoutId: string) => {
        if (!hasEnded) await remembered.listVersions({ layoutId }).catch(() => undefined);
      };
      // A few at a time, so that other requests do not wait for all of them.
      void pMap(layoutIds, read, { concurrency });
      return () => void (hasEnded = true);
    },
    forgetContent,
    report: (onProgress) => void (counter = createCounter(onProgress)),
    expect: (reads) => counter.expect(reads),
    stop: () => void (isStopped = true),
  };
}

/**
 * Opens a reader for one task. After the task, no more requests are sent.
 *
 * @throws what the task throws
 */
export async function withReader<T>(
  service: Service,
  { onProgress, ...options }: ReaderOptions & { onProgress?: OnProgress | undefined },
  task: (reader: Reader) => Promise<T>,
): Promise<T> {
  const reader = openReader(() => service, options);
  reader.report(onProgress);
  try {
    return await task(reader);
  } finally {
    reader.stop();
  }
}

/** Returns a promise whose error is no failure of the program, if no caller awaits the promise. */
function kept<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}

function remember<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  return getOrSet(known, key, () => kept(read()));
}

function getOrSet<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** Counts reads, also those that are answered from memory. */
function createCounter(onProgress: OnProgress | undefined) {
  let done = 0;
  let total = 0;
  let expected = 0;
  return {
    async count<T>(read: () => Promise<T>): Promise<T> {
      // The total already includes expected reads.
      if (expected > 0) expected--;
      else total++;
      const answer = await read();
      onProgress?.(++done, total);
      return answer;
    },
    expect(reads: number) {
      expected += reads;
      total += reads;
    },
  };
}
