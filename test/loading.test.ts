/**
 * Which files a command loads. On a server it loads no file of the engine. On a local store it loads no file of the
 * client.
 */

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { newCanary } from "./canary.ts";
import { startServer } from "./client/table-server.ts";
import { temporaryFolders } from "./temporary.ts";

const ROOT = join(import.meta.dirname, "..");
const folder = temporaryFolders();

/** Runs a command from its sources. @returns the loaded files, as paths in the repository */
async function loadedBy(argv: readonly string[], env: Record<string, string>): Promise<string[]> {
  return (await urlsOf(argv, env))
    .filter((url) => url.startsWith("file:"))
    .map((url) => relative(ROOT, fileURLToPath(url)));
}

/** Runs a command from its sources. @returns the URLs of the loaded files, and of the modules of Node that they import */
function urlsOf(argv: readonly string[], env: Record<string, string>): Promise<string[]> {
  return urlsBy(
    `globalThis.FORMCTL_VERSION = "0.0.0-test";
     const { start } = await import(${source("src/main.ts")});
     await start();`,
    argv,
    env,
  );
}

const source = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, path)));

/** Runs a program. @returns the URLs of the loaded files, and of the modules of Node that they import */
async function urlsBy(program: string, argv: readonly string[], env: Record<string, string>): Promise<string[]> {
  const home = folder();
  const list = join(home, "loaded");
  const script = join(home, "run.mjs");
  writeFileSync(
    script,
    `import { registerHooks } from "node:module";
     import { appendFileSync } from "node:fs";
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); } });
     ${program}`,
  );
  const child = spawn(process.execPath, [script, ...argv], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, FORMCTL_HOME: home, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return readFileSync(list, "utf8").split("\n");
}

const under = (files: readonly string[], ...places: string[]) =>
  files.filter((file) => places.some((place) => file.startsWith(place)));

it("loads nothing of the engine where a server is asked", async () => {
  const server = await startServer(() => ({ status: 200, body: { data: [{ code: "EUR", name: "Euro" }] } }));
  onTestFinished(() => server.close());
  const files = await loadedBy(["currencies", "list"], { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() });
  expect(
    under(files, "src/engine", "src/store", "src/composition/local-store.ts", "src/server", "src/composition/serve.ts"),
  ).toEqual([]);
  expect(under(files, "src/documents", "node_modules/js-yaml", "node_modules/@napi-rs")).toEqual([]);
  expect(under(files, "node_modules/zod")).toEqual([]);
  expect(under(files, "node_modules/undici")).not.toEqual([]);
});

it("loads nothing of the contract for a doctor without --contract: the control loads it", async () => {
  const server = await startServer(() => ({ status: 200, body: { data: [] } }));
  onTestFinished(() => server.close());
  const env = { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() };
  const files = await loadedBy(["doctor"], env);
  expect(under(files, "src/schemas/contract")).toEqual([]);
  const control = await loadedBy(["doctor", "--contract"], env);
  expect(under(control, "src/schemas/contract")).not.toEqual([]);
});

it("loads nothing of the client where a local store is asked", async () => {
  const files = await loadedBy(["currencies", "list"], {});
  expect(under(files, "src/client", "src/server", "node_modules/undici", "node_modules/hono")).toEqual([]);
  expect(under(files, "src/engine")).not.toEqual([]);
});

it("loads no slow module of Node for a list of a local store", async () => {
  const urls = await urlsOf(["currencies", "list"], {});
  expect(urls).toContain("node:path");
  expect(urls.filter((url) => /^node:(crypto|zlib|net|tls|http|https|worker_threads)$/.test(url))).toEqual([]);
});

it("loads neither for help", async () => {
  const files = await loadedBy(["forms", "get", "--help"], {});
  expect(under(files, "src/client", "src/engine", "src/store", "src/server", "node_modules/undici")).toEqual([]);
});

it("loads nothing of the test kit, the server and the preview for the library: the control loads the kit", async () => {
  const loaded = async (entry: string) => {
    const urls = await urlsBy(`await import(${source(entry)});`, [], {});
    const files = urls.filter((url) => url.startsWith("file:")).map((url) => relative(ROOT, fileURLToPath(url)));
    return under(files, "src/testing", "src/server", "src/preview", "src/terminal/style.ts", "src/config/settings.ts");
  };
  expect(await loaded("src/index.ts")).toEqual([]);
  expect(await loaded("src/testing.ts")).toContain("src/testing/server.ts");
});

it("loads the recorder only with --har", async () => {
  const server = await startServer(() => ({ status: 200, body: { data: [{ code: "EUR", name: "Euro" }] } }));
  onTestFinished(() => server.close());
  const env = { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() };
  const recorder = [
    "src/client/hide-phrases.ts",
    "src/client/record-exchanges.ts",
    "src/client/redact-exchange.ts",
    "src/composition/recording.ts",
  ];
  expect(under(await loadedBy(["currencies", "list"], env), ...recorder)).toEqual([]);
  expect(under(await loadedBy(["currencies", "list", "--har", "out.har"], env), ...recorder).toSorted()).toEqual(
    recorder,
  );
});
