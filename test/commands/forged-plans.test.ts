/**
 * Tests forged plans. A plan file has no steps, so what is shown is always what is done. An edited plan either differs
 * from the shown steps, or it is shown and confirmed like any other plan.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contents/compare.ts";
import type { PlanFile } from "../../src/plan/plan-file.ts";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { propertyRuns } from "../effort.ts";
import type { Cli } from "./cli.ts";
import { layoutText, openManifestsScene } from "./manifests-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
/** A parsed plan with mutable members. */
type Forged = Mutable<PlanFile>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object | undefined ? Mutable<T[K]> : T[K] };

/** Returns a plan that creates, changes and deletes records, and overwrites another user's draft. */
async function openPlanned(): Promise<{ cli: Cli; sealed: Forged; draft: () => Promise<string | undefined> }> {
  const { cli } = await openManifestsScene("a local store");
  expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
  await cli.behind((service) =>
    service.createForm({ ...CANDIDATE, body: { name: "Old", types: ["VIEW"], isActive: true, isPublic: false } }),
  );
  const profile = async () =>
    cli.behind(async (service) => {
      const { data } = await service.listForms({ ...CANDIDATE, query: {} });
      return data.find(({ name }) => name === "Profile")!;
    });
  const { viewLayoutId: layoutId } = await profile();
  const draft = async () => {
    const versions = await cli.behind((service) => service.listVersions({ layoutId }));
    return versions.find(({ status }) => status === "DRAFT")?.id;
  };
  cli.file("draft.yaml", layoutText("email"));
  expect((await cli.run("layouts", "draft", "push", layoutId, "draft.yaml")).code).toBe(0);
  const text = readFileSync(join(cli.cwd, "manifests/candidate.yaml"), "utf8");
  const extra = "---\nkind: Form\nobject: staffing/candidate\nname: New\ntypes: [VIEW]\nconfig: {title: New}\n";
  cli.file("manifests/candidate.yaml", text.replace("title: Candidate", "title: Person") + extra);
  cli.file("manifests/profile.layout.yaml", layoutText("full_name", "phone"));
  expect((await cli.run("plan", "manifests", "--prune", "--out", "plan.json")).code).toBe(0);
  const sealed = JSON.parse(readFileSync(join(cli.cwd, "plan.json"), "utf8")) as Forged & { sha256?: string };
  delete sealed.sha256;
  return { cli, sealed, draft };
}

function write(cli: Cli, sealed: Forged): void {
  cli.file("forged.json", `${JSON.stringify({ ...sealed, sha256: digestOf(sealed) })}\n`);
}

const manifestOf = ({ manifests }: Forged, name: string) => manifests.find((each) => each.name === name)!;
const formOf = (file: Forged, name: string) =>
  manifestOf(file, name) as Extract<Forged["manifests"][0], { kind: "Form" }>;
const shownOf = ({ shown }: Forged, name: string) => shown[`staffing/candidate/${name}`]!;

/** Each forgery with the exit code of its refusal. */
const FORGERIES: [string, number, (file: Forged) => void][] = [
  ["a deletion that is not shown", 6, ({ shown }) => delete shown["staffing/candidate/Old"]],
  ["a deletion as none", 6, (file) => (shownOf(file, "Old").steps = [])],
  ["a deletion by the id of another form", 6, (file) => (file.deleted[0]!.formId = "frm_other")],
  ["a deletion of a form of a manifest", 6, (file) => void file.manifests.splice(0, 1)],
  ["a change that is not shown", 6, (file) => (shownOf(file, "Profile").steps = [])],
  [
    "another content than is shown",
    6,
    (file) => void (manifestOf(file, "Profile").content!.blocks[0]!.config = { label: "Other" }),
  ],
  ["another value than is shown", 6, (file) => (formOf(file, "Profile").config = { title: "Other" })],
  ["a member that is not shown", 6, (file) => (formOf(file, "Profile").isPublic = true)],
  ["a value that was not replaced", 6, (file) => (shownOf(file, "Profile").steps[0]!.replaces["config"] = "0")],
  ["another state than was read", 6, (file) => (shownOf(file, "Profile").read.record = "0")],
  ["a new one under another name", 3, (file) => (manifestOf(file, "New").name = "X")],
  ["a new one in another object", 3, (file) => (formOf(file, "New").object.objectKey = "placement")],
  [
    "a rename of another kind of record",
    3,
    (file) => (manifestOf(file, "New").formerAddress = "staffing/placement/Profile"),
  ],
  ["one manifest twice", 3, (file) => void file.manifests.push(manifestOf(file, "New"))],
  ["a kind that is not known", 3, (file) => Object.assign(manifestOf(file, "New"), { kind: "Page" })],
  ["a mode that is not known", 3, (file) => Object.assign(formOf(file, "New"), { types: ["READ"] })],
  ["a name of every object", 3, (file) => Object.assign(manifestOf(file, "New"), { address: "constructor" })],
  ["texts that are none", 3, (file) => Object.assign(manifestOf(file, "New"), { confirmFieldChanges: [1] })],
  ["a content that is none", 3, (file) => Object.assign(manifestOf(file, "New"), { content: {} })],
];

describe("a plan that was edited and hashed again", () => {
  it.each(FORGERIES)("is refused: %s", async (_, code, forge) => {
    const { cli, sealed, draft } = await openPlanned();
    const before = await draft();
    forge(sealed);
    write(cli, sealed);
    const codes: number[] = [];
    for (const consents of [["--allow-replace"], ["--allow-replace", "--allow-delete"], ["--dry-run"]]) {
      // oxlint-disable-next-line no-await-in-loop
      codes.push((await cli.run("apply", "forged.json", "--yes", ...consents)).code);
    }
    expect(codes).toEqual([code, code, code]);
    expect(await draft()).toBe(before);
    const { data } = await cli.behind((service) => service.listForms({ ...CANDIDATE, query: {} }));
    expect(data.map(({ name }) => name)).toContain("Old");
  });

  it("has no part without a confirmation: each is derived again", async () => {
    const { cli, sealed, draft } = await openPlanned();
    const before = await draft();
    write(cli, sealed);
    for (const [given, missing] of [
      ["--allow-delete", "--allow-replace"],
      ["--allow-replace", "--allow-delete"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { code, stderr } = await cli.run("apply", "forged.json", "--yes", given);
      expect([code, stderr]).toEqual([8, expect.stringContaining(missing)]);
    }
    expect(await draft()).toBe(before);
  });

  it("lists an added deletion, even if the shown steps were forged too", async () => {
    const { cli, sealed } = await openPlanned();
    await cli.behind((service) => service.createForm({ ...CANDIDATE, body: { name: "Kept", types: ["VIEW"] } }));
    // The shown steps are those of a plan that deletes both forms.
    expect((await cli.run("plan", "manifests", "--prune", "--out", "both.json")).code).toBe(0);
    const both = JSON.parse(readFileSync(join(cli.cwd, "both.json"), "utf8")) as Forged;
    write(cli, { ...sealed, deleted: both.deleted, shown: both.shown });
    const { code, stderr } = await cli.run("apply", "forged.json", "--yes", "--allow-replace");
    expect(code).toBe(8);
    expect(stderr).toContain('delete the form "Kept"');
  });

  it("is applied unchanged as a control", async () => {
    const { cli, sealed } = await openPlanned();
    write(cli, sealed);
    expect((await cli.run("apply", "forged.json", "--yes")).code).toBe(8);
    const { code, stderr } = await cli.run("apply", "forged.json", "--yes", "--allow-delete", "--allow-replace");
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  it("never crashes the program, and deletes nothing that it does not list", async () => {
    const { cli, sealed } = await openPlanned();
    const places = placesIn(sealed);
    expect(places.length).toBeGreaterThan(150);
    const odd = fc.constantFrom<unknown>(null, 0, -1, true, "", "x", "__proto__", "constructor", [], [null], {}, [[]]);
    const other = fc.nat(places.length - 1).map((index) => valueAt(sealed, places[index]!));
    const change = fc.record({
      place: fc.nat(places.length - 1),
      value: fc.oneof(odd, other, fc.constant(undefined)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const forged = structuredClone(sealed);
        for (const { place, value } of changes) setAt(forged, places[place]!, value);
        write(cli, JSON.parse(JSON.stringify(forged)) as Forged);
        const { code, stdout, stderr } = await cli.run("apply", "forged.json", "--dry-run", "-o", "json");
        // 64: the plan is for another target, or the file no longer looks like a plan.
        expect({ stderr, isExpected: [0, 3, 5, 6, 64].includes(code) }).toEqual({ stderr, isExpected: true });
        if (code !== 0) return;
        const { resources } = JSON.parse(stdout) as Applied;
        for (const { action, steps } of resources)
          expect(action === "delete").toBe(steps.some(({ operation }) => operation === "deleteForm"));
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});

type Path = readonly string[];

function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key])),
  ];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}

/** Sets a value. Has no effect if an earlier change removed the path. */
function setAt(root: object, path: Path, value: unknown): void {
  const parent = valueAt(root, path.slice(0, -1));
  if (typeof parent !== "object" || parent === null) return;
  Object.defineProperty(parent, path.at(-1)!, { value, writable: true, enumerable: true, configurable: true });
}
