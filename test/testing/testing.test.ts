/** The test kit, used through its entry. */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient, defineMigration, openProject, type Service } from "../../src/index.ts";
import {
  fault,
  revertScript,
  runScript,
  runTransform,
  startServer,
  TEST_ORGANIZATION,
  testOrganization,
} from "../../src/testing.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

const contact = { moduleKey: "crm", objectKey: "contact" };
const newForm = { ...contact, body: { name: "Intake", types: ["CREATE" as const] } };
const content = {
  schemaVersion: 1,
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
  blocks: [
    {
      id: "n",
      type: "field",
      source: "dynamic_field",
      regionKey: "main",
      ref: { fieldKey: "notes" },
      config: { label: "Notes" },
    },
  ],
};

describe("a test organization", () => {
  it("has records, a service, a token and a target", async () => {
    await using test = await testOrganization();
    expect(test.organization.roles.map(({ key }) => key)).toEqual(["agent", "manager"]);
    await test.service.createForm(newForm);
    const caller = await test.local.authenticate(test.token);
    expect(caller?.organization).toBe("acme");
    const root = newFolder();
    mkdirSync(join(root, "forms"));
    writeFileSync(join(root, "forms/desk.yaml"), "kind: Form\nobject: crm/contact\nname: Desk\ntypes: [VIEW]\n");
    const project = openProject({ root, manifests: "forms", target: test.target });
    const { rehearsal } = await project.plan({ rehearse: true });
    expect(rehearsal?.refusals).toEqual([]);
    expect((await test.service.listForms({ moduleKey: "crm", objectKey: "contact" })).data).toHaveLength(1);
    expect(await project.apply()).toMatchObject({ outcome: "applied" });
  });

  it("has the records of a file, and the organization that is named", async () => {
    const file = {
      organizations: [...TEST_ORGANIZATION.organizations, { key: "other", name: "Other" }],
    };
    await expect(testOrganization({ file })).rejects.toMatchObject({ code: "ORGANIZATION_UNCLEAR" });
    await using test = await testOrganization({ file, organization: "other" });
    expect(test.organization.name).toBe("Other");
    expect(await test.service.listLayouts({})).toEqual([]);
  });

  it("has the clock and the permissions of the test", async () => {
    const now = new Date("2030-01-02T03:04:05.000Z");
    await using test = await testOrganization({ now: () => now, permissions: ["api.custom_forms.read"] });
    const [token] = await test.local.listTokens();
    expect(token).toMatchObject({ createdAt: now.toISOString(), permissions: ["api.custom_forms.read"] });
  });

  it("is closed at the end of its block", async () => {
    let service: Service;
    {
      await using test = await testOrganization();
      ({ service } = test);
    }
    await expect(service.listLayouts({})).rejects.toThrow("closed");
  });
});

describe("a test server", () => {
  async function connected(options: Omit<Parameters<typeof startServer>[0], "local"> = {}) {
    const test = await testOrganization();
    const server = await startServer({ local: test.local, ...options });
    const client = createClient({ baseUrl: server.baseUrl, token: server.token });
    onTestFinished(async () => {
      await client.close();
      await server.close();
      await test.close();
    });
    return { test, server, client };
  }

  it("serves the store to a client", async () => {
    const { test, client } = await connected();
    await client.createForm(newForm);
    expect(await test.service.listForms(contact)).toMatchObject({ data: [{ name: "Intake" }] });
  });

  it("has faults, which the client sees, until they end", async () => {
    let faults = 0;
    const { server, client } = await connected({
      faults: [fault("getForm", { status: 404 }), "createForm:409:first=1"],
      onFault: () => faults++,
    });
    await expect(client.createForm(newForm)).rejects.toMatchObject({ status: 409 });
    const { id: formId } = await client.createForm(newForm);
    await expect(client.getForm({ ...contact, formId })).rejects.toMatchObject({ status: 404 });
    server.endFaults();
    expect(await client.getForm({ ...contact, formId })).toMatchObject({ name: "Intake" });
    expect(faults).toBe(2);
  });

  it("names an invalid fault", async () => {
    await expect(connected({ faults: ["createFrom:500"] })).rejects.toThrow(
      'the fault "createFrom:500" has the unknown part "createFrom"',
    );
    expect(() => fault("read", { status: 700 })).toThrow('the fault "read:700:before" ');
  });

  it("refuses operations that the token does not permit", async () => {
    const { client } = await connected({ permissions: ["api.custom_forms.read"] });
    await expect(client.createForm(newForm)).rejects.toMatchObject({ status: 403 });
  });

  it("refuses connections after it is closed", async () => {
    await using test = await testOrganization();
    const server = await startServer({ local: test.local });
    await server.close();
    await expect(fetch(server.baseUrl)).rejects.toThrow("fetch failed");
  });

  it("lets the program end by itself after it is closed, also with a request that hangs", () => {
    const script = join(newFolder(), "program.ts");
    const source = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src", name)));
    writeFileSync(
      script,
      `import { createClient } from ${source("index.ts")};
       import { fault, startServer, testOrganization } from ${source("testing.ts")};
       const test = await testOrganization();
       const server = await startServer({ local: test.local, faults: [fault("listForms", { effect: "hang" })] });
       const client = createClient({ baseUrl: server.baseUrl, token: server.token, timeout: 200 });
       await client.listForms({ moduleKey: "crm", objectKey: "contact" }).catch(({ code }) => console.log(code));
       for (const each of [client, server, test]) await each.close();`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 20_000 });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "TIMED_OUT\n", stderr: "" });
  });
});

describe("a fault", () => {
  it.each([
    [fault("publishLayout", { status: 504, after: true }), "publishLayout:504:after"],
    [fault("write", { status: 429, retryAfter: 2, first: 20 }), "write:429:retry-after=2:before:first=20"],
    [fault("*", { slow: 500, rate: 0.05 }), "*:slow=500ms:before:rate=0.05"],
    [fault("read", { effect: "wrong-token", at: 3 }), "read:wrong-token:before:at=3"],
    [fault("write", { effect: "cut", bytes: 64, framing: "close" }), "write:cut=64:framing=close:before"],
    [fault("write", { effect: "reset", after: true }), "write:reset:after"],
    [fault("*", { effect: "html", status: 200 }), "*:html=200:before"],
    [fault("read", { drip: 800 }), "read:drip=800ms:before"],
  ])("%# is written as for the command", ({ text }, expected) => {
    expect(text).toBe(expected);
  });

  it("is refused outside of its limits", () => {
    expect(() => fault("read", { status: 200 })).toThrow("must have a status from 400 to 599");
  });
});

describe("the function layout of a migration", () => {
  const labelNotes = defineMigration({
    match: { objects: ["crm/contact"], showsField: "notes" },
    layout: (draft) => ({
      ...draft,
      blocks: draft.blocks.map((block) => ({ ...block, config: { ...block.config, label: "Remarks" } })),
    }),
  });

  it("is called with both parameters", () => {
    const about = {
      kind: "Form",
      address: "crm/contact/A",
      name: "A",
      surface: "DYNAMIC_OBJECT",
      modes: ["VIEW"],
    } as const;
    const whole = { ...content, stagedFieldDefinitions: [], scriptBindings: [], metadata: null };
    expect(labelNotes.layout(whole, about)?.blocks[0]?.config).toEqual({ label: "Remarks" });
  });

  it("returns the changed content, without ids that the content lacks", () => {
    const [{ id: _id, ...block }] = content.blocks as [(typeof content.blocks)[0]];
    const result = runTransform(labelNotes, { ...content, blocks: [block] });
    expect(result?.blocks).toEqual([{ ...block, config: { label: "Remarks" } }]);
  });

  it("is not called for what the match does not select", () => {
    expect(runTransform(labelNotes, content, { object: { moduleKey: "crm", objectKey: "company" } })).toBeUndefined();
    expect(runTransform(labelNotes, { ...content, blocks: [] })).toBeUndefined();
  });

  it("returns undefined if nothing changes", () => {
    expect(runTransform({ layout: () => null }, content)).toBeUndefined();
    expect(runTransform({ layout: (draft) => draft }, content)).toBeUndefined();
  });

  it("gets a description of the form or layout that the match selects", () => {
    const seen: unknown[] = [];
    const layout = (_draft: unknown, about: { address: string }) => {
      seen.push(about.address);
      return null;
    };
    runTransform({ match: { forms: ["Intake"], objects: ["crm/company"] }, layout }, content);
    runTransform({ match: { surfaces: ["CONTRACTOR"] }, layout }, content);
    runTransform({ layout }, content, { name: "Desk" });
    expect(seen).toEqual(["crm/company/Intake", "CONTRACTOR/Test", "crm/contact/Desk"]);
  });

  it.each([
    ["a forgotten return", () => undefined as never, "returns nothing"],
    ["a promise", (async () => null) as never, "Remove async"],
    ["an invalid content", (draft: object) => ({ ...draft, blocks: {} }) as never, "the returned content is invalid"],
    [
      "a new error of the draft",
      (draft: { blocks: object[] }) => ({ ...draft, blocks: [...draft.blocks, ...draft.blocks] }) as never,
      "is invalid",
    ],
  ])("is refused for %s, as in a real run", (_what, layout, message) => {
    const run = () => runTransform({ layout }, content);
    expect(run).toThrow(
      expect.objectContaining({ code: "MIGRATION_INVALID", message: expect.stringContaining(message) }),
    );
  });
});

describe("a script", () => {
  const review = defineMigration({
    async run(service, step) {
      const form = await step("create", () => service.createForm(newForm));
      await step("rename", () => service.updateLayout({ layoutId: form.viewLayoutId!, body: { name: "Renamed" } }));
    },
    async down(service, step, answers) {
      const { id: formId } = answers["create"] as { id: string };
      await step("delete", () => service.deleteForm({ ...contact, formId }));
    },
  });

  it("runs, and is reverted with the answers of its steps", async () => {
    await using test = await testOrganization();
    const answers = await runScript(review, test.service);
    expect(Object.keys(answers)).toEqual(["create", "rename"]);
    const count = async () => (await test.service.listForms(contact)).data.length;
    expect(await count()).toBe(1);
    expect(await revertScript(review, test.service, answers)).toEqual({ delete: null });
    expect(await count()).toBe(0);
  });

  it("continues after an interruption with the answers that are known", async () => {
    await using test = await testOrganization();
    const known: Record<string, never> = {};
    const onStep = (name: string, answer: unknown) => {
      known[name] = answer as never;
      throw new Error("stop");
    };
    await expect(runScript(review, test.service, { onStep, seed: "a" })).rejects.toThrow("stop");
    await runScript(review, test.service, { answers: known, seed: "a" });
    expect((await test.service.listForms(contact)).data).toHaveLength(1);
  });

  it("may use a client", async () => {
    await using test = await testOrganization();
    await using server = await startServer({ local: test.local });
    const client = createClient({ baseUrl: server.baseUrl, token: server.token });
    onTestFinished(() => client.close());
    expect(Object.keys(await runScript(review, client))).toEqual(["create", "rename"]);
  });

  it("is refused if it breaks a rule of steps", async () => {
    await using test = await testOrganization();
    const outside = defineMigration({ run: async (service) => void (await service.createForm(newForm)) });
    await expect(runScript(outside, test.service)).rejects.toMatchObject({
      code: "MIGRATION_INVALID",
      message: "createForm is called outside of a step",
    });
    await expect(revertScript(outside, test.service, {})).rejects.toThrow("the script has no function down");
    await expect(runScript({} as never, test.service)).rejects.toMatchObject({ code: "MIGRATION_INVALID" });
  });
});
