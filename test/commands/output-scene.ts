/** A program with a server that records each request. `WRITING` has a command line for every command that writes. */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { DraftContent } from "../../src/schemas/draft.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { Service } from "../../src/service.ts";
import { newCanary } from "../canary.ts";
import { byTable, type Received, type Reply, startServer } from "../client/table-server.ts";
import { type Cli, openCli, openLocal } from "./cli.ts";

const CANDIDATE = "staffing/candidate";
const PROFILE = `${CANDIDATE}/Profile`;
const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const BLOCK: DraftContent["blocks"][number] = {
  id: "about",
  type: "custom_html",
  source: "system",
  regionKey: "main",
  displayOrder: 0,
};
const DRAFT = {
  schemaVersion: 1 as const,
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
  blocks: [BLOCK],
} satisfies Partial<DraftContent>;

export type OutputScene = {
  cli: Cli;
  received: Received[];
  /** The ids of two layouts of the organization. The first layout is the organization's default. */
  pages: readonly [string, string];
  /** The role that has access to the form. */
  roleId: string;
  /** May change a response. By default, responses stay unchanged. */
  answer: (request: Received, reply: () => Promise<Reply>) => Promise<Reply>;
};

/** A command line for each command that sends writes, by its path in the command tree. */
export const WRITING: Readonly<Record<string, (scene: OutputScene) => string[]>> = {
  "forms create": () => [CANDIDATE, "--name", "New", "--types", "VIEW"],
  "forms update": () => [PROFILE, "--title", "Apply now"],
  "forms delete": () => [PROFILE, "--clear-defaults", "--allow-delete"],
  "forms defaults set": () => [CANDIDATE, "EDIT=Profile"],
  "forms defaults clear": () => [CANDIDATE, "VIEW"],
  "forms access set": () => [PROFILE, "-f", "access.json", "--yes"],
  "forms access grant": ({ roleId }) => [PROFILE, "--role", roleId, "--types", "EDIT"],
  "forms access revoke": ({ roleId }) => [PROFILE, "--role", roleId],
  "forms access clear": () => [PROFILE, "--yes"],
  "layouts create": () => ["--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Third"],
  "layouts update": ({ pages }) => [pages[0], "--name", "Start"],
  "layouts archive": ({ pages }) => [pages[1], "--allow-delete"],
  "layouts draft push": () => [PROFILE, "draft.json"],
  "layouts publish": () => [PROFILE],
  "layouts versions restore": () => [PROFILE, "1", "--yes"],
  "layouts assignments set": ({ pages }) => [pages[1], "--default", "--take-over"],
  apply: () => ["new.yaml", "--yes"],
  api: () => [
    "PATCH",
    "/v1/custom-modules/staffing/objects/candidate/forms/defaults",
    "-d",
    '{"defaultViewFormId": null}',
  ],
};

/** Returns the complete command line of a writing command. */
export function writingLine(path: string, scene: OutputScene): string[] {
  return [...path.split(" "), ...WRITING[path]!(scene)];
}

export async function openOutputScene(): Promise<OutputScene> {
  const cli = await openCli();
  cli.file("draft.json", DRAFT);
  cli.file("access.json", { users: [], roles: [] });
  cli.file("new.yaml", `kind: Form\nobject: ${CANDIDATE}\nname: Applied\ntypes: [VIEW]\n`);
  const local = openLocal(cli, join(cli.home, "local.db"));
  const service = await local.service("northwind");
  const { pages, roleId } = await fillStore(local);

  const server = await startServer((request) => scene.answer(request, () => byTable(service, request)));
  onTestFinished(async () => {
    await server.close();
    await local.close();
  });
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() };
  const scene: OutputScene = {
    cli,
    received: server.received,
    pages,
    roleId,
    answer: async (_request, reply) => reply(),
  };
  return scene;
}

/** The form Profile, and two pages of the organization. */
export async function fillStore(local: LocalService): Promise<Pick<OutputScene, "pages" | "roleId">> {
  const service = await local.service("northwind");
  const { organizations } = await local.show();
  const roleId = organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  await setUp(service, roleId);
  const pages = [await newPage(service, "Home"), await newPage(service, "Other")] as const;
  await service.replaceAssignments({
    layoutId: pages[0],
    body: { clientMutationId: "default", organizationDefault: true, roles: [] },
  });
  return { pages, roleId };
}

/** A form that is a default, with access rows, a published version and a draft. */
async function setUp(service: Service, roleId: string): Promise<void> {
  const form = await service.createForm({ ...OBJECT, body: { name: "Profile", types: ["VIEW", "EDIT"] } });
  const formId = form.id;
  const layoutId = form.viewLayoutId!;
  await publish(service, layoutId);
  await service.saveDraft({ layoutId, body: { clientMutationId: "next", ...DRAFT } });
  await service.updateFormDefaults({ ...OBJECT, body: { defaultViewFormId: formId } });
  await service.replaceFormAccess({ ...OBJECT, formId, body: { users: [], roles: [{ roleId, types: ["VIEW"] }] } });
}

async function newPage(service: Service, name: string): Promise<string> {
  const { id: layoutId } = await service.createLayout({
    body: { clientMutationId: name, surface: "ORGANIZATION", supportedModes: ["VIEW"], target: {}, name },
  });
  await publish(service, layoutId);
  return layoutId;
}

async function publish(service: Service, layoutId: string): Promise<void> {
  const saved = await service.saveDraft({ layoutId, body: { clientMutationId: "save", ...DRAFT } });
  const body = { clientMutationId: "publish", draftVersionId: saved.draftVersionId, confirmFieldChanges: [] };
  await service.publishLayout({ layoutId, body });
}

/** Answers every read after the first write with `reply`. Writes are answered normally. */
export function failReadsAfterWrite(scene: OutputScene, reply: Reply): void {
  let isWritten = false;
  scene.answer = async ({ method }, answer) => {
    if (method === "GET" && isWritten) return reply;
    const answered = await answer();
    isWritten ||= method !== "GET" && answered.status < 300;
    return answered;
  };
}
