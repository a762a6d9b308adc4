/**
 * Tests every command that works on a server, on two servers with fewer members than ours. One has only the documented
 * members, and the other has the record shapes of live servers. Commands report what such a server omits.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { documentedServer } from "../contract/documented-server.ts";
import { liveServer } from "../contract/live-server.ts";
import { serverOf, type ServerTable } from "../contract/server-table.ts";
import { type Cli, openCli, openLocal } from "./cli.ts";
import { fillStore } from "./output-scene.ts";

type Scene = { cli: Cli; pages: readonly [string, string]; roleId: string; draft: string; published: string };
/** The words after the command. `documented` is the outcome on a server that omits necessary members. */
type Line = {
  words: (scene: Scene) => string[];
  documented?: [code: number, text: string];
  /** The answer to the prompt. */
  answer?: string;
};

const OBJECT = "staffing/candidate";
const PROFILE = `${OBJECT}/Profile`;
const NO_LIST: [number, string] = [5, "this server does not list layouts"];
const NO_STATUS: [number, string] = [7, "the server does not show which version of the layout"];

/** A line for each command that works on a server, by its path in the command tree. */
const LINES: Record<string, Line> = {
  "forms list": { words: () => [OBJECT] },
  "forms available": { words: () => [OBJECT, "--type", "VIEW"] },
  "forms get": { words: () => [PROFILE] },
  "forms wait": { words: () => [PROFILE, "--for", "usable=VIEW"] },
  "forms create": { words: () => [OBJECT, "--name", "New", "--types", "VIEW", "--title", "Hello"] },
  "forms update": { words: () => [PROFILE, "--title", "Apply now", "--add-type", "CREATE"] },
  "forms edit": { words: () => [PROFILE], answer: "send" },
  "forms delete": { words: () => [PROFILE, "--clear-defaults", "--allow-delete"], documented: [6, "FORM_IS_DEFAULT"] },
  "forms defaults show": { words: () => [OBJECT] },
  "forms defaults set": { words: () => [OBJECT, "EDIT=Profile"] },
  "forms defaults clear": { words: () => [OBJECT, "VIEW"] },
  "forms access show": { words: () => [PROFILE] },
  "forms access set": { words: () => [PROFILE, "-f", "access.json", "--yes"] },
  "forms access grant": { words: ({ roleId }) => [PROFILE, "--role", roleId, "--types", "EDIT"] },
  "forms access revoke": { words: ({ roleId }) => [PROFILE, "--role", roleId] },
  "forms access clear": { words: () => [PROFILE, "--yes"] },
  "layouts list": { words: () => ["--surface", "ORGANIZATION"], documented: NO_LIST },
  "layouts get": { words: ({ pages }) => [pages[0]] },
  "layouts create": { words: () => ["--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Third"] },
  "layouts update": { words: ({ pages }) => [pages[0], "--name", "Start"] },
  "layouts archive": { words: ({ pages }) => [pages[1], "--allow-delete"] },
  "layouts surfaces": { words: () => ["ORGANIZATION"] },
  "layouts edit": { words: () => [PROFILE], answer: "push", documented: NO_STATUS },
  "layouts preview": { words: () => [PROFILE], documented: NO_STATUS },
  "layouts draft push": { words: () => [PROFILE, "draft.json", "--publish"] },
  "layouts draft show": { words: () => [PROFILE], documented: NO_STATUS },
  "layouts draft scaffold": { words: () => [PROFILE] },
  "layouts publish": { words: ({ draft }) => [PROFILE, "--draft", draft] },
  "layouts versions list": { words: () => [PROFILE] },
  "layouts versions get": { words: ({ published }) => [PROFILE, published] },
  "layouts versions diff": { words: ({ published, draft }) => [PROFILE, published, draft] },
  "layouts versions restore": { words: ({ published }) => [PROFILE, published, "--yes"] },
  "layouts assignments show": { words: ({ pages }) => [pages[0]], documented: [5, "does not return the assignments"] },
  "layouts assignments set": { words: ({ pages, roleId }) => [pages[1], "--role", `${roleId}=3`] },
  plan: { words: () => ["new.yaml"] },
  apply: { words: () => ["new.yaml", "--yes"] },
  status: { words: () => ["new.yaml"] },
  export: { words: () => [PROFILE] },
  "migrate status": { words: () => [] },
  "migrate plan": { words: () => [] },
  "migrate run": { words: () => ["--yes"] },
  "migrate down": { words: () => ["--dry-run"] },
  "migrate baseline": { words: () => ["20260101-0000-rename", "--yes"] },
  "migrate repair": { words: () => ["--yes"] },
  "currencies list": { words: () => ["--search", "euro"] },
  "currencies get": { words: () => ["EUR"] },
  api: { words: () => ["GET", "/v1/currencies"] },
  doctor: { words: () => [] },
  "auth status": { words: () => [] },
};

/**
 * Commands that send no request, need a local store, or have a test elsewhere:
 * - diff and promote: test/promotion/lean-servers.test.ts
 * - rehearse: test/e2e/rehearse.test.ts
 */
const ELSEWHERE =
  /^(init|local|serve|profiles|config|completion|explain|help|schema|validate|codemod|migrate new|diff|promote|rehearse|auth (login|logout)|layouts resolve)\b/;

const ODD_TEXT = /\bundefined\b|\bNaN\b|\[object Object\]|internal error/;

function pathsOf(group: Group, path: string[] = []): string[] {
  return Object.entries(group.commands).flatMap(([name, node]) =>
    isGroup(node) ? pathsOf(node, [...path, name]) : [[...path, name].join(" ")],
  );
}

async function openScene(table: ServerTable): Promise<Scene> {
  const cli = await openCli();
  const local = openLocal(cli, join(cli.home, "local.db"));
  const { pages, roleId } = await fillStore(local);
  const service = await local.service("northwind");
  const [form] = (await service.listForms({ moduleKey: "staffing", objectKey: "candidate" })).data;
  const versions = await service.listVersions({ layoutId: form!.viewLayoutId });
  const idOf = (status: string) => versions.find((version) => version.status === status)!.id;
  const handler = serverOf(table, serviceHandler(local, { host: "127.0.0.1", version: "test" }));
  const server = await listen({ host: "127.0.0.1", port: 0, handler });
  onTestFinished(async () => {
    await server.stop();
    await local.close();
  });
  const request = { organization: "northwind", name: "test", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await local.createToken(request);
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: token };
  cli.env["EDITOR"] = "test-editor";
  cli.edit = (path) => {
    writeFileSync(path, readFileSync(path, "utf8").replace(/^(name|    label): .*$/m, "$1: Changed"));
    return { exitCode: 0, signal: null };
  };
  cli.file("draft.json", { schemaVersion: 1, regions: [{ key: "main", layout: "grid" }], blocks: [] });
  cli.file("access.json", { users: [], roles: [{ roleId, types: ["VIEW"] }] });
  cli.file("new.yaml", `kind: Form\nobject: ${OBJECT}\nname: Applied\ntypes: [VIEW]\n`);
  cli.file(
    "migrations/20260101-0000-rename.yaml",
    `steps:\n  - name: rename\n    updateForm: { form: ${PROFILE}, body: { name: Record } }\n`,
  );
  return { cli, pages, roleId, draft: idOf("DRAFT"), published: idOf("PUBLISHED") };
}

it("has a command line for every command that works on a server", () => {
  expect(Object.keys(LINES).toSorted()).toEqual(
    pathsOf(tree)
      .filter((path) => !ELSEWHERE.test(path))
      .toSorted(),
  );
});

describe.each([
  ["documented", documentedServer],
  ["live", liveServer],
] as const)("on a %s server", (name, { table }) => {
  it.each(Object.entries(LINES))("%s", async (path, { words, documented, answer }) => {
    const scene = await openScene(table());
    const argv = [...path.split(" "), ...words(scene)];
    const [code, text] = (name === "documented" && documented) || [0, ""];
    const shown = await (answer ? scene.cli.answering([answer], ...argv) : scene.cli.run(...argv));
    expect({ argv, ...shown }).toMatchObject({ code });
    expect(shown.stdout + shown.stderr).toContain(text);
    expect(shown.stdout + shown.stderr).not.toMatch(ODD_TEXT);
    const { cli } = await openScene(table());
    cli.env = scene.cli.env;
    const document = await cli.run(...argv, "-o", "json");
    expect(document.stdout + document.stderr).not.toMatch(ODD_TEXT);
  });
});
