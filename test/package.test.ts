/** The package as a user installs it: packed, unpacked elsewhere, imported, type-checked. */

import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { newCanary, searchOutput } from "./canary.ts";
import { startServer } from "./client/table-server.ts";
import { ROOT } from "./e2e/program.ts";
import { type Consumer, installPackage, run } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";
import { noticeOf } from "../build/third-party-notices.ts";
import manifest from "../package.json" with { type: "json" };

const newFolder = temporaryFolders("on disk");
let consumer: Consumer;

beforeAll(() => {
  consumer = installPackage(newFolder());
});

const CONSUMER = `
import { createClient, type FormAnswer, FormCreate, FormctlError, openLocal, type Service, ServiceError } from "formctl";

async function names(service: Service): Promise<string[]> {
  const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: { limit: 10 } });
  return data.map((form: FormAnswer) => form.name);
}

const local = await openLocal(process.argv[2]!, { create: true });
await local.seed({ organizations: [{ key: "northwind", name: "Northwind", modules: [{ key: "staffing", name: "Staffing",
  objects: [{ key: "candidate", name: "Candidate", fields: [] }] }] }] });
const service = await local.service();
await service.createForm({ moduleKey: "staffing", objectKey: "candidate", body: { name: "Intake", types: ["CREATE"] } });
const found: string[] = await names(service);
await local.close();

const client = createClient({ baseUrl: process.argv[3]!, token: process.argv[4]!, timeout: 2_000 });
const codes = (await client.listCurrencies({})).map(({ code }) => code);
const refused = await client.deleteForm({ moduleKey: "a", objectKey: "b", formId: "c" }).catch((error: unknown) =>
  error instanceof ServiceError ? error.status : error instanceof FormctlError ? error.code : "odd");
await client.close();
const shape: boolean = FormCreate.shape !== undefined;
console.log(JSON.stringify({ found, codes, refused, shape }));

// @ts-expect-error the path of a form has three parameters
void (() => client.getForm({ moduleKey: "a", objectKey: "b" }));
// @ts-expect-error there is no such mode
void (() => client.createForm({ moduleKey: "a", objectKey: "b", body: { name: "x", types: ["READ"] } }));
`;

it("is imported from another folder, with types", async () => {
  const { folder, typeCheck } = consumer;
  writeFileSync(join(folder, "consumer.ts"), CONSUMER);
  typeCheck("consumer.ts");

  const server = await startServer(({ method }) =>
    method === "DELETE"
      ? { status: 409, body: { error: "no" } }
      : { status: 200, body: { data: [{ code: "EUR", name: "Euro" }] } },
  );
  try {
    // The child process runs asynchronously, because its server is in this process.
    const child = spawn(process.execPath, ["consumer.ts", join(folder, "store.db"), server.url, newCanary()], {
      cwd: folder,
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => child.on("close", resolve));
    searchOutput("the library", { stdout: said, stderr: "" });
    expect(JSON.parse(said)).toEqual({ found: ["Intake"], codes: ["EUR"], refused: 409, shape: true });
  } finally {
    await server.close();
  }
});

it("has its commands, its types and no sources", () => {
  const { folder, installed } = consumer;
  expect(readdirSync(installed).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "bin",
    "dist",
    "docs",
    "examples",
    "man",
    "package.json",
  ]);
  expect(run(process.execPath, [join(installed, "bin/formctl.js"), "--version"], folder)).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("the third-party notices", () => {
  const notices = () => readFileSync(join(consumer.installed, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  const licence = (name: string) => readFileSync(join(ROOT, "node_modules", name, "LICENSE"), "utf8").trim();

  // `@inquirer/prompts` only re-exports other packages. These packages have their own notices.
  const { "@inquirer/prompts": _prompts, ...bundled } = manifest.dependencies;

  it.each(Object.entries(bundled))("hold the licence of %s %s", (name, version) => {
    expect(notices().includes(`\n${name} ${version} (`)).toBe(true);
  });

  it("hold the whole text of a licence, also of a dependency of a dependency", () => {
    for (const name of ["undici", "hono", "@inquirer/core", "mute-stream"])
      expect(notices().includes(licence(name))).toBe(true);
  });

  it("hold nothing of a package that is not in the bundle", () => {
    expect(notices()).not.toMatch(/^(vitest|typescript|msw|@napi-rs\/keyring) /m);
  });

  it("can't be written for a package without a licence", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "package.json"), '{ "name": "unlicensed", "version": "1.0.0" }');
    expect(() => noticeOf(folder)).toThrow("unlicensed 1.0.0 (undefined) has no licence file");
  });
});

it("has only chunks that can be loaded", () => {
  const dist = join(consumer.folder, "node_modules", "formctl", "dist");
  const chunks = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".cjs") && file !== "main.cjs")
    .map((file) => join(dist, file));
  expect(chunks.length).toBeGreaterThan(100);
  const script = `for (const chunk of ${JSON.stringify(chunks)}) require(chunk)`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
