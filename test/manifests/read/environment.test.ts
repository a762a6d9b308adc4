/**
 * Placeholders in manifests: their substitution, types and limits. No message may contain a value of the environment.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { readDocument } from "../../../src/documents/document.ts";
import { toYaml } from "../../../src/documents/write-yaml.ts";
import { checkManifests } from "../../../src/manifests/read/check.ts";
import { substitute, escapePlaceholders } from "../../../src/manifests/read/environment.ts";
import { readManifests } from "../../../src/manifests/read/read-manifests.ts";
import { resolveNames, referencesOf } from "../../../src/manifests/references.ts";
import { temporaryFolder } from "../../temporary.ts";

function openFolder(): string {
  const { path: root, remove } = temporaryFolder();
  onTestFinished(remove);
  return root;
}

async function read(files: Readonly<Record<string, string>>, env: Record<string, string>) {
  const root = openFolder();
  mkdirSync(root, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return readManifests({ paths: ["."], cwd: root, root, env });
}

const form = (more: string) => `kind: Form\nobject: staffing/candidate\nname: Card\ntypes: [VIEW]\n${more}\n`;
const first = async (more: string, env: Record<string, string>) => {
  const { manifests, problems } = await read({ "a.yaml": form(more) }, env);
  return { manifest: manifests[0], problems };
};

describe("a placeholder", () => {
  it.each([
    ["${A}", "one"],
    ["x${A}y${B}z", "xoneytwoz"],
    ["${MISSING:-none}", "none"],
    ["${EMPTY:-none}", "none"],
    ["a${EMPTY}b", "ab"],
    ["${A:-none}", "one"],
    ["${MISSING:-}", ""],
    ["$${A}", "${A}"],
    ["$$${A}", "$${A}"],
    ["$A ${A}", "$A one"],
    ["100 $ {A}", "100 $ {A}"],
    ["${MISSING:-a:-b - c}", "a:-b - c"],
    ["${C}", "${A}"],
  ])("in %s is substituted to %s", async (source, text) => {
    const env = { A: "one", B: "two", C: "${A}", EMPTY: "" };
    const { manifest, problems } = await first(`config: { title: ${JSON.stringify(source)} }`, env);
    expect(problems).toEqual([]);
    expect(manifest).toMatchObject({ config: { title: text } });
  });

  it.each(["${", "${A", "${1A}", "${A-b}", "${A:b}", "${}", "${ A }", "${A:-${B}}", "${A.b}"])(
    "that is invalid, as in %s, is reported at its position",
    async (source) => {
      const { problems } = await first(`config: { title: ${JSON.stringify(source)} }`, { A: "one", B: "two" });
      expect(problems).toMatchObject([{ code: "ENV_SYNTAX", line: 5, column: 18 }]);
    },
  );

  it("of a variable that is not set is reported with its name", async () => {
    const { problems } = await first(`config: { title: "\${ONE} and \${TWO}", description: "\${ONE}" }`, {});
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "ENV_UNSET config.title requires the environment variable ONE, which is not set. Set it, or write ${ONE:-default}",
      "ENV_UNSET config.title requires the environment variable TWO, which is not set. Set it, or write ${TWO:-default}",
      "ENV_UNSET config.description requires the environment variable ONE, which is not set. Set it, or write ${ONE:-default}",
    ]);
  });

  it("does not read members of the object prototype", async () => {
    const { problems } = await first('config: { title: "${constructor}${__proto__}" }', {});
    expect(problems.map(({ code }) => code)).toEqual(["ENV_UNSET", "ENV_UNSET"]);
  });

  it("is not substituted in a key", async () => {
    const { manifest } = await first('config: { "${A}": x }', { A: "one" });
    expect(manifest).toMatchObject({ config: { "${A}": "x" } });
  });

  it("is substituted in layout files", async () => {
    const layout = "schemaVersion: 1\nregions: [{ key: main, label: '${LABEL}', layout: stack }]\nblocks: []\n";
    const set = await read({ "a.yaml": form("layout: ./x.layout.yaml"), "x.layout.yaml": layout }, { LABEL: "Hello" });
    expect(set.problems).toEqual([]);
    expect(set.manifests[0]!.content?.regions).toMatchObject([{ label: "Hello" }]);
  });

  it("is substituted at each alias", async () => {
    const { manifest } = await first('config: { title: "x", a: &a { b: "${A}" }, c: *a }', { A: "one" });
    expect(manifest).toMatchObject({ config: { a: { b: "one" }, c: { b: "one" } } });
  });

  it("is escaped so that any text is read as it is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("$", "{", "}", "$$", "${A}", "a", ":-")).map((parts) => parts.join("")),
        (text) => {
          const value = { text: escapePlaceholders(text) };
          const substituted = substitute({ value, text: JSON.stringify(value) }, { A: "one" });
          expect(substituted).toMatchObject({ value: { text }, problems: [] });
        },
      ),
    );
  });
});

describe("the type of a substituted value", () => {
  it.each([
    ["isActive: ${V}", "true", { isActive: true }],
    ["isActive: ${V:-false}", "", { isActive: false }],
    ['isActive: "${V}"', "True", { isActive: true }],
    ["config: ${V}", "null", { config: null }],
    ["config: { title: ${V} }", "2026", { config: { title: "2026" } }],
    ["config: { more: ${V} }", "7", { config: { more: "7" } }],
    ["publish: ${V}", "false", { publish: false }],
    ["layout: { schemaVersion: ${V}, regions: [], blocks: [] }", "1", { content: { schemaVersion: 1 } }],
  ])("%s with %s follows the schema", async (more, value, expected) => {
    const { manifest, problems } = await first(
      more.replace(/ (\$\{[^}]*\}) /g, ' "$1" ').replace(/: (\$\{[^}]*\}),/, ': "$1",'),
      { V: value },
    );
    expect(problems).toEqual([]);
    expect(manifest).toMatchObject(expected);
  });

  it.each([
    ["isActive: ${V}", "maybe", 'isActive must be true or false, not "${V}"'],
    ["isActive: x${V}", "true", 'isActive must be true or false, not "x${V}"'],
    [
      "defaultFor: ['${V}']",
      "VEIW",
      'defaultFor[0] must be one of CREATE, VIEW, EDIT, not "${V}". Did you mean "VIEW"?',
    ],
    [
      "layout: { schemaVersion: 1, regions: [{ key: m, layout: stack, columns: '${V}' }], blocks: [] }",
      "1e999",
      "layout.regions[0].columns must be a whole number",
    ],
  ])("%s with %s is invalid", async (more, value, message) => {
    const { problems } = await first(more, { V: value });
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});

describe("limits of substituted values", () => {
  it("include the size of the document", async () => {
    const many = Array.from({ length: 200 }, (_, index) => `  k${index}: "\${BIG}"`).join("\n");
    const { problems } = await first(`config:\n${many}`, { BIG: "x".repeat(100_000) });
    expect(problems).toContainEqual(expect.objectContaining({ code: "ENV_TOO_LARGE", line: 89 }));
  });

  it("include unpaired surrogates, long names and large objects", async () => {
    const problemsOf = async (more: string, value: string) => {
      const { problems } = await first(more, { V: value });
      return problems.map(({ code, message, line }) => `${line} ${code} ${message}`);
    };
    expect(await problemsOf('config: { title: "${V}" }', "a\ud800b")).toEqual([
      "5 MANIFEST_INVALID config.title contains an unpaired surrogate",
    ]);
    expect(await problemsOf('renamedFrom: "${V}"', "x".repeat(201))).toEqual([
      "5 MANIFEST_INVALID renamedFrom must be at most 200 characters",
    ]);
    expect(await problemsOf('config: { title: "${V}" }', "x".repeat(20_000))).toEqual([
      "5 MANIFEST_INVALID config must be at most 16 KiB of JSON",
    ]);
  });
});

describe("no message contains a value of the environment", () => {
  const SECRET = 'hunter2 "quoted" \u0085 secret';
  const sources: Record<string, string> = {
    kind: "kind: '${S}'\n",
    object: "kind: Form\nobject: '${S}'\nname: x\ntypes: [VIEW]\n",
    mode: "kind: Form\nobject: a/b\nname: x\ntypes: ['${S}', '${S}']\n",
    "a duplicate name":
      "kind: Form\nobject: a/b\nname: '${S}'\ntypes: [VIEW]\n---\nkind: Form\nobject: a/b\nname: '${S}'\ntypes: [VIEW]\n",
    "the path of a layout": form("layout: '${S}.yaml'"),
    "a duplicate id": form("confirmFieldChanges: ['a${N}', 'a${N}']"),
    "a role": form(
      "access: { users: [{ member: '${S}', types: [VIEW] }, { member: ' ${S}', types: [VIEW] }], roles: [{ role: '${S}', types: [VIEW] }] }",
    ),
    "a region": form(
      "layout: { schemaVersion: 1, regions: [{ key: 'r${N}', layout: stack }, { key: 'r${N}', layout: stack }], blocks: [{ type: field, source: dynamic_field, ref: { fieldKey: '${S}' }, regionKey: '${S}' }] }",
    ),
    "a region with a similar name": form(
      "layout: { schemaVersion: 1, regions: [{ key: 'r${N}', layout: stack }], blocks: [{ type: field, source: dynamic_field, ref: { fieldKey: x }, regionKey: 'rr${N}' }] }",
    ),
  };

  it.each(Object.keys(sources))("about %s", async (name) => {
    const env = { S: SECRET, N: "4711-secret" };
    const set = await read({ "a.yaml": sources[name]! }, env);
    const organization = { modules: [], customFields: [], scripts: [] };
    const checked = checkManifests(set.manifests, { organization, source: "here" });
    const noReferences = referencesOf({ role: [], member: [] }, () => "nowhere");
    const problems = [...set.problems, ...checked.problems, ...resolveNames(set.manifests, noReferences).problems];
    expect(problems.length).toBeGreaterThan(0);
    const text = JSON.stringify(problems);
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("secret");
    expect(text).not.toContain("4711");
  });

  it("except a value of fewer than 4 characters, which is concealed only in quotes", async () => {
    const messageFor = async (S: string) => (await first("isActive: ${S}", { S })).problems[0]!.message;
    expect(await messageFor("mus")).toBe('isActive must be true or false, not "${S}"');
    expect(await messageFor("must")).toBe('isActive ${S} be true or false, not "${S}"');
  });

  it("also if it is cut because it is long", async () => {
    const { problems } = await first("isActive: ${S}", { S: "0123456789".repeat(10) });
    expect(problems.map(({ message }) => message)).toEqual(['isActive must be true or false, not "${S}"']);
  });
});

it("returns the same value if there is no placeholder", () => {
  const document = readDocument(toYaml({ a: ["$", "{"] }), "x");
  expect(substitute(document, {}).value).toBe(document.value);
});
