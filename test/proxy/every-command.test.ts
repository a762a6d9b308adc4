/**
 * Runs every command that works on a server on every manner of a server. It succeeds, or `EXPECTED` lists its exit code
 * and a part of its message.
 */

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { allCommands } from "../commands/all-commands.ts";
import { type Cli, openCli, openLocal } from "../commands/cli.ts";
import { contractorCard } from "../commands/manifests-scene.ts";
import { fillStore } from "../commands/output-scene.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { manners } from "./manners.ts";
import { speaksNewer } from "./newer.ts";
import { openProxy, type Proxy } from "./proxy.ts";

type Ids = { pages: readonly [string, string]; roleId: string; draft: string; published: string; token: string };
type Line = {
  /** The words after the command. */
  words: (ids: Ids) => string[];
  /** The answer to the prompt. */
  answer?: string;
};

const OBJECT = "staffing/candidate";
const PROFILE = `${OBJECT}/Profile`;
/** The sides of a comparison: a copy of the store with another form, and the server. */
const SIDES = ["--from", "copy.db#northwind", "--to", "production"];

/**
 * One or more lines for each command that works on a server, by its path in the command tree. A comma and a remark may
 * follow the path.
 */
const LINES = {
  "forms list": { words: () => [OBJECT] },
  "forms available": { words: () => [OBJECT, "--type", "VIEW"] },
  "forms get": { words: () => [PROFILE] },
  "forms wait": { words: () => [PROFILE, "--for", "usable=VIEW"] },
  "forms create": { words: () => [OBJECT, "--name", "New", "--types", "VIEW", "--title", "Hello"] },
  "forms update": { words: () => [PROFILE, "--title", "Apply now", "--add-type", "CREATE"] },
  "forms edit": { words: () => [PROFILE], answer: "send" },
  "forms delete": { words: () => [PROFILE, "--clear-defaults", "--allow-delete"] },
  "forms defaults show": { words: () => [OBJECT] },
  "forms defaults set": { words: () => [OBJECT, "EDIT=Profile"] },
  "forms defaults clear": { words: () => [OBJECT, "VIEW"] },
  "forms access show": { words: () => [PROFILE] },
  "forms access set": { words: () => [PROFILE, "-f", "access.json", "--yes"] },
  "forms access grant": { words: ({ roleId }) => [PROFILE, "--role", roleId, "--types", "EDIT"] },
  "forms access revoke": { words: ({ roleId }) => [PROFILE, "--role", roleId] },
  "forms access clear": { words: () => [PROFILE, "--yes"] },
  "layouts list": { words: () => ["--surface", "ORGANIZATION"] },
  "layouts get": { words: ({ pages }) => [pages[0]] },
  "layouts create": { words: () => ["--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Third"] },
  "layouts update": { words: ({ pages }) => [pages[0], "--name", "Start"] },
  "layouts archive": { words: ({ pages }) => [pages[1], "--allow-delete"] },
  "layouts surfaces": { words: () => ["ORGANIZATION"] },
  "layouts edit": { words: () => [PROFILE], answer: "push" },
  "layouts edit, without a draft": { words: ({ pages }) => [pages[1]], answer: "push" },
  "layouts preview": { words: () => [PROFILE] },
  "layouts draft push": { words: () => [PROFILE, "draft.json", "--publish"] },
  "layouts draft push, without a draft": { words: ({ pages }) => [pages[1], "draft.json"] },
  "layouts draft show": { words: () => [PROFILE] },
  "layouts draft scaffold": { words: () => [PROFILE] },
  "layouts publish": { words: ({ draft }) => [PROFILE, "--draft", draft] },
  "layouts versions list": { words: () => [PROFILE] },
  "layouts versions get": { words: ({ published }) => [PROFILE, published] },
  "layouts versions diff": { words: ({ published, draft }) => [PROFILE, published, draft] },
  "layouts versions restore": { words: ({ published }) => [PROFILE, published, "--yes", "--allow-replace"] },
  "layouts assignments show": { words: ({ pages }) => [pages[0]] },
  "layouts assignments set": { words: ({ pages, roleId }) => [pages[1], "--role", `${roleId}=3`] },
  plan: { words: () => ["manifests"] },
  apply: { words: () => ["manifests", "--yes", "--allow-replace"] },
  status: { words: () => ["manifests"] },
  export: { words: () => [PROFILE] },
  "export, into a folder": { words: () => ["--into", "out", OBJECT] },
  "export, everything": { words: () => ["--all", "--into", "manifests", "--overwrite"] },
  diff: { words: () => [...SIDES, OBJECT] },
  promote: { words: () => [...SIDES, OBJECT, "--yes"] },
  "migrate status": { words: () => [] },
  "migrate plan": { words: () => [] },
  "migrate run": { words: () => ["--yes"] },
  "migrate down": { words: () => ["--dry-run"] },
  "migrate baseline": { words: () => ["20260101-0000-rename", "--yes"] },
  "migrate repair": { words: () => ["--yes", "--allow-delete"] },
  "currencies list": { words: () => ["--search", "euro"] },
  "currencies get": { words: () => ["EUR"] },
  api: { words: () => ["GET", "/v1/currencies"] },
  doctor: { words: () => [] },
} satisfies Record<string, Line>;
type LineName = keyof typeof LINES;

const commandOf = (line: string) => line.split(",")[0]!;

/** The exit code and a part of the output of a command that does not succeed. */
type Failure = [code: number, text: string];
type MannerName = keyof typeof manners;
type Failures = Partial<Record<MannerName, Partial<Record<LineName | "*", Failure>>>>;

const NO_LIST: Failure = [5, "this server does not list layouts"];
const NO_STATUS: Failure = [7, "the server does not show which version of the layout"];
const NO_CONTENT: Failure = [7, "the server does not show the content of the version"];
const NO_ASSIGNMENTS: Failure = [5, "does not return the assignments"];
const IS_DEFAULT: Failure = [6, "FORM_IS_DEFAULT"];
const NO_RECORD: Failure = [3, "no new record can be begun on the server"];
/** A write without a `clientMutationId` is not sent again after a 429 (docs/decisions.md). */
const LATER: Failure = [7, "Try again after 2026-03-02T09:00:01.000Z, as the server requests."];

/** The commands that can't succeed, by the manner of the server. `*` means all commands. */
const EXPECTED: Failures = {
  "429 for the first request of each path with Retry-After": {
    "forms create": LATER,
    "forms update": LATER,
    "forms edit": LATER,
    "forms delete": LATER,
    "forms defaults set": LATER,
    "forms defaults clear": LATER,
    "forms access grant": LATER,
    "forms access revoke": LATER,
    "forms access clear": LATER,
    "layouts update": LATER,
    "layouts archive": LATER,
    "migrate run": LATER,
    "migrate baseline": LATER,
    "migrate repair": LATER,
  },
  "always 429": { "*": [7, "too many requests"] },
  "shows no layouts": { "layouts list": NO_LIST, "layouts assignments show": NO_ASSIGNMENTS },
  "lists only ids of layouts": { "layouts list": [7, "the server does not show the surface of the layout"] },
  "leaves out undocumented members": { "forms delete": IS_DEFAULT, "layouts assignments show": NO_ASSIGNMENTS },
  "shows no status of versions": { "layouts edit, without a draft": NO_STATUS },
  "leaves out content": {
    "migrate repair": NO_RECORD,
    "layouts edit": NO_CONTENT,
    "layouts edit, without a draft": NO_CONTENT,
    "layouts preview": NO_CONTENT,
    "layouts draft show": NO_CONTENT,
    "layouts versions diff": NO_CONTENT,
  },
  "leaves out draft content": {
    "migrate repair": NO_RECORD,
    "layouts edit": NO_CONTENT,
    "layouts preview": NO_CONTENT,
    "layouts draft show": NO_CONTENT,
    "layouts versions diff": NO_CONTENT,
  },
  "only what the API document names": {
    "forms delete": IS_DEFAULT,
    "layouts list": NO_LIST,
    "layouts edit": NO_STATUS,
    "layouts edit, without a draft": NO_STATUS,
    "layouts preview": NO_STATUS,
    "layouts draft show": NO_STATUS,
    "layouts assignments show": NO_ASSIGNMENTS,
  },
  "refuses expectedDraftVersionId by name": { "migrate repair": NO_RECORD },
  "refuses optional members by name": { "migrate repair": NO_RECORD },
  "refuses optional members without a cause": { "migrate repair": NO_RECORD },
  "ignores expected versions": { "migrate repair": NO_RECORD },
};

/**
 * Commands that send no request, need a local store, or have a test elsewhere:
 * - rehearse: test/e2e/rehearse.test.ts
 */
const ELSEWHERE =
  /^(init|local|serve|profiles|config|completion|explain|help|schema|validate|codemod|migrate new|rehearse|auth|layouts resolve)\b/;

/** Text that no output may contain: nonsense, internal errors and stack traces. */
const NONSENSE = /\bundefined\b|\bNaN\b|\[object Object\]|internal error|INTERNAL|\n +at /;
/** A problem of a file of the user that names a member that formctl added to the request. */
const BLAME = /^\S+:\d+:\d+ .*(expected(Draft|Published)VersionId|clientMutationId)/m;

const formNamed = (name: string, label: string) => `kind: Form
object: ${OBJECT}
name: ${name}
types: [VIEW]
layout:
  schemaVersion: 1
  regions: [{key: main, label: ${label}, layout: grid, columns: 12}]
  blocks: [{id: about, type: custom_html, source: system, regionKey: main}]
`;

let template: Promise<{ bytes: Buffer; ids: Ids }> | undefined;

/** Fills a store once. The scenes are copies. */
async function fillTemplate(): Promise<{ bytes: Buffer; ids: Ids }> {
  const cli = await openCli();
  const path = join(cli.home, "local.db");
  const local = openLocal(cli, path);
  const filled = await fillStore(local);
  const service = await local.service("northwind");
  const [form] = (await service.listForms({ moduleKey: "staffing", objectKey: "candidate" })).data;
  const versions = await service.listVersions({ layoutId: form!.viewLayoutId });
  const idOf = (status: string) => versions.find((version) => version.status === status)!.id;
  const request = { organization: "northwind", name: "test", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await local.createToken(request);
  await local.close();
  return { bytes: readFileSync(path), ids: { ...filled, draft: idOf("DRAFT"), published: idOf("PUBLISHED"), token } };
}

/** Opens a program with a server of this manner. */
async function openScene(name: MannerName | "our server"): Promise<{ cli: Cli; ids: Ids; proxy: Proxy }> {
  const filled = await (template ??= fillTemplate());
  const { bytes } = filled;
  const known = [...filled.ids.pages, filled.ids.roleId, filled.ids.draft, filled.ids.published];
  const isNumbered = name === "unknown values, and ids that are numbers";
  const shown = (id: string) => (isNumbered ? String(100 + known.indexOf(id)) : id);
  const ids = {
    token: filled.ids.token,
    pages: [shown(filled.ids.pages[0]), shown(filled.ids.pages[1])] as const,
    roleId: shown(filled.ids.roleId),
    draft: shown(filled.ids.draft),
    published: shown(filled.ids.published),
  };
  const cli = await openCli(null);
  const path = join(cli.home, "local.db");
  writeFileSync(path, bytes, { mode: 0o600 });
  const local = openLocal(cli, path);
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
  const manner = isNumbered ? speaksNewer(known) : name === "our server" ? {} : manners[name]();
  const proxy = await openProxy(handler, manner);
  onTestFinished(() => local.close());
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: proxy.url, FORMCTL_TOKEN: ids.token };
  cli.env["EDITOR"] = "test-editor";
  cli.edit = (edited) => {
    writeFileSync(edited, readFileSync(edited, "utf8").replace(/^(name|    label): .*$/m, "$1: Changed"));
    return { exitCode: 0, signal: null };
  };
  cli.file("draft.json", { schemaVersion: 1, regions: [{ key: "main", layout: "grid" }], blocks: [] });
  cli.file("access.json", { users: [], roles: [{ roleId: ids.roleId, types: ["VIEW"] }] });
  cli.file("manifests/new.yaml", formNamed("Applied", "New"));
  cli.file("manifests/profile.yaml", formNamed("Profile", "Changed"));
  cli.file("manifests/card.yaml", contractorCard("Risk"));
  cli.file(
    "migrations/20260101-0000-rename.yaml",
    `steps:\n  - name: rename\n    updateForm: { form: ${PROFILE}, body: { name: Record } }\n`,
  );
  return { cli, ids, proxy };
}

/** Adds the profile `production` for the server, and a copy of its store with another form. */
async function nameServer(cli: Cli, { token, roleId }: Ids): Promise<void> {
  const { FORMCTL_BASE_URL: url = "" } = cli.env;
  cli.env = { FORMCTL_HOME: cli.home };
  cli.file("token.txt", token);
  cli.file("formctl.yaml", `references: {production: {roles: {account_manager: "${roleId}"}}}\n`);
  copyFileSync(join(cli.home, "local.db"), join(cli.cwd, "copy.db"));
  for (const line of [
    [
      "forms",
      "create",
      OBJECT,
      "--name",
      "Other",
      "--types",
      "VIEW",
      "--store",
      "copy.db",
      "--organization",
      "northwind",
    ],
    ["profiles", "add", "production", "--base-url", url],
    ["auth", "login", "--profile", "production", "--token-file", "token.txt", "--no-check"],
  ])
    expect(await cli.run(...line)).toMatchObject({ code: 0 });
}

it("has a command line for every command that works on a server", async () => {
  const names = (await allCommands()).map(({ name }) => name).filter((name) => !ELSEWHERE.test(name));
  expect(new Set(Object.keys(LINES).map(commandOf))).toEqual(new Set(names));
});

/** The manners that show everything, so that commands print the same as on our server. */
const COMPLETE = new Set<MannerName>([
  "refuses expectedDraftVersionId by name",
  "refuses optional members by name",
  "refuses optional members without a cause",
  "409 with currentDraftVersionId null when none was expected",
  "429 for the first request of each path with Retry-After",
  "pages of 2",
  "lists without page information",
  "ignores page numbers",
  "ignores filters",
  "refuses filters",
  "knows none of our headers",
  "recognizes no repeated write",
  "404 for the versions of a new layout without a saved draft",
  "shows new records late",
  "204 for each write except a creation",
  "keeps blocks of staged fields",
]);

const onOurs = new Map<LineName, Promise<string>>();

/** Returns what a command prints on our server. */
function printedByOurs(line: LineName): Promise<string> {
  const printed = onOurs.get(line) ?? outcomeOf(line, "our server").then(({ stdout }) => comparable(stdout));
  onOurs.set(line, printed);
  return printed;
}

/** Replaces ports, folders, new ids and clocks, which differ between two runs. */
function comparable(text: string): string {
  return (
    text
      .replaceAll(/127\.0\.0\.1:\d+/g, "SERVER")
      .replaceAll(/\b(frm|lay|ver|asg)_\w+/g, "$1_ID")
      .replaceAll(/the local clock is .*/g, "CLOCK")
      // A server that refuses an expected draft can't hold the record of migrations, so the record is in a file.
      .replaceAll(/\b(Declared as done|recorded) in .*/g, "$1")
  );
}

async function outcomeOf(line: LineName, name: MannerName | "our server", ...options: string[]) {
  const { words, answer }: Line = LINES[line];
  const { cli, ids, proxy } = await openScene(name);
  const argv = [...commandOf(line).split(" "), ...words(ids), ...options];
  if (argv.includes("production")) await nameServer(cli, ids);
  const outcome = await (answer ? cli.answering([answer], ...argv) : cli.run(...argv));
  return { argv, ...outcome, received: proxy.received };
}

const cases: [MannerName, ...options: string[]][] = [
  ...(Object.keys(manners) as MannerName[]).map((name): [MannerName] => [name]),
  ["only what the API document names", "-o", "json"],
  ["shapes of the live server", "-o", "json"],
];

describe.each(cases)("on a server with the manner: %s, %s %s", (name, ...options) => {
  it.each(Object.keys(LINES) as LineName[])("%s", async (line) => {
    const { argv, code, stdout, stderr, received } = await outcomeOf(line, name, ...options);
    const { [line]: other, "*": each = [0, ""] } = EXPECTED[name] ?? {};
    const [expected, text] = other ?? each;
    expect({ argv, code, stdout, stderr }).toMatchObject({ code: expected });
    expect(stdout + stderr).toContain(text);
    expect(stdout + stderr).not.toMatch(NONSENSE);
    expect(stdout + stderr).not.toMatch(BLAME);
    expect(received).not.toEqual([]);
    const ours = code === 0 && COMPLETE.has(name) ? await printedByOurs(line) : comparable(stdout);
    expect(comparable(stdout)).toBe(ours);
  });
});

it("names the file that holds the record of migrations, where the server can't hold it", async () => {
  const { stdout } = await outcomeOf("migrate run", "ignores expected versions");
  expect(stdout).toMatch(/recorded in \S+\.record\.json\.\n$/);
});
