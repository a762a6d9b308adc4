/**
 * Two organizations of the same shape. Each has its own store behind its own server. No record has the same id in both
 * stores.
 */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import { toYaml } from "../../src/documents/write-yaml.ts";
import type { LocalService } from "../../src/local-service.ts";
import { customFieldKey, type OrganizationFile, type OrganizationView } from "../../src/schemas/organization.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { newCanary } from "../canary.ts";
import { type Cli, openCli } from "../commands/cli.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { seededStore } from "../seeded-store.ts";

export type SideName = "staging" | "production";

export type TestSide = {
  name: SideName;
  /** The path of the store, relative to the working directory. */
  store: string;
  url: string;
  token: string;
  local: LocalService;
  organization: OrganizationView;
};

export type PromotionScene = {
  cli: Cli;
  staging: TestSide;
  production: TestSide;
  /** Writes `formctl.yaml`. By default, it has the names of all ids of both servers. */
  writeProject(settings?: object): void;
};

const START = new Date("2026-03-02T09:00:00.000Z");
const seed = seededStore(contractOrganizations, { now: () => START, newId: randomId });
/** The ids of the second store differ, because each store is seeded with random ids. */
const seedOther = seededStore(contractOrganizations, { now: () => START, newId: randomId });

/** Called with each request to the server of production. */
export type Watch = (answer: () => Promise<Response>, request: Request) => Promise<Response>;

/** Opens two servers and stores their tokens. The profiles `staging` and `production` name the servers. */
export async function openPromotionScene(watch: Watch = (answer) => answer()): Promise<PromotionScene> {
  const cli = await openCli(null);
  delete cli.env["FORMCTL_ORGANIZATION"];
  cli.clock = {
    get now() {
      return new Date();
    },
  };
  const staging = await openSide(cli, "staging", seed);
  const production = await openSide(cli, "production", seedOther, watch);
  for (const { name, url, token } of [staging, production]) {
    cli.file("token.txt", token);
    await succeeded(cli.run("profiles", "add", name, "--base-url", url));
    await succeeded(cli.run("auth", "login", "--profile", name, "--token-file", "token.txt"));
  }
  const scene: PromotionScene = {
    cli,
    staging,
    production,
    writeProject: (settings = { references: referencesOf(staging, production) }) =>
      void cli.file("formctl.yaml", toYaml({ object: "staffing/candidate", ...settings })),
  };
  scene.writeProject();
  return scene;
}

async function openSide(
  cli: Cli,
  name: SideName,
  seeded: (path: string) => Promise<void>,
  watch: Watch = (answer) => answer(),
): Promise<TestSide> {
  const path = join(cli.cwd, `${name}.db`);
  await seeded(path);
  const now = () => cli.clock.now;
  const store = openSqlite(path, { create: false });
  const local = openLocalService({
    store,
    now,
    newId: randomId,
    newToken: () => newCanary(),
    files: uploadFiles(path),
  });
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "0.0.0-test" });
  const server = await listen({ host: "127.0.0.1", port: 0, handler: (one) => watch(() => handler(one), one) });
  onTestFinished(async () => {
    await server.stop();
    await local.close();
  });
  const request = { organization: "northwind", name, permissions: PERMISSIONS, expiresAt: null };
  const { token } = await local.createToken(request);
  const [organization] = (await local.show("northwind")).organizations;
  return { name, store: `${name}.db`, url: server.url, token, local, organization: organization! };
}

/** The part `references` of a project file: the ids of all records of both servers. */
export function referencesOf(...sides: readonly TestSide[]): Record<string, object> {
  const keyed = (records: readonly { name: string; id: string }[]) =>
    Object.fromEntries(records.map(({ name, id }) => [name, id]));
  return Object.fromEntries(
    sides.map(({ name, organization: { roles, members, scripts, modules, customFields } }) => [
      name,
      {
        roles: keyed(roles),
        members: Object.fromEntries(members.map(({ email, id }) => [email, id])),
        scripts: keyed(scripts),
        fields: Object.fromEntries([
          ...modules.flatMap((module) =>
            module.objects.flatMap((object) =>
              object.fields.map((field) => [`${module.key}/${object.key}/${field.key}`, field.id]),
            ),
          ),
          ...customFields.map((field) => [customFieldKey(field), field.id]),
        ]),
      },
    ]),
  );
}

/** Fails if the command failed. */
export async function succeeded<T extends { code: number; stderr: string }>(run: Promise<T>): Promise<T> {
  const outcome = await run;
  if (outcome.code !== 0) throw new Error(`exit code ${outcome.code}:\n${outcome.stderr}`);
  return outcome;
}

/** Returns the changed organization file of both stores, to seed the stores again. */
export function organizationWith(change: (file: OrganizationFile["organizations"][number]) => void): OrganizationFile {
  const file = structuredClone(contractOrganizations);
  change(file.organizations[0]!);
  return file;
}

/**
 * Manifests whose contents refer to records in every way: by name and by id, in bindings, staged changes and free
 * members.
 */
export function manifestsFor({ organization }: TestSide): Record<string, string> {
  const script = organization.scripts[0]!.id;
  const risk = organization.customFields.find(({ key }) => key === "risk_class")!.id;
  const recruiter = organization.roles.find(({ key }) => key === "recruiter")!.id;
  return {
    "profile.yaml": `kind: Form
object: staffing/candidate
name: Profile
types: [VIEW, EDIT]
isActive: true
isPublic: false
config: {title: Candidate, reviewer: ${recruiter}}
defaultFor: [VIEW, EDIT]
access:
  users:
    - {member: ana@northwind.example, types: [VIEW, EDIT]}
  roles:
    - {role: Recruiter, types: [VIEW]}
    - {role: Compliance Officer, types: [VIEW, EDIT]}
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: name, type: field, source: dynamic_field, ref: {fieldKey: full_name}, regionKey: main, requiredPolicy: required}
    - {id: mail, type: field, source: dynamic_field, ref: {fieldKey: email}, regionKey: main, requiredPolicy: required}
    - id: help
      type: button
      source: system
      regionKey: main
      config: {label: Help, url: "https://staging.example/help", notify: [${recruiter}]}
  scriptBindings:
    - {id: guard, scriptId: ${script}, hook: onRender, target: {blockId: name}}
`,
    "intake.yaml": `kind: Form
object: staffing/candidate
name: Intake
types: [CREATE]
defaultFor: [CREATE]
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: name, type: field, source: dynamic_field, ref: {fieldKey: full_name}, regionKey: main, requiredPolicy: required}
    - {id: mail, type: field, source: dynamic_field, ref: {fieldKey: email}, regionKey: main, requiredPolicy: required}
    - {id: level, type: field, source: dynamic_field, ref: {fieldKey: seniority}, regionKey: main, requiredPolicy: required}
`,
    "card.yaml": `kind: Layout
surface: CONTRACTOR
name: Card
supportedModes: [VIEW]
metadata: {owner: ${recruiter}}
assignments:
  organizationDefault: true
  roles: [{role: Recruiter, priority: 5}]
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: risk, type: field, source: custom_field, ref: {fieldDefinitionId: ${risk}}, regionKey: main}
`,
  };
}

/** Applies manifests to a side. */
export async function applyTo({ cli }: PromotionScene, side: TestSide, manifests = manifestsFor(side)): Promise<void> {
  const folder = `manifests-${side.name}`;
  for (const [name, text] of Object.entries(manifests)) cli.file(join(folder, name), text);
  await succeeded(cli.run("apply", folder, "--yes", "--allow-replace", "--profile", side.name));
}

/** Returns the number of writes that a side has carried out. */
export async function writesOf({ local }: TestSide): Promise<number> {
  return (await local.log({ organization: "northwind", limit: 10_000 })).length;
}
