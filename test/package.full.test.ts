/** The whole package as a user installs it: all its types, its client, and each chunk of the program. */

import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { newCanary, searchOutput } from "./canary.ts";
import { startServer } from "./client/table-server.ts";
import { ROOT } from "./e2e/program.ts";
import { type Consumer, installPackage, noticedPackages, run } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders("on disk");
let consumer: Consumer;

beforeAll(() => {
  consumer = installPackage(newFolder());
});

const CONSUMER = `
import { createClient, type FormAnswer, FormctlError, openLocal, type Service, ServiceError } from "formctl";

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

const client = createClient({ baseUrl: process.argv[3]!, token: process.argv[4]!, timeout: 60_000 });
const codes = (await client.listCurrencies({})).map(({ code }) => code);
const refused = await client.deleteForm({ moduleKey: "a", objectKey: "b", formId: "c" }).catch((error: unknown) =>
  error instanceof ServiceError ? error.status : error instanceof FormctlError ? error.code : "odd");
await client.close();
console.log(JSON.stringify({ found, codes, refused }));

// @ts-expect-error the path of a form has three parameters
void (() => client.getForm({ moduleKey: "a", objectKey: "b" }));
// @ts-expect-error there is no such mode
void (() => client.createForm({ moduleKey: "a", objectKey: "b", body: { name: "x", types: ["READ"] } }));
`;

it("is imported from another folder, with types", async () => {
  const { folder, typeCheck } = consumer;
  writeFileSync(join(folder, "consumer.ts"), CONSUMER);
  typeCheck(["consumer.ts"]);

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
    expect(JSON.parse(said)).toEqual({ found: ["Intake"], codes: ["EUR"], refused: 409 });
  } finally {
    await server.close();
  }
});

it("prints an uncaught refusal in a few lines, with the name of its class", () => {
  const script = `
    import { openLocal } from "formctl";
    const local = await openLocal(":memory:");
    await local.seed({ organizations: [{ key: "acme", name: "Acme" }] });
    const service = await local.service("acme");
    await service.getLayout({ layoutId: "lay_missing" });`;
  const words = ["--input-type=module", "-e", script];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: consumer.folder, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("ServiceError: ");
  expect(stderr.length).toBeLessThan(2_048);
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

it("has a bill of materials of the packages that are installed or in the bundle, and of no others", () => {
  const file = join(newFolder(), "sbom.json");
  run(process.execPath, [join(ROOT, "build/sbom.ts"), file], ROOT);
  const { metadata, components } = JSON.parse(readFileSync(file, "utf8")) as {
    metadata: { component: { name: string } };
    components: { name: string; version: string; scope: string; hashes: unknown[] }[];
  };
  expect(metadata.component.name).toBe("formctl");
  const names = components.map(({ name, version }) => `${name} ${version}`);
  const bundled = noticedPackages(readFileSync(join(consumer.installed, "dist/THIRD-PARTY-NOTICES.txt"), "utf8"));
  expect(bundled.length).toBeGreaterThan(40);
  expect(bundled.filter((name) => !names.includes(name))).toEqual([]);
  const others = names.filter((name) => !bundled.includes(name));
  expect(others.filter((name) => !/^(@napi-rs\/keyring|pg|postgres-|pgpass|split2|xtend)/.test(name))).toEqual([]);
  const optional = components.filter(({ scope }) => scope === "optional").map(({ name }) => name);
  expect(optional.filter((name) => !/^(@napi-rs\/keyring|pg-cloudflare)/.test(name))).toEqual([]);
  expect(components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
});
