/** The settings of the user and of the project, as programs read them. */

import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createClient,
  openLocal,
  openProfile,
  openProject,
  readProjectFile,
  serverTarget,
  storeTarget,
} from "../../src/index.ts";
import { fault, startServer, TEST_ORGANIZATION, testOrganization } from "../../src/testing.ts";
import { newCanary } from "../canary.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();

type Files = { config: string; credentials?: string; project?: string };

/** Returns the folder of a project, and the environment of a user with these settings. */
function user({ config, credentials, project }: Files, env: Record<string, string> = {}) {
  const home = newFolder();
  const root = newFolder();
  const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
  write(join(home, "config.yaml"), config);
  if (credentials !== undefined) write(join(home, "credentials.yaml"), credentials);
  if (project !== undefined) writeFileSync(join(root, "formctl.yaml"), project);
  return { home, root, options: { root, env: { FORMCTL_HOME: home, ...env } } };
}

const remote = (baseUrl: string) => `profiles:\n  prod:\n    baseUrl: ${baseUrl}\n`;

describe("the profile of a server", () => {
  it("is opened with the stored token of exactly this server", async () => {
    await using test = await testOrganization();
    await using server = await startServer({ local: test.local });
    const { origin } = new URL(server.baseUrl);
    const { options } = user({
      config: remote(server.baseUrl),
      credentials: `"${origin}":\n  token: ${server.token}\n`,
    });
    await using prod = await openProfile("prod", options);
    expect(prod.kind).toBe("server");
    expect(await prod.service.listLayouts({})).toEqual([]);
    expect(await prod.target.key()).toBe(`${server.baseUrl}#prod`);
  });

  it("is opened with FORMCTL_TOKEN, and with the options of the program", async () => {
    await using test = await testOrganization();
    await using server = await startServer({ local: test.local, faults: ["listLayouts:hang"] });
    const { options } = user({ config: `timeout: 100\n${remote(server.baseUrl)}` }, { FORMCTL_TOKEN: server.token });
    const attempts: string[] = [];
    const onAttempt = ({ path }: { path: string }) => attempts.push(path);
    await using prod = await openProfile("prod", { ...options, timeout: 200, onAttempt });
    await expect(prod.service.listLayouts({})).rejects.toMatchObject({ code: "TIMED_OUT" });
    expect(attempts.length).toBeGreaterThan(0);
  });

  it("limits the requests of a call as commands do: waits that the server requests do not count", async () => {
    await using test = await testOrganization();
    const faults = [
      fault("listLayouts", { status: 429, retryAfter: 2, first: 1 }),
      fault("createForm", { effect: "hang" }),
    ];
    await using server = await startServer({ local: test.local, faults });
    const { options } = user({ config: `timeout: 1\n${remote(server.baseUrl)}` }, { FORMCTL_TOKEN: server.token });
    await using prod = await openProfile("prod", options);
    expect(await prod.service.listLayouts({})).toEqual([]);
    const creation = { moduleKey: "crm", objectKey: "contact", body: { name: "Intake", types: ["CREATE" as const] } };
    await expect(prod.service.createForm(creation)).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
      cause: { code: "TIMED_OUT" },
    });
  });

  it("is refused without a token for the server, also if another server has one", async () => {
    const { options } = user({
      config: remote("https://forms.example.com"),
      credentials: `"https://other.example.com":\n  token: ${newCanary()}\n`,
    });
    await expect(openProfile("prod", options)).rejects.toMatchObject({ code: "NO_TOKEN" });
  });

  it("does not get FORMCTL_TOKEN if a project file names it", async () => {
    const { options } = user({ config: remote("https://forms.example.com") }, { FORMCTL_TOKEN: newCanary() });
    const opened = openProfile("prod", { ...options, namedBy: "project" });
    await expect(opened).rejects.toMatchObject({ code: "NO_TOKEN" });
  });

  it("is refused if other users may read the stored tokens", async () => {
    const { home, options } = user({ config: remote("https://forms.example.com"), credentials: "{}\n" });
    chmodSync(join(home, "credentials.yaml"), 0o644);
    await expect(openProfile("prod", options)).rejects.toMatchObject({ code: "CREDENTIALS_UNUSABLE" });
  });

  it("can't be defined by a project file", async () => {
    const { options } = user({ config: "{}\n", project: remote("https://evil.example.com") });
    await expect(openProfile("prod", options)).rejects.toMatchObject({ code: "INVALID_FILE" });
  });

  it("is refused if it does not exist, with a similar name", async () => {
    const { options } = user({ config: remote("https://forms.example.com") });
    await expect(openProfile("prodd", options)).rejects.toMatchObject({
      code: "SETTING_INVALID",
      hint: "Did you mean prod?",
    });
  });

  it("has the references of the project file", async () => {
    const { options } = user(
      { config: remote("https://forms.example.com"), project: "references:\n  prod:\n    roles: { Agent: rol_1 }\n" },
      { FORMCTL_TOKEN: newCanary() },
    );
    await using prod = await openProfile("prod", options);
    const references = await prod.target.references();
    expect(references.idsOf("role", "agent")).toEqual(["rol_1"]);
    expect(references.source("role")).toBe("references.prod.roles in formctl.yaml");
  });
});

describe("the profile of a store", () => {
  it("is opened at a path relative to the folder of the project", async () => {
    const { root, options } = user({ config: "profiles:\n  dev:\n    store: dev.db\n    organization: acme\n" });
    {
      await using local = await openLocal(join(root, "dev.db"), { create: true });
      await local.seed(TEST_ORGANIZATION);
    }
    await using dev = await openProfile("dev", options);
    expect(dev.kind === "store" && (await dev.local.show()).organizations[0]?.key).toBe("acme");
    expect(await dev.target.key()).toBe(`local:acme@${join(root, "dev.db")}`);
    expect(await dev.service.listLayouts({})).toEqual([]);
  });

  it("is not created if it does not exist", async () => {
    const { root, options } = user({ config: "profiles:\n  dev:\n    store: dev.db\n" });
    await using dev = await openProfile("dev", options);
    await expect(dev.service.listLayouts({})).rejects.toMatchObject({ code: "STORE_MISSING" });
    expect(existsSync(join(root, "dev.db"))).toBe(false);
  });

  it("is refused if its URL contains a password", async () => {
    const { options } = user({ config: "profiles:\n  dev:\n    store: postgres://a:secret@db.example.com/forms\n" });
    await expect(openProfile("dev", options)).rejects.toMatchObject({ code: "SETTING_INVALID" });
  });
});

describe("the project file", () => {
  it("is read with absolute paths and default values", async () => {
    const { root } = user({ config: "{}", project: "profile: prod\nmanifests: forms\nvariables: [TITLE]\n" });
    expect(await readProjectFile(root)).toEqual({
      path: join(root, "formctl.yaml"),
      root,
      profile: "prod",
      object: undefined,
      manifests: join(root, "forms"),
      migrations: join(root, "migrations"),
      variables: ["TITLE"],
      references: {},
      keep: {},
    });
  });

  it("gives the options of a project", async () => {
    await using test = await testOrganization();
    const { root } = user({ config: "{}", project: "manifests: forms\n" });
    mkdirSync(join(root, "forms"));
    writeFileSync(join(root, "forms/a.yaml"), "kind: Form\nobject: crm/contact\nname: A\ntypes: [VIEW]\n");
    const file = await readProjectFile(root);
    const { plan } = await openProject({ ...file!, target: test.target }).plan();
    expect(plan.resources.map(({ address }) => address)).toEqual(["crm/contact/A"]);
  });

  it("is undefined in a folder without one", async () => {
    expect(await readProjectFile(newFolder())).toBeUndefined();
  });

  it("is refused with every problem at its line, and if it is a link that leads out of the project", async () => {
    const { root } = user({ config: "{}", project: "manifest: forms\nbaseUrl: https://evil.example.com\n" });
    await expect(readProjectFile(root)).rejects.toMatchObject({
      code: "INVALID_FILE",
      problems: [{ line: 1 }, { line: 2 }],
    });
    const other = newFolder();
    symlinkSync(join(root, "formctl.yaml"), join(other, "formctl.yaml"));
    await expect(readProjectFile(other)).rejects.toMatchObject({ code: "INVALID_FILE" });
  });
});

describe("a target", () => {
  it("is made of a client, whose base URL it has", async () => {
    const client = createClient({ baseUrl: "https://forms.example.com/eu/", token: newCanary() });
    const references = { roles: { Agent: "rol_1" }, members: {} };
    expect(client.baseUrl).toBe("https://forms.example.com/eu");
    expect(await serverTarget(client).key()).toBe("https://forms.example.com/eu");
    const target = serverTarget(client, { profile: "eu", references });
    expect(await target.key()).toBe("https://forms.example.com/eu#eu");
    expect((await target.references()).idsOf("role", "Agent")).toEqual(["rol_1"]);
    await client.close();
  });

  it("of a store has further names for its roles", async () => {
    await using test = await testOrganization();
    const { local } = test;
    const agent = test.organization.roles[0]!.id;
    const references = { roles: { Recruiter: agent, Other: "rol_other" }, members: {} };
    const target = storeTarget({ local, store: ":memory:", references });
    const known = await target.references();
    expect([known.idsOf("role", "recruiter"), known.idsOf("role", "agent"), known.idsOf("role", "Other")]).toEqual([
      [agent],
      [agent],
      [],
    ]);
    expect(known.nameOf("role", agent)).toBe("Agent");
    expect((await target.records()).named.role[0]!.names).toContain("Recruiter");
  });
});
