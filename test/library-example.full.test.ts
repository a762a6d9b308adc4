/**
 * The programs of examples/library, type-checked and run from the packed package. The example migrations are type-checked
 * too. test/e2e/migrations-guide.test.ts runs these migrations.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { searchOutput } from "./canary.ts";
import { ROOT } from "./e2e/program.ts";
import { type Compiler, COMPILERS, type Consumer, installPackage, run } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders("on disk");
const ORGANIZATION = join(ROOT, "examples/northwind/organization.yaml");
const PROGRAMS = readdirSync(join(ROOT, "examples/library")).filter((name) => name.endsWith(".ts"));
let consumer: Consumer;

beforeAll(() => {
  consumer = installPackage(newFolder());
  const { folder, installed } = consumer;
  for (const name of PROGRAMS) cpSync(join(installed, "examples/library", name), join(folder, name));
  cpSync(join(installed, "examples/northwind/manifests"), join(folder, "manifests"), { recursive: true });
  cpSync(join(installed, "examples/migrations/code"), join(folder, "migrations"), { recursive: true });
});

/** Creates a store with the organization of the demo. Returns its path. @param more a field of placements to add */
function newStore(name: string, more = ""): string {
  const formctl = join(consumer.installed, "bin/formctl.js");
  rmSync(join(consumer.folder, name), { force: true });
  const organization = readFileSync(ORGANIZATION, "utf8").replace(/^ *- \{ key: pay_rate,/m, `${more}$&`);
  writeFileSync(join(consumer.folder, "organization.yaml"), organization);
  run(process.execPath, [formctl, "local", "seed", "organization.yaml", "--store", name], consumer.folder);
  return name;
}

/** Runs a program of the examples. @throws Error with its output if it fails */
function example(name: string, ...words: string[]): string {
  const stdout = run(process.execPath, [`${name}.ts`, ...words], consumer.folder);
  searchOutput(`the example ${name}`, { stdout, stderr: "" });
  return stdout;
}

/** Starts a program of the examples, which ends with the test. Returns it with the first text that it prints. */
async function start(name: string, ...words: string[]): Promise<{ program: ChildProcess; printed: string }> {
  const program = spawn(process.execPath, [`${name}.ts`, ...words], {
    cwd: consumer.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void program.kill("SIGKILL"));
  const [printed] = (await once(program.stdout, "data")) as [Buffer];
  return { program, printed: printed.toString("utf8") };
}

async function end(program: ChildProcess): Promise<number | null> {
  program.kill("SIGTERM");
  const [code] = (await once(program, "close")) as [number | null];
  return code;
}

describe("the programs", () => {
  it("have less than 60 lines each", () => {
    expect(PROGRAMS.length).toBeGreaterThanOrEqual(9);
    const linesOf = (name: string) => readFileSync(join(consumer.folder, name), "utf8").split("\n").length;
    expect(PROGRAMS.filter((name) => linesOf(name) >= 60)).toEqual([]);
  });

  it.each(Object.keys(COMPILERS) as Compiler[])("have no type errors with the %s TypeScript", (compiler) => {
    const migrations = readdirSync(join(consumer.folder, "migrations")).map((name) => `migrations/${name}`);
    expect(migrations).toHaveLength(3);
    consumer.typeCheck([...PROGRAMS, ...migrations], { skipLibCheck: false }, compiler);
  });
});

it("apply-folder validates, plans and applies a folder, and finds nothing to do the second time", () => {
  const store = newStore("applied.db");
  const first = example("apply-folder", store, ".");
  const created = first.match(/^create: /gm)!.length;
  expect(created).toBeGreaterThan(5);
  expect(first).toMatch(new RegExp(`^valid: ${created} manifests$`, "m"));
  expect(first).toMatch(new RegExp(`^applied: ${created} created$`, "m"));
  expect(example("apply-folder", store, ".")).toMatch(/^unchanged: 0 created$/m);
});

it("nightly-report finds forms without a published layout, and drafts", () => {
  const store = newStore("reported.db");
  expect(example("nightly-report", store, "northwind")).toBe("0 findings\n");
  const create = ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW", "--store", store];
  run(process.execPath, [join(consumer.installed, "bin/formctl.js"), ...create], consumer.folder);
  const report = example("nightly-report", store, "northwind");
  expect(report).toMatch(/^staffing\/candidate\/New: VIEW: (MISSING|DRAFT_ONLY)$/m);
  expect(report).toMatch(/^staffing\/candidate\/New: a draft waits$/m);
  expect(report).toMatch(/^2 findings$/m);
});

/** Saves a draft with one block more in the layout of a form. */
const SAVE_DRAFT = `
  import { contentOf, listAll, openLocal } from "formctl";
  await using local = await openLocal("renamed.db");
  const service = await local.service("northwind");
  const forms = await listAll(service.listForms, { moduleKey: "staffing", objectKey: "candidate" });
  const { viewLayoutId: layoutId } = forms.find(({ name }) => name === "Candidate profile");
  const [{ id: versionId }] = await service.listVersions({ layoutId });
  const content = contentOf(await service.getVersion({ layoutId, versionId }));
  const phone = { id: "f_phone", type: "field", source: "dynamic_field", ref: { fieldKey: "phone" }, regionKey: "main" };
  const blocks = [...content.blocks, { ...phone, regionKey: content.regions[0].key }];
  await service.saveDraft({ layoutId, body: { ...content, blocks, clientMutationId: "draft" } });`;

it("rename-field edits published layouts, and keeps a draft", () => {
  const store = newStore("renamed.db");
  example("apply-folder", store, ".");
  run(process.execPath, ["--input-type=module", "-e", SAVE_DRAFT], consumer.folder);
  const words = [store, "northwind", "staffing/candidate", "notes", "home_city"] as const;
  const first = example("rename-field", ...words);
  expect(first).toMatch(/^Candidate profile: rebased$/m);
  expect(example("rename-field", ...words)).toMatch(/^Candidate profile: unchanged$/m);
});

it("plan-service answers with the changes, and with the problems of manifests", async () => {
  const store = newStore("planned.db");
  const { program, printed } = await start("plan-service", store, "northwind", ".");
  const url = printed.trim();
  const { changes, plan } = (await (await fetch(`${url}/plan`)).json()) as { changes: object[]; plan: string };
  expect(changes.length).toBeGreaterThan(5);
  expect(changes).toContainEqual({ action: "create", address: "staffing/candidate/Candidate profile", needs: [] });
  expect(JSON.parse(plan)).toBeTypeOf("object");
  expect((await fetch(`${url}/other`)).status).toBe(404);
  expect(await end(program)).toBe(0);
});

it("copy-organization makes another store equal", () => {
  // The manifests stage this field, which the other store must have before the copy.
  const field = "              - { key: po_number, name: PO number, type: TEXT }\n";
  const [from, to] = [newStore("from.db"), newStore("to.db", field)];
  example("apply-folder", from, ".");
  const first = example("copy-organization", from, to, "northwind");
  expect(first).toMatch(/^create: staffing\//m);
  expect(first).toMatch(/^applied$/m);
  expect(example("copy-organization", from, to, "northwind")).toMatch(/^unchanged$/m);
});

it("errors names each way in which a call can fail", () => {
  expect(example("errors")).toBe(
    [
      "getForm: 404 NOT_FOUND",
      "listVersions: refused for now",
      "getLayout: TIMED_OUT, sent: true",
      "updateForm: look first",
      "aborted",
      "",
    ].join("\n"),
  );
});

/** A server with this number of forms of 2 KiB. */
async function startForms(count: number): Promise<string> {
  const config = { text: "x".repeat(2_000) };
  const server = createServer((request, response) => {
    const query = new URL(request.url!, "http://server").searchParams;
    const [page, limit] = [Number(query.get("page") ?? 1), Number(query.get("limit") ?? 20)];
    const first = (page - 1) * limit;
    const length = Math.max(0, Math.min(limit, count - first));
    const data = Array.from({ length }, (_, at) => ({
      id: `frm_${first + at}`,
      name: "Form",
      types: ["VIEW"],
      config,
    }));
    const meta = { total: count, page, limit, hasMore: first + length < count };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data, meta }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("stream-forms writes 50,000 forms in a heap of 64 MiB", async () => {
  const url = await startForms(50_000);
  const env = { ...process.env, FORMCTL_BASE_URL: url, FORMCTL_TOKEN: "token" };
  const words = ["--max-old-space-size=64", "stream-forms.ts", "staffing/candidate"];
  const program = spawn(process.execPath, words, { cwd: consumer.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const errors = text(program.stderr);
  const closed = once(program, "close");
  let lines = 0;
  for await (const chunk of program.stdout as AsyncIterable<Buffer>) for (const byte of chunk) if (byte === 10) lines++;
  const [code] = (await closed) as [number | null];
  expect({ lines, errors: await errors, code }).toEqual({ lines: 50_000, errors: "", code: 0 });
});

it("add-remarks passes its test", () => {
  const words = ["--test", "add-remarks.test.ts"];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: consumer.folder, encoding: "utf8" });
  expect({ status, passed: /^. pass \d+$/m.exec(stdout)?.[0].slice(2) }).toEqual({ status: 0, passed: "pass 3" });
});

it("mock-server serves until it is ended, with the faults of its arguments", async () => {
  const { program, printed } = await start("mock-server", "listCurrencies:503:before:first=1");
  const { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token } = JSON.parse(printed) as Record<string, string>;
  const read = async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${url}/v1/currencies`, { headers })).status;
  };
  expect([await read(), await read()]).toEqual([503, 200]);
  expect(await end(program)).toBe(0);
});
