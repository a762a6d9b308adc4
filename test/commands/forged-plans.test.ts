/** Tests forged plans. Such a plan lists changes that differ from its steps. It is refused before any prompt. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/manifests/content/compare.ts";
import type { SealedPlan } from "../../src/manifests/plan/plan-file.ts";
import type { PlannedResource } from "../../src/manifests/plan/planned.ts";
import { propertyRuns } from "../effort.ts";
import type { Cli } from "./cli.ts";
import { layoutText, openManifestsScene } from "./manifests-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
/** A parsed plan with mutable members. */
type Forged = { plan: { resources: Mutable<PlannedResource>[] } } & Omit<SealedPlan, "plan">;
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

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

const named = ({ plan }: Forged, name: string) => plan.resources.find(({ address }) => address.endsWith(`/${name}`))!;
const stepOf = (resource: Mutable<PlannedResource>, operation: string) =>
  resource.steps.find(({ request }) => request.operation === operation)!.request as unknown as Record<string, unknown>;

const FORGERIES: [string, (sealed: Forged) => void][] = [
  ["a deletion without its confirmation", (sealed) => (named(sealed, "Old").needs = [])],
  ["a deletion as none", (sealed) => (named(sealed, "Old").action = "none")],
  ["a deletion as an update", (sealed) => (named(sealed, "Old").action = "update")],
  [
    "a deletion by the id of another form",
    (sealed) => (named(sealed, "Old").formId = named(sealed, "Profile").formId!),
  ],
  [
    "a deletion of another form than is read",
    (sealed) => {
      const { formId } = named(sealed, "Profile");
      Object.assign(named(sealed, "Old").subject, { formId });
      named(sealed, "Old").formId = formId!;
    },
  ],
  [
    "a deletion under another name",
    (sealed) => (named(sealed, "Old").needs = [{ ...named(sealed, "Old").needs[0]!, what: 'delete the form "Older"' }]),
  ],
  [
    "fewer losses",
    (sealed) => (named(sealed, "Old").needs = [{ ...named(sealed, "Old").needs[0]!, lost: ["nothing"] }]),
  ],
  ["a deletion beside a change", (sealed) => named(sealed, "Profile").steps.push(named(sealed, "Old").steps.at(-1)!)],
  ["a change that is not listed", (sealed) => (named(sealed, "Profile").changes = [])],
  [
    "fewer blocks than are removed",
    (sealed) => {
      const profile = named(sealed, "Profile");
      profile.changes = profile.changes.filter(({ path }) => !path.startsWith("layout.blocks[1]"));
    },
  ],
  [
    "another block than is written",
    (sealed) => {
      const profile = named(sealed, "Profile");
      profile.changes = profile.changes.map((change) =>
        change.path.startsWith("layout.") ? { ...change, path: "layout.metadata" } : change,
      );
    },
  ],
  [
    "another value than is written",
    (sealed) => void (stepOf(named(sealed, "Profile"), "updateForm")["body"] = { config: { title: "Other" } }),
  ],
  [
    "a member that is not listed",
    (sealed) => {
      const request = stepOf(named(sealed, "Profile"), "updateForm");
      request["body"] = { ...(request["body"] as object), isPublic: true };
    },
  ],
  ["a new one with the id of another", (sealed) => (named(sealed, "New").formId = named(sealed, "Profile").formId!)],
  [
    "a new one under another name",
    (sealed) => void ((stepOf(named(sealed, "New"), "createForm")["body"] as { name: string }).name = "X"),
  ],
  [
    "a draft that is overwritten unread",
    (sealed) => Object.assign(named(sealed, "Profile").subject, { content: false }),
  ],
  ["one resource twice", (sealed) => sealed.plan.resources.push(named(sealed, "Old"))],
  ["a kind that is not known", (sealed) => Object.assign(named(sealed, "Old"), { kind: "Page" })],
  [
    "an operation that is not known",
    (sealed) => void (stepOf(named(sealed, "Old"), "deleteForm")["operation"] = "deleteAll"),
  ],
  [
    "an operation of every object",
    (sealed) => void (stepOf(named(sealed, "Old"), "deleteForm")["operation"] = "constructor"),
  ],
  ["a confirmation that is not known", (sealed) => Object.assign(named(sealed, "Old").needs[0]!, { consent: "yes" })],
  ["texts that are none", (sealed) => Object.assign(named(sealed, "Old"), { notes: [1] })],
  ["a subject that is none", (sealed) => Object.assign(named(sealed, "Old"), { subject: {} })],
];

describe("a plan that was edited and hashed again", () => {
  it.each(FORGERIES)("is refused: %s", async (_, forge) => {
    const { cli, sealed, draft } = await openPlanned();
    const before = await draft();
    forge(sealed);
    write(cli, sealed);
    const codes: number[] = [];
    for (const consents of [["--allow-replace"], ["--allow-replace", "--allow-delete"], ["--dry-run"]]) {
      // oxlint-disable-next-line no-await-in-loop
      codes.push((await cli.run("apply", "forged.json", "--yes", ...consents)).code);
    }
    expect(codes).toEqual([3, 3, 3]);
    expect(await draft()).toBe(before);
    const { data } = await cli.behind((service) => service.listForms({ ...CANDIDATE, query: {} }));
    expect(data.map(({ name }) => name)).toContain("Old");
  });

  it("overwrites no draft of another user without the confirmation that it leaves out", async () => {
    const { cli, sealed, draft } = await openPlanned();
    const before = await draft();
    named(sealed, "Profile").needs = [];
    write(cli, sealed);
    const { code, stderr } = await cli.run("apply", "forged.json", "--yes", "--allow-delete");
    expect(code).toBe(8);
    expect(stderr).toContain("--allow-replace");
    expect(await draft()).toBe(before);
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
    const places = placesIn(sealed.plan);
    expect(places.length).toBeGreaterThan(300);
    const odd = fc.constantFrom<unknown>(null, 0, -1, true, "", "x", "__proto__", "constructor", [], [null], {}, [[]]);
    const other = fc.nat(places.length - 1).map((index) => valueAt(sealed.plan, places[index]!));
    const change = fc.record({
      place: fc.nat(places.length - 1),
      value: fc.oneof(odd, other, fc.constant(undefined)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const forged = structuredClone(sealed);
        for (const { place, value } of changes) setAt(forged.plan, places[place]!, value);
        write(cli, JSON.parse(JSON.stringify(forged)) as Forged);
        const { code, stderr } = await cli.run("apply", "forged.json", "--dry-run");
        expect({ stderr, isExpected: [0, 3, 5, 6].includes(code) }).toEqual({ stderr, isExpected: true });
        if (code !== 0) return;
        for (const { action, steps, needs } of forged.plan.resources) {
          const deletes = steps.some(({ request }) => request.operation === "deleteForm");
          expect(action === "delete").toBe(deletes);
          expect(needs.some(({ consent }) => consent === "allow-delete")).toBe(deletes);
        }
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
