/** Runs a history of random requests on a separate store. Throws if a response or the store is wrong. */

import { MODES, type Permission } from "../../src/schemas/words.ts";
import type { OrganizationFile } from "../../src/schemas/organization.ts";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { FormListItem } from "../../src/schemas/form.ts";
import { sameJson } from "../../src/schemas/json.ts";
import { type OperationName, operationRow } from "../../src/schemas/operations.ts";
import { readLayout, type FullService, ServiceError } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { serviceOf } from "../contract/service-of.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolder } from "../temporary.ts";
import type { Event, Plan, Pool, Request, Scene } from "./random-inputs.ts";

const ORGANIZATIONS = ["north", "south"] as const;
const OBJECTS = ["candidate", "placement"];
type Key = (typeof ORGANIZATIONS)[number];
const READER: readonly Permission[] = ["api.custom_forms.read", "api.view_layouts.read"];

export type Move =
  | { kind: "request"; by: Key; reader: boolean; plan: Plan }
  | { kind: "event"; by: Key; event: Event }
  | { kind: "again"; index: number }
  | { kind: "wait"; hours: number }
  | { kind: "reopen" };

/** Faults for the control tests. */
export type Sabotage = {
  /** Wraps the service that the test calls. */
  service?: (honest: FullService, administrators: { own: FullService; foreign: FullService }) => FullService;
  /** Damages the store's file at the end of the history. */
  file?: (path: string) => void;
};

/** @throws Error with the problem and the last requests before it */
export async function runHistory(moves: readonly Move[], sabotage: Sabotage = {}): Promise<void> {
  const folder = temporaryFolder();
  const history = new History(join(folder.path, "store.db"), sabotage);
  try {
    await history.begin();
    for (const [index, move] of moves.entries()) {
      await history.play(move);
      if (index % 15 === 14) await history.check();
    }
    await history.end();
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${message}\nafter\n${history.log.slice(-8).join("\n")}`, { cause: error });
  } finally {
    await history.close();
    folder.remove();
  }
}

const seed = seededStore(
  { organizations: ORGANIZATIONS.map(organization) },
  { now: () => new Date("2026-03-02T08:00:00.000Z"), newId: randomId },
);

type Success = { by: Key; request: Request; answer: unknown; at: number };

class History {
  readonly log: string[] = [];
  readonly #path: string;
  readonly #sabotage: Sabotage;
  #local!: LocalService;
  #time = Date.parse("2026-03-02T09:00:00.000Z");
  readonly #pools: Record<Key, Pool> = { north: emptyPool(), south: emptyPool() };
  readonly #seen: Record<Key, Set<string>> = { north: new Set(), south: new Set() };
  readonly #readers = new Map<Key, string>();
  readonly #successes: Success[] = [];
  /** The content of every version that was ever published, from the first read of the version. */
  readonly #published = new Map<string, unknown>();

  constructor(path: string, sabotage: Sabotage) {
    this.#path = path;
    this.#sabotage = sabotage;
  }

  async begin(): Promise<void> {
    await seed(this.#path);
    this.#open();
    for (const by of ORGANIZATIONS) {
      const request = { organization: by, name: "reader", permissions: READER, expiresAt: null };
      this.#readers.set(by, (await this.#local.createToken(request)).token);
    }
    for (const by of ORGANIZATIONS) await this.#firstRecords(await this.#local.service(by));
    for (const { key, roles, members } of (await this.#local.show()).organizations)
      for (const { id } of [...roles, ...members]) this.#seen[key as Key].add(id);
  }

  async #firstRecords(service: FullService): Promise<void> {
    for (const objectKey of OBJECTS) {
      const body = { name: "First", types: ["CREATE" as const, "VIEW" as const, "EDIT" as const] };
      await service.createForm({ moduleKey: "staffing", objectKey, body });
    }
    const body = { surface: "CONTRACTOR" as const, target: {}, name: "First", supportedModes: ["VIEW" as const] };
    await service.createLayout({ body });
  }

  async play(move: Move): Promise<void> {
    switch (move.kind) {
      case "wait":
        this.#time += move.hours * 3_600_000;
        return;
      case "reopen":
        return this.#reopen();
      case "event":
        return this.#happen(move.by, move.event);
      case "again":
        return this.#repeat(move.index);
      case "request":
        return this.#request(move.by, move.reader, await move.plan(await this.#scene(move.by)));
    }
  }

  /** Throws if the store has violations or a published content has changed. */
  async check(): Promise<void> {
    const violations = await this.#local.check();
    if (violations.length > 0) throw new Error(`the store is not sound: ${JSON.stringify(violations)}`);
    for (const by of ORGANIZATIONS) await this.#checkOrganization(by);
  }

  async end(): Promise<void> {
    this.#sabotage.file?.(this.#path);
    await this.check();
    await this.#reopen();
    await this.check();
    for (const by of ORGANIZATIONS) await this.#probe(by);
  }

  async close(): Promise<void> {
    await this.#local.close();
  }

  #open(): void {
    this.#local = openLocalService({
      store: openSqlite(this.#path, { create: false }),
      now: () => new Date((this.#time += 1000)),
      newId: randomId,
      files: uploadFiles(this.#path),
    });
  }

  async #reopen(): Promise<void> {
    const before = await this.#snapshot();
    await this.#local.close();
    this.#open();
    if (!isDeepStrictEqual(await this.#snapshot(), before)) throw new Error("reopening the store has changed it");
  }

  async #scene(by: Key): Promise<Scene> {
    const { organizations } = await this.#local.show();
    const admin = await this.#local.service(by);
    return {
      forms: await allForms(admin),
      layouts: await admin.listLayouts({}),
      past: this.#pools[by],
      foreign: this.#pools[other(by)],
      admin,
      local: this.#local,
      organization: organizations.find(({ key }) => key === by)!,
    };
  }

  async #serviceOf(by: Key, reader: boolean): Promise<FullService> {
    const holder = reader ? await this.#local.authenticate(this.#readers.get(by) ?? "") : undefined;
    const honest = reader ? holder && serviceOf(holder) : await this.#local.service(by);
    if (!honest) throw new Error("the reader's token is not known any more");
    if (!this.#sabotage.service) return honest;
    const [own, foreign] = await Promise.all([this.#local.service(by), this.#local.service(other(by))]);
    return this.#sabotage.service(honest, { own, foreign });
  }

  async #request(by: Key, reader: boolean, request: Request): Promise<void> {
    const { operation, input } = request;
    this.log.push(`${by}${reader ? " (reader)" : ""} ${operation} ${JSON.stringify(input)}`);
    const { permission } = operationRow(operation);
    const isPermitted = !reader || permission === null || READER.includes(permission);
    const outcome = await attempt(await this.#serviceOf(by, reader), request);
    if (outcome instanceof ServiceError) {
      this.log.push(`  → ${outcome.status} ${outcome.code} ${outcome.message}`);
      complainOfRefusal(outcome, isPermitted);
      return;
    }
    if (!isPermitted) throw new Error("somebody without permission was answered");
    await complainOfShape(operation, outcome.answer);
    this.#note(by, outcome.answer);
    const hasId = typeof (input as { body?: { clientMutationId?: unknown } }).body?.clientMutationId === "string";
    if (hasId) this.#successes.push({ by, request, answer: outcome.answer, at: this.#time });
  }

  async #happen(by: Key, { what, act }: Event): Promise<void> {
    this.log.push(`${by} ${what}`);
    try {
      await act(await this.#scene(by));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.log.push(`  → ${error.status} ${error.code} ${error.message}`);
    }
  }

  /**
   * Repeats an earlier request with the same id. For a week it must get the same response, unless its record was
   * deleted.
   */
  async #repeat(index: number): Promise<void> {
    const success = this.#successes[index % this.#successes.length];
    if (!success) return;
    const { by, request, answer, at } = success;
    this.log.push(`${by} again ${request.operation} ${JSON.stringify(request.input)}`);
    const service = await this.#serviceOf(by, false);
    // Archiving a layout also deletes the stored response of its creation. The repeated request then creates another
    // layout.
    const { id } = answer as { id: string };
    const isGone = request.operation === "createLayout" && (await readLayout(service, id)) === undefined;
    const outcome = await attempt(service, request);
    if (isGone || this.#time - at > 6 * 24 * 3_600_000) {
      if (!(outcome instanceof ServiceError)) this.#note(by, outcome.answer);
    } else if (outcome instanceof ServiceError) {
      if (outcome.status !== 404) throw new Error(`a replay was refused: ${outcome.status} ${outcome.message}`);
    } else if (!isDeepStrictEqual(asJson(outcome.answer), asJson(answer))) {
      throw new Error(`a replay got another answer: ${JSON.stringify(outcome.answer)}, not ${JSON.stringify(answer)}`);
    }
  }

  /** Remembers the records of a response. Throws if a record belongs to another organization. */
  #note(by: Key, answer: unknown): void {
    const pool = this.#pools[by];
    for (const [id = "", kind] of JSON.stringify(answer ?? null).matchAll(
      /\b(frm|lay|ver|rol|mem|asg|fld|pub)_[a-z2-7]{24}\b/g,
    )) {
      if (this.#seen[other(by)].has(id)) throw new Error(`${by} was shown ${id}, which belongs to ${other(by)}`);
      if (this.#seen[by].has(id)) continue;
      this.#seen[by].add(id);
      if (kind === "frm") pool.forms.push(id);
      else if (kind === "lay") pool.layouts.push(id);
      else if (kind === "ver") pool.versions.push(id);
    }
  }

  async #snapshot() {
    return Promise.all(ORGANIZATIONS.map((by) => this.#state(by)));
  }

  async #state(by: Key) {
    const service = await this.#local.service(by);
    const layouts = await service.listLayouts({});
    const versions = await Promise.all(layouts.map(({ id }) => service.listVersions({ layoutId: id })));
    return { forms: await allForms(service), layouts, versions: versions.flat() };
  }

  async #checkOrganization(by: Key): Promise<void> {
    const { forms, layouts, versions } = await this.#state(by);
    this.#note(by, { forms, layouts, versions });
    for (const form of forms) {
      const usable = MODES.filter(
        (mode) => form.types.includes(mode) && form.layoutAvailability[mode]?.state === "PUBLISHED",
      );
      const isSound =
        isDeepStrictEqual(new Set(Object.keys(form.layoutAvailability)), new Set(form.types)) &&
        form.usableTypes.every((mode) => form.isActive && (usable as string[]).includes(mode)) &&
        form.layoutWarnings.length === form.types.length - usable.length &&
        (form.isActive || !(form.isDefaultCreate || form.isDefaultView || form.isDefaultEdit)) &&
        (form.publicToken !== null) === form.isPublic;
      if (!isSound) throw new Error(`the form contradicts itself: ${JSON.stringify(form)}`);
    }
    for (const { status, id, ...version } of versions) {
      if (status === "DRAFT") continue;
      if (version.validation.state === "invalid") throw new Error(`${id} is invalid and was published`);
      const first = this.#published.get(id) ?? version;
      this.#published.set(id, first);
      if (!isDeepStrictEqual(version, first)) throw new Error(`${id} has changed since it was published`);
    }
  }

  /**
   * Reads records of `by` as the other organization. Throws if a read succeeds, or if its error differs from the error
   * for a missing record.
   */
  async #probe(by: Key): Promise<void> {
    const stranger = await this.#serviceOf(other(by), false);
    const { forms, layouts } = this.#pools[by];
    const attempts = [
      ...layouts.map((layoutId) => stranger.getLayout({ layoutId })),
      ...layouts.map((layoutId) => stranger.listVersions({ layoutId })),
      ...forms.flatMap((formId) =>
        OBJECTS.map((objectKey) => stranger.getForm({ moduleKey: "staffing", objectKey, formId })),
      ),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      const reason: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
      if (!(reason instanceof ServiceError && reason.status === 404))
        throw new Error(`${other(by)} was answered about a record of ${by}`);
    }
  }
}

async function allForms(service: FullService): Promise<FormListItem[]> {
  const lists = OBJECTS.map((objectKey) =>
    service.listForms({ moduleKey: "staffing", objectKey, query: { limit: 100 } }),
  );
  const answers = await Promise.all(lists);
  // Few random requests list forms, so the lists of each move are checked too.
  for (const answer of answers) await complainOfShape("listForms", answer);
  return answers.flatMap(({ data }) => data);
}

/** @throws every error that is not a refusal */
async function attempt(
  service: FullService,
  { operation, input }: Request,
): Promise<ServiceError | { answer: unknown }> {
  try {
    const call = service[operation] as (input: unknown) => Promise<unknown>;
    return { answer: await call(input) };
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function complainOfRefusal({ status, body }: ServiceError, isPermitted: boolean): void {
  if ((status === 403) === isPermitted) throw new Error(`the permission has nothing to do with ${status}`);
  if (![400, 403, 404, 409].includes(status) || body.message === "") throw new Error(`no such refusal: ${status}`);
  const isPlaced = Object.keys(body.fieldErrors ?? {}).length > 0;
  if (status === 400 && !isPlaced) throw new Error("a wrong value has no place");
}

async function complainOfShape(operation: OperationName, answer: unknown): Promise<void> {
  const schema = await operationRow(operation).result?.();
  if (!schema) return;
  const shape = z.safeParse(schema, answer);
  if (!shape.success) throw new Error(`${operation} answered out of shape: ${JSON.stringify(shape.error.issues)}`);
  // The schema keeps only the members that it describes.
  if (!sameJson(asJson(shape.data), asJson(answer)))
    throw new Error(`${operation} answered with members that its schema does not describe: ${JSON.stringify(answer)}`);
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
const emptyPool = (): Pool => ({ forms: [], layouts: [], versions: [], tokens: [] });
const other = (by: Key): Key => (by === "north" ? "south" : "north");

/** The two organizations differ only in their ids: names can't distinguish their records. */
function organization(key: Key): OrganizationFile["organizations"][number] {
  return {
    key,
    name: "Organization",
    roles: [
      { key: "recruiter", name: "Recruiter" },
      { key: "lead", name: "Lead" },
    ],
    members: [
      { email: `ana@${key}.example`, name: "Ana", roles: ["recruiter"] },
      { email: `bo@${key}.example`, name: "Bo", roles: [] },
    ],
    scripts: [{ key: "rate_guard", name: "Rate guard" }],
    customFields: [{ surface: "CONTRACTOR", key: "risk", name: "Risk", type: "TEXT" }],
    modules: [
      {
        key: "staffing",
        name: "Staffing",
        objects: [
          {
            key: "candidate",
            name: "Candidate",
            fields: [
              { key: "full_name", name: "Full name", type: "TEXT", required: true },
              { key: "email", name: "E-mail", type: "EMAIL", required: true },
              { key: "level", name: "Level", type: "SELECT", options: ["junior", "senior"], valueCount: 9 },
              { key: "skills", name: "Skills", type: "MULTI_SELECT", options: ["java", "sap"] },
              { key: "notes", name: "Notes", type: "TEXTAREA", valueCount: 4 },
              { key: "phone", name: "Phone", type: "PHONE" },
            ],
          },
          {
            key: "placement",
            name: "Placement",
            fields: [
              { key: "full_name", name: "Title", type: "TEXT", required: true },
              { key: "candidate", name: "Candidate", type: "REFERENCE", config: { object: "candidate" } },
              {
                key: "milestones",
                name: "Milestones",
                type: "SUBORDINATE_OBJECT_REFERENCE",
                config: { object: "milestone" },
              },
            ],
          },
          {
            key: "milestone",
            name: "Milestone",
            kind: "SUBORDINATE",
            parent: "placement",
            fields: [{ key: "label", name: "Label", type: "TEXT", required: true }],
          },
        ],
      },
    ],
  };
}
