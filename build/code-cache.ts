/**
 * Saves the code that V8 compiles for frequent commands, for the bundle in FOLDER: `node build/code-cache.ts FOLDER`.
 */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Script } from "node:vm";
import { precompiledRequire } from "./precompiled.ts";

const folder = resolve(process.argv[2]!);
const entry = join(folder, "main.cjs");
const require = createRequire(entry);
const home = mkdtempSync(join(tmpdir(), "formctl-build-"));
const server = createServer((request, response) => {
  const { method, url = "" } = request;
  const form = { id: "frm_1", name: "Intake", types: ["VIEW"] };
  const isList = /\/forms(\?|$)/.test(url) && method === "GET";
  const data = url.startsWith("/v1/currencies") ? [{ code: "EUR", name: "Euro" }] : isList ? [form] : form;
  response.statusCode = method === "POST" ? 201 : 200;
  request.resume().on("end", () => response.end(JSON.stringify({ data })));
});
try {
  process.chdir(home);
  process.env["FORMCTL_HOME"] = home;
  await formctl("local init --demo --quiet");

  // Unloads all modules: otherwise the build would also save code that only `local init` needs.
  for (const path of Object.keys(require.cache)) delete require.cache[path];
  const scripts = new Map<string, Script>();
  const load = precompiledRequire(require, folder, (script, codeFile) => scripts.set(codeFile, script));
  const chunks = readdirSync(folder).filter((name) => name.endsWith(".cjs") && join(folder, name) !== entry);
  for (const chunk of chunks) load(`./${chunk}`);

  await formctl("currencies list");
  await formctl("forms list staffing/candidate --limit 5 --quiet");
  await formctl("forms create compliance/document_check --name New --types VIEW --quiet");
  writeFileSync("formctl.yaml", "object: staffing/candidate\n");
  await formctl("forms list");
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  process.env["FORMCTL_BASE_URL"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env["FORMCTL_TOKEN"] = "token";
  await formctl("currencies list");
  await formctl("forms get staffing/candidate/frm_1");
  await formctl("forms create staffing/candidate --name New --types VIEW --quiet");

  for (const [codeFile, script] of scripts) writeFileSync(codeFile, script.createCachedData());
} finally {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true });
}

async function formctl(line: string): Promise<void> {
  process.argv = [process.execPath, "formctl", ...line.split(" ")];
  const { start } = require(entry) as { start: () => Promise<void> };
  await start();
  if (process.exitCode !== 0) throw new Error(`formctl ${line} failed`);
}
