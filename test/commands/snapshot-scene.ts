/** A program on a store with the demo, for snapshots of its output. The ids and times are the same in each run. */

import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "../../src/commands/command.ts";
import { buildDemo } from "../../src/commands/local/demo.ts";
import { ID_PREFIX, type NewId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { Form } from "../../src/schemas/form.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { type Cli, openCli } from "./cli.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/northwind");
const START = Date.parse("2026-02-16T09:00:00Z");
const STEP_MS = 7 * 3_600_000 + 61_000;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Returns a function that creates ids. They look random, but they are the same in each run. */
function countedIds(): NewId {
  let count = 0;
  return (kind) => {
    const bytes = createHash("sha256").update(`${kind} ${count++}`).digest().subarray(0, 24);
    return `${ID_PREFIX[kind]}_${Array.from(bytes, (byte) => ALPHABET[byte & 31]).join("")}`;
  };
}

/**
 * Opens the demo with two tokens, profiles and manifests. The folder `manifests` has valid manifests, and `invalid` has
 * invalid manifests.
 *
 * Each write is some hours later than the previous write. The clock of the program is later than all writes.
 */
export async function openSnapshotScene(): Promise<Cli> {
  const cli = await openCli(null);
  let now = START;
  let mutations = 0;
  const path = join(cli.home, "local.db");
  const local = openLocalService({
    store: openSqlite(path, { create: true }),
    now: () => new Date((now += STEP_MS)),
    newId: countedIds(),
    newToken: () => `fctl_${"0".repeat(43)}`,
    files: uploadFiles(path),
  });
  const context: Pick<CommandContext, "readFile" | "newMutationId"> = {
    readFile: async (file) => readFileSync(file),
    newMutationId: () => `mutation-${++mutations}`,
  };
  // `buildDemo` uses only these members of the context.
  await buildDemo(context as CommandContext, local);
  await local.createToken({
    name: "ci",
    permissions: ["api.view_layouts.read"],
    expiresAt: "2026-06-01T00:00:00.000Z",
  });
  const service = await local.service("northwind");
  await createLongForm(service);
  await local.close();
  cli.clock.now = new Date(Math.ceil(now / 86_400_000) * 86_400_000 + 9 * 3_600_000);

  Object.assign(cli.env, { FORMCTL_STORE: "../local.db", FORMCTL_PROFILE: "staging" });
  writeFileSync(join(cli.home, "config.yaml"), PROFILES);
  cpSync(join(EXAMPLE, "manifests"), join(cli.cwd, "manifests"), { recursive: true });
  cli.file("manifests/new.yaml", NEW_FORM);
  cli.file("invalid/intake.yaml", INVALID_FORM);
  if (!existsSync(join(cli.cwd, "manifests", "candidate.yaml"))) throw new Error("the example has no candidate.yaml");
  return cli;
}

/** Creates a form with a name that is longer than half of a narrow terminal. */
async function createLongForm(service: {
  createForm(input: {
    moduleKey: string;
    objectKey: string;
    body: { name: string; types: Form["types"] };
  }): Promise<Form>;
}): Promise<void> {
  const name = "Document check for the branch offices in 東京 and Zürich";
  const object = { moduleKey: "compliance", objectKey: "document_check" };
  await service.createForm({ ...object, body: { name, types: ["CREATE", "VIEW"] } });
}

const PROFILES = `profile: staging
profiles:
  production: { baseUrl: https://forms.northwind.example/api/organizations/northwind }
  staging: { store: ../local.db, organization: northwind }
`;

const NEW_FORM = `kind: Form
object: staffing/candidate
name: Candidate survey
types: [CREATE]
layout:
  schemaVersion: 1
  regions: [{ key: main, label: Main, layout: grid, columns: 12 }]
  blocks:
    - { type: field, source: dynamic_field, ref: { fieldKey: full_name }, regionKey: main, requiredPolicy: required }
    - { type: field, source: dynamic_field, ref: { fieldKey: email }, regionKey: main, requiredPolicy: required }
`;

const INVALID_FORM = `kind: Form
object: staffing/candidate
name: Candidate intake
types: [CREATE, EDIT]
defaultsFor: [CREATE]
layout:
  schemaVersion: 1
  regions: [{ key: main, label: "The region with all fields that a candidate fills in, in the order of the paper form", layout: grid, columns: 12 }]
  blocks:
    - { type: field, source: dynamic_field, ref: { fieldKey: full_nmae }, regionKey: main }
    - { type: field, source: dynamic_field, ref: { fieldKey: email }, regionKey: aside, config: { label: "E-mail address of the candidate or of the agency" } }
`;
