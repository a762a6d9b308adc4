/**
 * Attacks on the record of migrations on a server. A user who may write layouts changes the record, and another user
 * with more permissions reverts or continues a migration.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { memberDigests, membersOf, noNames } from "../../src/migrations/form-members.ts";
import { checksumOf } from "../../src/migrations/folder.ts";
import type { MigrationEntry, Replaced } from "../../src/migrations/record.ts";
import { contentDigest } from "../../src/manifests/content/compare.ts";
import { contentOf } from "../../src/lists/versions.ts";
import type { Service } from "../../src/service.ts";
import type { Outcome } from "../commands/cli.ts";
import { behindNorthwind } from "../commands/manifests-scene.ts";
import { forgeRecord } from "./forged-record.ts";
import { type MigrateScene, openMigrateScene } from "./migrate-scene.ts";
import { entry } from "./record-targets.ts";
import { content } from "./transform-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const MEMBERS = 'export default { match: { forms: ["Matched"] }, form: (form) => ({ ...form, isActive: false }) };\n';
/** The same for a form that was renamed. */
const FORMER = MEMBERS.replace("Matched", "Former");
const CONTENT = `export default {
  match: { forms: ["Matched"] },
  layout: (content) => ({ ...content, blocks: content.blocks.map((b) => ({ ...b, config: { label: "New" } })) }),
};
`;

let scene: MigrateScene;
/** The role that the attacker wants to give access to. */
let roleId: string;
let otherRoleId: string;
type Made = { formId: string; layoutId: string };
let matched: Made;
let victim: Made;

const behind = <T>(use: (service: Service) => Promise<T>) => behindNorthwind(scene.cli, (service) => use(service));

beforeEach(async () => {
  scene = await openMigrateScene("a server");
  await behindNorthwind(scene.cli, async (service, local) => {
    const { roles } = (await local.show()).organizations.find(({ key }) => key === "northwind")!;
    [roleId, otherRoleId] = roles.map(({ id }) => id) as [string, string];
    const create = async (name: string): Promise<Made> => {
      const { id, viewLayoutId } = await service.createForm({ ...CANDIDATE, body: { name, types: ["VIEW"] } });
      for (const label of ["Old", "New"]) await publish(service, viewLayoutId, label);
      return { formId: id, layoutId: viewLayoutId };
    };
    matched = await create("Matched");
    victim = await create("Victim");
  });
});

async function publish(service: Service, layoutId: string, label: string): Promise<void> {
  const body = { ...content({ phone: label }), schemaVersion: 1 as const, clientMutationId: crypto.randomUUID() };
  const { draftVersionId } = await service.saveDraft({ layoutId, body });
  await service.publishLayout({ layoutId, body: { clientMutationId: crypto.randomUUID(), draftVersionId } });
}

const accessOf = ({ formId }: Made) => behind((service) => service.getFormAccess({ ...CANDIDATE, formId }));
const labelOf = ({ layoutId }: Made) =>
  behind(async (service) => {
    const versions = await service.listVersions({ layoutId });
    return versions.find(({ status }) => status === "PUBLISHED")?.blocks?.[0]?.config?.["label"];
  });

const ATTACKER = () => ({ users: [], roles: [{ roleId, types: ["VIEW"] }] });
const UNCHANGED = { users: [], roles: [] };

/** Returns the record of a form whose members had these former values. The other values are true. */
async function forgedMembers({ formId, layoutId }: Made, members: object, name = "Matched"): Promise<Replaced> {
  const now = await behind(async (service) => {
    const form = await service.getForm({ ...CANDIDATE, formId });
    const access = await service.getFormAccess({ ...CANDIDATE, formId });
    return memberDigests(membersOf(CANDIDATE, { form, listed: form, access, defaultFor: [] } as never, noNames));
  });
  return {
    address: `staffing/candidate/${name}`,
    kind: "Form",
    layoutId,
    formId,
    publishedVersionId: null,
    members: members as never,
    written: { members: Object.fromEntries(Object.keys(members).map((member) => [member, now[member]!])) },
  };
}

/** Returns the record of a layout whose first published version was the former one. */
async function forgedContent({ formId, layoutId }: Made): Promise<Replaced> {
  const versions = await behind((service) => service.listVersions({ layoutId }));
  const [first, now] = versions.filter(({ publishedAt }) => publishedAt).toSorted((a, b) => a.version! - b.version!);
  const ids = { address: "staffing/candidate/Matched", kind: "Form" as const, layoutId, formId };
  const sha256 = contentDigest(contentOf(first!));
  return { ...ids, publishedVersionId: first!.id, sha256, written: { sha256: contentDigest(contentOf(now!)) } };
}

/** Saves a record in which the migration of the file made this change. */
async function forge(file: string, replaced: Replaced[], members: Partial<MigrationEntry> = {}): Promise<void> {
  scene.cli.file("migrations/1-change.js", file);
  const checksum = checksumOf(Buffer.from(file));
  const text = JSON.stringify([entry("1-change", { checksum, replaced, ...members })]);
  await behind((service) => forgeRecord(service, text));
}

const migrate = (...words: string[]): Promise<Outcome> => scene.cli.run("migrate", ...words);

it("does not let a forged record change the access of a form that the migration does not match", async () => {
  await forge(MEMBERS, [await forgedMembers(victim, { access: ATTACKER() })]);
  const { code, stderr } = await migrate("down", "--yes", "--overwrite");
  expect(await accessOf(victim)).toEqual(UNCHANGED);
  expect([code, stderr]).toEqual([9, expect.stringContaining("the migration does not match it")]);
});

it("does not let a forged record change a member that the migration does not change", async () => {
  await forge(MEMBERS, [await forgedMembers(matched, { access: ATTACKER() })]);
  const { code, stderr } = await migrate("down", "--yes", "--overwrite");
  expect(await accessOf(matched)).toEqual(UNCHANGED);
  expect([code, stderr]).toEqual([9, expect.stringContaining("does not change its access as the record states")]);
});

it("does not let a forged former name select another form", async () => {
  const file = FORMER.replace("isActive: false", 'name: "Renamed", isActive: true');
  await forge(file, [await forgedMembers(victim, { name: "Former", isActive: false })]);
  await migrate("down", "--yes", "--overwrite");
  const { name, isActive } = await behind((service) => service.getForm({ ...CANDIDATE, formId: victim.formId }));
  expect({ name, isActive }).toEqual({ name: "Victim", isActive: true });
});

it.each([
  ["another form", () => victim, MEMBERS],
  ["another form, named as the layout of the form", () => ({ ...matched, layoutId: victim.layoutId }), CONTENT],
  ["a form whose layout the migration does not change", () => matched, MEMBERS],
  ["a form whose layout the migration changes in another way", () => matched, CONTENT.replace("New", "Other")],
])("does not let a forged record publish an earlier layout of %s", async (_what, of, file) => {
  await forge(file, [await forgedContent(of())]);
  const { code } = await migrate("down", "--yes", "--overwrite", "--allow-replace");
  expect([await labelOf(matched), await labelOf(victim)]).toEqual(["New", "New"]);
  expect(code).toBe(9);
});

it("brings back the earlier layout that the migration changed", async () => {
  await forge(CONTENT, [await forgedContent(matched)]);
  expect((await migrate("down", "--yes")).code).toBe(0);
  expect([await labelOf(matched), await labelOf(victim)]).toEqual(["Old", "New"]);
});

it.each(["missing", "edited"])("reverts nothing from a record whose file is %s", async (what) => {
  await forge(CONTENT, [await forgedContent(matched)]);
  if (what === "missing") rmSync(join(scene.cli.cwd, "migrations/1-change.js"));
  else scene.cli.file("migrations/1-change.js", `${CONTENT}// Edited\n`);
  const { code, stderr } = await migrate("down", "--yes");
  expect(await labelOf(matched)).toBe("New");
  expect([code, stderr]).toEqual([6, expect.stringContaining(what === "missing" ? "file is missing" : "was edited")]);
});

const running = { state: "running" } as const;

it("does not let a forged interruption pass foreign access rows to the migration", async () => {
  const added = `access: { ...form.access, roles: [...form.access.roles, { roleId: "${otherRoleId}", types: ["VIEW"] }] }`;
  const file = MEMBERS.replace("isActive: false", added);
  await forge(file, [await forgedMembers(matched, { access: ATTACKER() })], running);
  const { code } = await migrate("run", "--yes");
  expect(await accessOf(matched)).toEqual(UNCHANGED);
  expect(code).toBe(9);
});

it("does not let a forged interruption select another form by its former name", async () => {
  await forge(FORMER, [await forgedMembers(victim, { name: "Former" })], running);
  await migrate("run", "--yes");
  const { isActive } = await behind((service) => service.getForm({ ...CANDIDATE, formId: victim.formId }));
  expect(isActive).toBe(true);
});

it("does not let a forged interruption select another form by the content that its layout had", async () => {
  const file = MEMBERS.replace('forms: ["Matched"]', 'showsField: "email"');
  await forge(file, [{ ...(await forgedContent(victim)), members: {} }], running);
  await migrate("run", "--yes");
  const { isActive } = await behind((service) => service.getForm({ ...CANDIDATE, formId: victim.formId }));
  expect(isActive).toBe(true);
});

it("does not let a forged lease block migrations: the hint names how to end it", async () => {
  await forge(MEMBERS, [], { ...running, heldUntil: "9999-12-31T23:59:59.999Z" });
  for (const command of [
    ["run", "--yes"],
    ["down", "--yes"],
  ]) {
    const refused = await migrate(...command);
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringContaining("end the lease: formctl migrate repair 1-change\n"),
    ]);
    expect(refused.stderr).not.toContain("Wait until");
  }
  expect((await migrate("repair", "1-change", "--yes")).code).toBe(0);
  expect((await migrate("run", "--yes")).code).toBe(0);
});

const formNames = () => scene.forms();
const step = (name: string, answer: unknown) => ({ name, answer: answer as never, at: "2026-03-02T09:00:00.000Z" });

it("does not let a forged answer name the form that the function down deletes", async () => {
  const answer = await behind((service) => service.getForm({ ...CANDIDATE, formId: matched.formId }));
  const file = `export default {
  run: async () => {},
  down: (service, step, answers) => step("delete", () => service.deleteForm({
    moduleKey: "staffing", objectKey: "candidate", formId: answers.create.id })),
};
`;
  await forge(file, [], { steps: [step("create", { ...answer, id: victim.formId })] });
  const { code, stderr } = await migrate("down", "--yes");
  expect(await formNames()).toEqual(["Matched", "Victim"]);
  expect([code, stderr]).toEqual([
    6,
    expect.stringContaining('the recorded answer of step "create" is not that of a form'),
  ]);
  await forge(file, [], { steps: [step("create", answer)] });
  expect((await migrate("down", "--yes")).code).toBe(0);
  expect(await formNames()).toEqual(["Victim"]);
});

it("does not let a forged answer replace the ids of the addresses in YAML", async () => {
  const file = "steps:\n  - name: delete\n    deleteForm: { form: staffing/candidate/Matched }\n";
  scene.cli.file("migrations/1-change.yaml", file);
  const checksum = checksumOf(Buffer.from(file));
  const forgeIds = (formId: string) => {
    const steps = [step("delete: find", { ...CANDIDATE, formId })];
    const text = JSON.stringify([entry("1-change", { checksum, steps, ...running })]);
    return behind((service) => forgeRecord(service, text));
  };
  await forgeIds(victim.formId);
  const { code, stderr } = await migrate("run", "--yes");
  expect(await formNames()).toEqual(["Matched", "Victim"]);
  expect([code, stderr]).toEqual([9, expect.stringContaining('the record of step "delete" has other ids')]);
  await forgeIds(matched.formId);
  expect((await migrate("run", "--yes")).code).toBe(0);
  expect(await formNames()).toEqual(["Victim"]);
});
