/**
 * Tests invalid input for every command. Input that is invalid without asking a server is refused before any request.
 */

import { describe, expect, it } from "vitest";
import { type Group, isGroup, type Leaf, tree } from "../../src/commands/tree.ts";
import { newCanary } from "../canary.ts";
import { writeManifests } from "./manifests-scene.ts";
import { DESK, PROFILE } from "./layouts-scene.ts";
import { openRecordingScene, type RecordingScene } from "./recording-scene.ts";

const OBJECT = "staffing/candidate";
const BIG = "x".repeat(17 * 1024);

type Refused = [words: string[], code: 3 | 64];
type Row = {
  /** A command line that sends a request. `null` if the command never sends a request. */
  sends: string[] | null;
  /** Invalid words after the name of the command. */
  bad?: Refused[];
};

const badObject: Refused[] = [
  [["candidate"], 64],
  [["staffing/.."], 64],
  [["a/b/c"], 64],
];
const badForm: Refused[] = [
  [["staffing/candidate"], 64],
  [["../candidate/Candidate profile"], 64],
  [["staffing/candidate/ "], 64],
];
const badLayout: Refused[] = [
  [[".."], 64],
  [["lay 1"], 64],
  [["staffing/candidate"], 64],
];
/** Appends words to each mistake. */
const followed = (refused: readonly Refused[], ...more: string[]): Refused[] =>
  refused.map(([words, code]): Refused => [[...words, ...more], code]);
const after = (words: readonly string[], refused: readonly Refused[]): Refused[] =>
  refused.map(([more, code]): Refused => [[...words, ...more], code]);

const badMutationId: Refused[] = [
  [["--client-mutation-id", ""], 64],
  [["--client-mutation-id", "x".repeat(129)], 64],
];
const badSubjects: Refused[] = [
  [[], 64],
  [["--types", "VIEW"], 64],
  [["--role", "$ROLE", "--types", "PRINT"], 64],
  [["--role", "$ROLE", "--types", "VIEW,VIEW"], 64],
];
const board = ["--surface", "DASHBOARD", "--modes", "VIEW", "--name", "Board", "--target", "dashboardKey=sales"];
const card = ["--surface", "DYNAMIC_OBJECT", "--modes", "VIEW", "--name", "Card"];
const ofForm = ["--target", "moduleKey=staffing", "--target", "objectKey=candidate", "--target", "formId=frm_1"];

const badFormContent: Refused[] = [
  [["--name", " "], 64],
  [["--name", "x".repeat(201)], 64],
  [["--types", "PRINT"], 64],
  [["--types", "VIEW,VIEW"], 64],
  [["--types", ""], 64],
  [["--title", BIG], 3],
  [["-f", "missing.yaml"], 3],
  [["-f", "broken.yaml"], 3],
  [["-f", "list.yaml"], 3],
  [["-f", "form-empty-name.yaml"], 3],
  [["-f", "form-no-types.yaml"], 3],
  [["-f", "form-big.yaml"], 3],
  [["-f", "form-unknown.yaml"], 3],
  [["-f", "form-visual.yaml"], 3],
  [["-f", "form.yaml", "--name", "X"], 64],
  [["-f", "form.yaml", "--public"], 64],
];

const rows: Record<string, Row> = {
  "forms list": {
    sends: [OBJECT],
    bad: [
      ...badObject,
      ...after(
        [OBJECT],
        [
          [["--page", "0"], 64],
          [["--page", "1.5"], 64],
          [["--limit", "101"], 64],
          [["--count", "all"], 64],
          [["--columns", "name,,id"], 64],
          [["--sort", "color"], 64],
          [["--filter", "color=red"], 64],
          [["--filter", "active=maybe"], 64],
          [["--filter-json", "{"], 64],
          [["--filter-json", '{"op":"xor","items":[]}'], 64],
          [["--filter-json", '{"op":"or","items":[{"field":"name","operator":"like","value":"a"}]}'], 64],
          [["-f", "missing.yaml"], 3],
          [["-f", "broken.yaml"], 3],
          [["-f", "filter-wrong.yaml"], 3],
          [["--meta"], 64],
          [["--meta", "-o", "yaml"], 64],
          [["--meta", "-o", "name"], 64],
          [["--watch", "-o", "json"], 64],
          [["--watch", "-o", "name"], 64],
          [["--interval", "5"], 64],
          [["--watch", "--interval", "0"], 64],
        ],
      ),
    ],
  },
  "forms available": { sends: [OBJECT], bad: [...badObject, [[OBJECT, "--type", "PRINT"], 64]] },
  "forms get": { sends: [PROFILE], bad: badForm },
  "forms wait": {
    sends: [PROFILE, "--for", "usable=VIEW"],
    bad: [
      ...followed(badForm, "--for", "usable=VIEW"),
      ...after(
        [PROFILE],
        [
          [[], 64],
          [["--for", "VIEW"], 64],
          [["--for", "usable=PRINT"], 64],
          [["--for", "usable=VIEW,VIEW"], 64],
          [["--for", "usable=VIEW", "--timeout", "soon"], 64],
        ],
      ),
    ],
  },
  "forms create": {
    sends: [OBJECT, "--name", "New", "--types", "VIEW"],
    bad: [
      ...followed(badObject, "--name", "New", "--types", "VIEW"),
      [[OBJECT, "--name", "New"], 64],
      [[OBJECT, "--types", "VIEW"], 64],
      [[OBJECT, "--name", "New", "--types", "VIEW", "--types", "VIEW"], 64],
      ...after(
        [OBJECT],
        badFormContent.map(([words, code]): Refused =>
          words.includes("-f") ? [words, code] : [["--name", "New", "--types", "VIEW", ...words], code],
        ),
      ),
    ],
  },
  "forms update": {
    sends: [PROFILE, "--name", "New"],
    bad: [
      ...followed(badForm, "--name", "New"),
      ...after(
        [PROFILE],
        [
          [[], 64],
          ...badFormContent,
          [["--add-type", "PRINT"], 64],
          [["--remove-type", "VIEW,VIEW"], 64],
          [["--types", "VIEW", "--add-type", "EDIT"], 64],
          [["--types", "VIEW", "--remove-type", "EDIT"], 64],
          [["--add-type", "VIEW", "--remove-type", "VIEW"], 64],
          [["--config", "missing.yaml"], 3],
          [["--config", "config-big.yaml"], 3],
          [["--config", "list.yaml"], 3],
          [["--config", "config.yaml", "--no-config"], 64],
          [["--no-config", "--config", "config.yaml"], 64],
          [["--config", "config.yaml", "--title", "T"], 64],
          [["--no-config", "--title", "T"], 64],
          [["--active", "--inactive"], 64],
          [["--public", "--private"], 64],
          [["-f", "form.yaml", "--no-config"], 64],
        ],
      ),
    ],
  },
  "forms delete": { sends: [PROFILE, "--allow-delete"], bad: followed(badForm, "--allow-delete") },
  "forms defaults show": { sends: [OBJECT], bad: badObject },
  "forms defaults set": {
    sends: [OBJECT, "VIEW=Candidate profile"],
    bad: [
      ...followed(badObject, "VIEW=Candidate profile"),
      ...after(
        [OBJECT],
        [
          [["VIEW"], 64],
          [["VIEW="], 64],
          [["VIEW", "Candidate", "profile"], 64],
          [["PRINT=Candidate profile"], 3],
          [["VIEW=Candidate profile", "VIEW=-"], 64],
        ],
      ),
    ],
  },
  "forms defaults clear": {
    sends: [OBJECT, "VIEW"],
    bad: [...followed(badObject, "VIEW"), [[OBJECT, "PRINT"], 3], [[OBJECT, "VIEW", "VIEW"], 64]],
  },
  "forms access show": { sends: [PROFILE], bad: badForm },
  "forms access set": {
    sends: [PROFILE, "-f", "access.yaml"],
    bad: [
      ...followed(badForm, "-f", "access.yaml"),
      ...after(
        [PROFILE],
        [
          [[], 64],
          [["-f", "missing.yaml"], 3],
          [["-f", "broken.yaml"], 3],
          [["-f", "access-half.yaml"], 3],
          [["-f", "access-no-types.yaml"], 3],
          [["-f", "access-twice.yaml"], 3],
        ],
      ),
    ],
  },
  "forms access grant": {
    sends: [PROFILE, "--role", "$ROLE", "--types", "VIEW"],
    bad: [
      ...followed(badForm, "--role", "$ROLE", "--types", "VIEW"),
      ...after([PROFILE], [...badSubjects, [["--role", "$ROLE"], 64]]),
    ],
  },
  "forms access revoke": {
    sends: [PROFILE, "--role", "$ROLE"],
    bad: [...followed(badForm, "--role", "$ROLE"), ...after([PROFILE], badSubjects)],
  },
  "forms access clear": { sends: [PROFILE, "--yes"], bad: followed(badForm, "--yes") },
  "layouts list": {
    sends: [],
    bad: [
      [["--mode", "PRINT"], 64],
      [["--object", "candidate"], 64],
    ],
  },
  "forms edit": { sends: null, bad: [[["staffing/candidate/Profile"], 64]] },
  "layouts get": { sends: ["$LAYOUT"], bad: badLayout },
  "layouts create": {
    sends: board,
    bad: [
      [[], 64],
      [["--surface", "DASHBOARD"], 64],
      [[...board, "--modes", "VIEW"], 64],
      [[...board, "--modes", "PRINT"], 64],
      [[...board, "--name", " "], 64],
      [[...board, "--name", "x".repeat(201)], 64],
      [[...board, "--target", "dashboardKey=other"], 64],
      [[...board, "--target", "color=red"], 64],
      [[...board, "--target", "dashboardKey"], 64],
      [[...board, "--target", "moduleKey=staffing"], 64],
      [["--surface", "DASHBOARD", "--modes", "VIEW", "--name", "Board", "--target", "dashboardKey="], 64],
      [[...card, "--target", "moduleKey=staffing"], 64],
      [[...board, "--metadata", "missing.yaml"], 3],
      [[...board, "--metadata", "list.yaml"], 3],
      [[...board, "--metadata", "config-big.yaml"], 3],
      [["-f", "missing.yaml"], 3],
      [["-f", "broken.yaml"], 3],
      [["-f", "layout-wrong.yaml"], 3],
      [["-f", "layout.yaml", "--name", "Board"], 64],
      [["-f", "layout.yaml", "--target", "scopeId="], 64],
      [["-f", "layout.yaml", "--client-mutation-id", "other"], 64],
      ...after(board, badMutationId),
    ],
  },
  "layouts update": {
    sends: ["$LAYOUT", "--name", "New"],
    bad: [
      ...followed(badLayout, "--name", "New"),
      ...after(
        ["$LAYOUT"],
        [
          [[], 64],
          [["--name", ""], 64],
          [["--modes", "PRINT"], 64],
          [["--modes", "VIEW,VIEW"], 64],
          [["--metadata", "missing.yaml"], 3],
          [["--metadata", "config-big.yaml"], 3],
          [["--metadata", "config.yaml", "--no-metadata"], 64],
          [["--no-metadata", "--metadata", "config.yaml"], 64],
          [["-f", "missing.yaml"], 3],
          [["-f", "list.yaml"], 3],
          [["-f", "form-empty-name.yaml"], 3],
          [["-f", "form.yaml", "--no-metadata"], 64],
        ],
      ),
    ],
  },
  "layouts archive": { sends: ["$PAGE", "--allow-delete"], bad: followed(badLayout, "--allow-delete") },
  "layouts surfaces": { sends: [] },
  "layouts preview": { sends: ["$LAYOUT"], bad: [[["missing.yaml"], 3]] },
  "layouts resolve": {
    sends: null,
    bad: [
      [[], 64],
      [["--mode", "PRINT"], 64],
      [["--target", "color=red"], 64],
    ],
  },
  "layouts draft push": {
    sends: ["$LAYOUT", "a.yaml"],
    bad: [
      ...followed(badLayout, "a.yaml"),
      ...after(
        ["$LAYOUT"],
        [
          [["missing.yaml"], 3],
          [["broken.yaml"], 3],
          [["list.yaml"], 3],
          [["draft-no-regions.yaml"], 3],
          [["a.yaml", "--expect-draft", "../x"], 64],
          [["draft-with-id.yaml", "--client-mutation-id", "other"], 64],
        ],
      ),
      ...after(["$LAYOUT", "a.yaml"], badMutationId),
    ],
  },
  // Without a terminal, the command refuses every layout.
  "layouts edit": { sends: null, bad: [...badLayout, [["$LAYOUT"], 64]] },
  "layouts draft show": { sends: ["$LAYOUT"], bad: badLayout },
  "layouts draft scaffold": { sends: ["$LAYOUT"], bad: badLayout },
  "layouts publish": {
    sends: ["$LAYOUT"],
    bad: [
      ...badLayout,
      ...after(
        ["$LAYOUT"],
        [
          [["--draft", "../x"], 64],
          [["--expect-published", "../x"], 64],
          [["--confirm-field-change", "d 1"], 64],
          [["--confirm-type-change", "d 1"], 64],
          [["--confirm-value-clear", "d 1"], 64],
          ...badMutationId,
        ],
      ),
    ],
  },
  "layouts versions list": { sends: ["$LAYOUT"], bad: badLayout },
  "layouts versions get": { sends: ["$LAYOUT", "1"], bad: [...followed(badLayout, "1"), [["$LAYOUT", "../1"], 64]] },
  "layouts versions diff": {
    sends: ["$LAYOUT", "1", "draft"],
    bad: [...followed(badLayout, "1", "2"), [["$LAYOUT", "../1", "2"], 64]],
  },
  "layouts versions restore": {
    sends: ["$LAYOUT", "$VERSION"],
    bad: [...followed(badLayout, "1"), [["$LAYOUT", "../1"], 64], ...after(["$LAYOUT", "1"], badMutationId)],
  },
  "layouts assignments show": { sends: ["$PAGE"], bad: badLayout },
  "layouts assignments set": {
    sends: ["$PAGE", "--default"],
    bad: [
      ...followed(badLayout, "--default"),
      ...after(
        ["$PAGE"],
        [
          [[], 64],
          [["--default", "--no-default"], 64],
          [["--no-default", "--default"], 64],
          [["--role", "rol_1=high"], 64],
          [["--role", "=1"], 64],
          [["--role", "no role=1"], 3],
          [["--role", "rol_1=1", "--role", "rol_1=2"], 64],
          [["--role", "rol_1", "--role", "rol_1"], 64],
          [["-f", "missing.yaml"], 3],
          [["-f", "broken.yaml"], 3],
          [["-f", "assignments-twice.yaml"], 3],
          [["-f", "assignments.yaml", "--default"], 64],
        ],
      ),
      ...after(["$PAGE", "--default"], badMutationId),
    ],
  },
  validate: {
    sends: null,
    bad: [
      [["--format", "xml"], 64],
      [["missing"], 3],
      [["wrong"], 3],
    ],
  },
  plan: {
    sends: ["manifests"],
    bad: [
      [["--format", "xml"], 64],
      [["manifests", "--concurrency", "0"], 64],
      [["missing"], 3],
      [["wrong"], 3],
    ],
  },
  apply: {
    sends: ["manifests", "--yes"],
    bad: [
      [["manifests", "--concurrency", "65"], 64],
      [["missing"], 3],
      [["wrong"], 3],
    ],
  },
  status: {
    sends: ["manifests"],
    bad: [
      [["manifests", "--concurrency", "x"], 64],
      [["missing"], 3],
      [["wrong"], 3],
    ],
  },
  export: {
    sends: [OBJECT],
    bad: [
      [[], 64],
      [["../x"], 64],
      [[OBJECT, "--concurrency", "0"], 64],
    ],
  },
  schema: { sends: null, bad: [[["Nothing"], 64]] },
  codemod: {
    sends: null,
    bad: [[["first", "missing"], 3]],
  },
  "migrate new": { sends: null, bad: [[["next", "--from-template", "nothing"], 64]] },
  "migrate status": { sends: [] },
  "migrate plan": { sends: [], bad: [[["--concurrency", "65"], 64]] },
  "migrate run": { sends: ["--dry-run"], bad: [[["--concurrency", "65"], 64]] },
  "migrate down": { sends: ["--dry-run"], bad: [[["0"], 64]] },
  "migrate baseline": { sends: ["20260101-0000-first", "--dry-run"] },
  "migrate repair": { sends: ["--dry-run"] },
  diff: {
    sends: ["--from", "$STORE", "--to", "$SERVER"],
    bad: [
      [["--from", "$STORE"], 64],
      [["--from", "$STORE", "--to", "$SERVER", "--concurrency", "65"], 64],
    ],
  },
  promote: {
    sends: ["--from", "$STORE", "--to", "$SERVER", "staffing/placement", "--dry-run"],
    bad: [
      [["--to", "$SERVER"], 64],
      [["--from", "$STORE", "--to", "$SERVER", "--concurrency", "65"], 64],
    ],
  },
  rehearse: { sends: ["script.sh", "--yes"], bad: [[["missing.sh", "--yes"], 3]] },
  "currencies list": { sends: [] },
  "currencies get": {
    sends: ["EUR"],
    bad: [
      [["EU"], 3],
      [["EURO"], 3],
      [["E1R"], 3],
      [[""], 3],
    ],
  },
  "local init": { sends: null },
  "local seed": { sends: null },
  "local show": { sends: null },
  "local log": {
    sends: null,
    bad: [
      [["--limit", "0"], 64],
      [["--operation", "nothing"], 64],
    ],
  },
  "local check": { sends: null },
  "local backup": { sends: null },
  "local copy": {
    sends: null,
    bad: [
      [["postgres://me:word@127.0.0.1/a", "b.db"], 64],
      [["a.db", "b.db", "--store", "c.db"], 64],
    ],
  },
  "local restore": { sends: null },
  "local reset": { sends: null },
  "local tokens create": {
    sends: null,
    bad: [
      [["--permission", "none"], 64],
      [["--expires", "soon"], 64],
    ],
  },
  "local tokens list": { sends: null },
  "local tokens revoke": { sends: null },
  "local uploads add": { sends: null, bad: followed(badForm, "a.txt") },
  "local uploads list": { sends: null },
  serve: {
    sends: null,
    bad: [
      [["--port", "x"], 64],
      [["--port", "70000"], 64],
    ],
  },
  "auth login": { sends: [], bad: [[["--token-file", "missing.txt"], 3]] },
  "auth logout": { sends: null },
  "auth status": { sends: null },
  "profiles list": { sends: null },
  "profiles add": { sends: null, bad: [[["prod"], 64]] },
  "profiles use": { sends: null },
  "profiles remove": { sends: null },
  "config list": { sends: null },
  "config get": { sends: null },
  "config set": {
    sends: null,
    bad: [
      [["output"], 64],
      [["output", "json", "--unset"], 64],
    ],
  },
  "config unset": { sends: null },
  "config path": { sends: null },
  completion: { sends: null, bad: [[["tcsh"], 64]] },
  api: {
    sends: ["GET", "/v1/currencies"],
    bad: [
      [["LOOK", "/v1/currencies"], 64],
      [["GET", "v1/currencies"], 64],
      [["GET", "//other.example/v1"], 64],
      [["GET", "/v1/../x"], 64],
      [["GET", "/v1/currencies", "-d", "{}"], 64],
      [["POST", "/v1/view-layouts", "--paginate"], 64],
      [["POST", "/v1/view-layouts", "-d", "{"], 3],
      [["POST", "/v1/view-layouts", "-d", "@missing.json"], 3],
    ],
  },
  init: { sends: null, bad: [[["--demo", "--base-url", "https://forms.example.com"], 64]] },
  doctor: { sends: [] },
  explain: {
    sends: null,
    bad: [
      [["fomr"], 64],
      [["layout.blocks.gird"], 64],
      [["form.access.roles.role.id"], 64],
    ],
  },
  help: { sends: null },
};

const FILES: Record<string, object | string> = {
  "migrations/20260101-0000-first.mjs": "export default { form: (form) => ({ ...form, isActive: true }) };\n",
  "script.sh": "true\n",
  "broken.yaml": "a: [",
  "wrong/form.yaml": { kind: "Form", object: "staffing/candidate", name: "F", types: [] },
  "wrong/layout.yaml": "kind: Layout\nsurface: [",
  "list.yaml": "- 1\n",
  "form.yaml": { name: "F", types: ["VIEW"] },
  "form-empty-name.yaml": { name: "", types: ["VIEW"] },
  "form-no-types.yaml": { name: "F", types: [] },
  "form-big.yaml": { name: "F", types: ["VIEW"], config: { title: BIG } },
  "form-unknown.yaml": { name: "F", types: ["VIEW"], color: "red" },
  "form-visual.yaml": { name: "F", types: ["VIEW"], config: { blocks: [] } },
  "config.yaml": { title: "T" },
  "config-big.yaml": { title: BIG },
  "filter-wrong.yaml": "op: or\nitems:\n  - {field: color, operator: eq, value: red}\n",
  "access.yaml": { users: [], roles: [] },
  "access-half.yaml": { users: [] },
  "access-no-types.yaml": { users: [], roles: [{ roleId: "rol_1", types: [] }] },
  "access-twice.yaml": {
    users: [],
    roles: [
      { roleId: "rol_1", types: ["VIEW"] },
      { roleId: "rol_1", types: ["EDIT"] },
    ],
  },
  "layout.yaml": {
    surface: "CONTRACTOR",
    supportedModes: ["VIEW"],
    target: {},
    name: "L",
    clientMutationId: "in-file",
  },
  "layout-wrong.yaml": { surface: "CONTRACTOR", supportedModes: [], target: {}, name: "L" },
  "draft-no-regions.yaml": { schemaVersion: 1, blocks: [] },
  "draft-with-id.yaml": { clientMutationId: "in-file", schemaVersion: 1, regions: [], blocks: [] },
  "assignments.yaml": { organizationDefault: true, roles: [] },
  "assignments-twice.yaml": { roles: [{ roleId: "rol_1" }, { roleId: "rol_1" }] },
};

function leavesOf(group: Group, path: readonly string[] = []): [name: string, leaf: Leaf][] {
  return Object.entries(group.commands).flatMap(([word, node]) =>
    isGroup(node) ? leavesOf(node, [...path, word]) : [[[...path, word].join(" "), node] as [string, Leaf]],
  );
}
const leaves = leavesOf(tree);

async function openScene(): Promise<RecordingScene> {
  const scene = await openRecordingScene();
  for (const [path, content] of Object.entries(FILES)) scene.cli.file(path, content);
  writeManifests(scene.cli, scene.withIds("$ROLE"));
  scene.cli.stdin = newCanary();
  return scene;
}

/** Mistakes that every command refuses. */
async function mistakesOfAll(name: string, leaf: Leaf, words: readonly string[]): Promise<Refused[]> {
  const args = Object.values((await leaf.load()).default.args);
  const mistakes: Refused[] = [
    [[...words, "--nonsense"], 64],
    [[...words, "-o", "jason"], 64],
    [[...words, "--json", "-o", "yaml"], 64],
    [[...words, "--color", "--no-color"], 64],
  ];
  // `formctl help` is valid without an argument.
  if (args.some(({ optional }) => !optional) && name !== "help") mistakes.push([[], 64]);
  if (!args.some(({ kind }) => kind === "rest")) {
    const missing = Math.max(0, args.length - words.filter((word) => !word.startsWith("-")).length);
    mistakes.push([[...words, ...Array.from({ length: missing + 1 }, () => "excess")], 64]);
  }
  return mistakes;
}

it("has a row for every command", () => {
  expect(Object.keys(rows).toSorted()).toEqual(leaves.map(([name]) => name).toSorted());
});

describe.each(leaves)("%s", (name, leaf) => {
  const { sends, bad = [] } = rows[name] ?? { sends: null };

  it("sends nothing where its input is refused", async () => {
    const { cli, received, withIds } = await openScene();
    const refused = [...bad, ...(await mistakesOfAll(name, leaf, sends ?? []))];
    for (const [words, code] of refused) {
      const line = [...name.split(" "), ...words.map(withIds)];
      const shown = line.map((word) => word.slice(0, 60)).join(" ");
      const outcome = await cli.run(...line);
      const requests = received.map(({ method, url }) => `${method} ${url}`);
      expect({ shown, code: outcome.code, requests }).toEqual({ shown, code, requests: [] });
      received.length = 0;
    }
  });

  // The control does not apply to a command that never sends a request.
  if (!sends) return;
  it("sends a request for valid input (control)", async () => {
    const { cli, received, withIds } = await openScene();
    const { code, stderr } = await cli.run(...name.split(" "), ...sends.map(withIds));
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(received).not.toEqual([]);
  });
});

describe("problems that are known only after the form is read", () => {
  it.each<[words: string[], code: number, message: string]>([
    [["forms", "update", PROFILE, "--remove-type", "VIEW,EDIT"], 3, "would have no mode left"],
    [["forms", "update", PROFILE, "--title", "x".repeat(9_000), "--description", "y".repeat(7_000)], 3, "16 KiB"],
    [["forms", "defaults", "set", OBJECT, "CREATE=Candidate profile"], 3, "does not support CREATE"],
    [["forms", "defaults", "set", OBJECT, "VIEW=Candidate profile", "CREATE=$FORM"], 3, "does not support CREATE"],
    [["forms", "defaults", "set", OBJECT, "VIEW=Asleep"], 3, "is inactive"],
    [["forms", "access", "grant", PROFILE, "--role", "$ROLE", "--types", "CREATE"], 3, "does not support CREATE"],
  ])("refuses %j without a write", async (words, code, message) => {
    const { cli, received, withIds } = await openScene();
    await cli.run("forms", "create", OBJECT, "--name", "Asleep", "--types", "VIEW", "--inactive");
    await cli.run("forms", "update", PROFILE, "--success-message", "z".repeat(1_000));
    received.length = 0;
    const outcome = await cli.run(...words.map(withIds));
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(received.map(({ method }) => method)).not.toEqual([]);
    expect(new Set(received.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });
});

describe("layouts create for the target of a form", () => {
  it.each([[[...card, ...ofForm]], [["-f", "layout-of-form.yaml"]]])(
    "is refused without a request: %j (R86)",
    async (words) => {
      const { cli, received } = await openScene();
      cli.file("layout-of-form.yaml", {
        surface: "DYNAMIC_OBJECT",
        supportedModes: ["VIEW"],
        target: { moduleKey: "staffing", objectKey: "candidate", formId: "frm_1" },
        name: "Card",
      });
      const { code, error } = await cli.run("layouts", "create", ...words, "-o", "json");
      expect(code).toBe(6);
      expect(error().code).toBe("LAYOUT_FORM_OWNED");
      expect(received).toEqual([]);
    },
  );
});

it("refuses a draft for another layout at the place of the mistake", async () => {
  const { cli, received } = await openScene();
  const { code, stderr } = await cli.run("layouts", "draft", "push", DESK, "draft-no-regions.yaml");
  expect(code).toBe(3);
  expect(stderr).toContain("regions is required");
  expect(received).toEqual([]);
});

it("prints the line and column of a mistake in a filter", async () => {
  const { cli } = await openScene();
  const { stderr } = await cli.run("forms", "list", OBJECT, "-f", "filter-wrong.yaml");
  expect(stderr).toMatch(/^filter-wrong\.yaml:3:5 /);
});
