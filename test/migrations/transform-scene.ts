/** A local store in memory with forms and layouts. Plans, applies and reverses transforms on this store. */

import { onTestFinished } from "vitest";
import { LocatedError } from "../../src/documents/located-error.ts";
import { ID_PREFIX, type NewId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { ApplyResult } from "../../src/project/project.ts";
import { type ProjectTarget, storeTarget } from "../../src/state/target.ts";
import type { MigrationCode } from "../../src/migrations/call-transform.ts";
import type { Transform } from "../../src/migrations/definition.ts";
import { type DownOptions, downProject } from "../../src/migrations/down.ts";
import type { LeftOut } from "../../src/migrations/left-out.ts";
import type { Replaced } from "../../src/migrations/record.ts";
import { type TransformOptions, type TransformProject, transformProject } from "../../src/migrations/transform.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import type { Mode } from "../../src/schemas/words.ts";
import { type FullService, mapCalls, type Service } from "../../src/service.ts";
import { openScratchSqlite } from "../../src/store/sqlite.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

export const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

/** A migration whose function `layout` is at line 3, and `form` at line 9. */
export const code: MigrationCode = {
  file: "migrations/one.ts",
  call: (_member, work) => work(),
  refuse: (member, message, hint) =>
    new LocatedError("MIGRATION_INVALID", message, {
      location: { file: "migrations/one.ts", line: member === "layout" ? 3 : 9, column: 3 },
      hint,
    }),
};

export type Done = { replaced: Replaced[]; left: readonly LeftOut[]; result: ApplyResult; project: TransformProject };

/** @param change returns the operations of the service to replace */
export async function openScene(change: (service: FullService) => Partial<Service> = () => ({})) {
  let now = new Date("2026-03-02T09:00:00.000Z");
  const advance = () => (now = new Date(now.getTime() + 1000));
  let ids = 0;
  const newId: NewId = (kind) => `${ID_PREFIX[kind]}_${String(++ids).padStart(6, "0")}`;
  const local = openLocalService({ store: await openScratchSqlite(), now: () => now, newId });
  onTestFinished(() => local.close());
  await local.seed(contractOrganizations);
  const direct = await local.service("northwind");
  const requests: string[] = [];
  const service = counted({ ...direct, ...change(direct) }, (name) => requests.push(name));
  const root = newFolder();
  const target: ProjectTarget = storeTarget({
    store: "store.db",
    local,
    organization: "northwind",
    service: async () => service,
  });
  const host = {
    env: {},
    readFile: () => Promise.reject(new Error("no file is read")),
    now: () => now,
    sleep: async () => undefined,
    processes: async () => (await import("../../src/composition/system-process.ts")).systemProcesses(),
  };
  let writes = 0;
  const mutation = () => `scene ${++writes}`;
  let last: Transform = {};
  const scene = {
    local,
    direct,
    requests,
    project(transform: Transform, options: Partial<TransformOptions> = {}) {
      last = transform;
      return transformProject({ root, target, transform, code, ...options }, host);
    },
    /** Opens the reversal of the transform that was opened last. */
    down: (replaced: readonly Replaced[], options: Partial<DownOptions> = {}) =>
      downProject({ root, target, replaced, transform: last, code, file: "migrations/one.ts", ...options }, host),
    async run(transform: Transform, options: Partial<TransformOptions> = {}): Promise<Done> {
      const project = scene.project(transform, options);
      const { plan } = await project.plan();
      const replaced = await project.replaced(plan);
      const result = await project.apply({ allowReplace: options.allowReplace ?? false });
      advance();
      return { replaced, left: project.left(), result, project };
    },
    /** Restores what a transform replaced. @returns the forms and layouts that were left out */
    async back(replaced: readonly Replaced[], options: Partial<DownOptions> = {}): Promise<readonly LeftOut[]> {
      const project = scene.down(replaced, options);
      await project.apply({ allowReplace: options.allowReplace ?? false });
      advance();
      return project.left();
    },
    /** Creates a form. @returns its ids */
    async form(
      name: string,
      published: DraftContent | undefined,
      draft?: DraftContent,
      types: Mode[] = ["VIEW", "EDIT"],
    ) {
      const created = await direct.createForm({ ...CANDIDATE, body: { name, types } });
      const layoutId = created.viewLayoutId;
      if (published) await scene.publish(layoutId, published);
      if (draft) await scene.save(layoutId, draft);
      return { formId: created.id, layoutId };
    },
    async layout(name: string, published: DraftContent | undefined, draft?: DraftContent) {
      const body = { surface: "CONTRACTOR" as const, supportedModes: ["VIEW" as const], target: {}, name };
      const { id } = await direct.createLayout({ body });
      if (published) await scene.publish(id, published);
      if (draft) await scene.save(id, draft);
      return id;
    },
    async save(layoutId: string, saved: DraftContent): Promise<string> {
      advance();
      const body = { ...saved, schemaVersion: 1 as const, clientMutationId: mutation() } as never;
      return (await direct.saveDraft({ layoutId, body })).draftVersionId;
    },
    async publish(layoutId: string, published: DraftContent): Promise<void> {
      const draftVersionId = await scene.save(layoutId, published);
      await direct.publishLayout({ layoutId, body: { clientMutationId: mutation(), draftVersionId } });
    },
    /** Returns the published version of a layout, and its draft. */
    async contents(layoutId: string) {
      const versions = await direct.listVersions({ layoutId });
      const find = (status: string) => versions.find((version) => version.status === status);
      return { published: find("PUBLISHED"), draft: find("DRAFT") };
    },
    /** Returns the labels of the published blocks, and of the draft. */
    async labels(layoutId: string) {
      const { published, draft } = await scene.contents(layoutId);
      return { published: published && labelsOf(published.blocks), draft: draft && labelsOf(draft.blocks) };
    },
  };
  return scene;
}

function counted(service: Service, onCall: (name: string) => void): Service {
  return mapCalls(service, (call, name) => (input, options) => {
    onCall(name);
    return call(input, options);
  });
}

function labelsOf(blocks: readonly Block[]): unknown[] {
  return blocks.map(({ config }) => config?.["label"]);
}

/** Returns a content with labelled fields of a candidate, in one region. */
export function content(fields: Record<string, string>): DraftContent {
  return {
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
    blocks: Object.entries(fields).map(([fieldKey, label]) => ({
      id: `b_${fieldKey}`,
      type: "field",
      source: "dynamic_field",
      ref: { fieldKey },
      regionKey: "main",
      config: { label },
    })),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}

/** Returns a content with static text, for layouts without fields. */
export function html(label: string): DraftContent {
  const blocks: Block[] = [
    { id: "b_html", type: "custom_html", source: "system", regionKey: "main", config: { label } },
  ];
  return { ...content({}), blocks };
}

/** Sets the label of every block. */
export function relabel(label: string): NonNullable<Transform["layout"]> {
  return (layout) => {
    for (const block of layout.blocks) block.config = { ...block.config, label };
    return layout;
  };
}
