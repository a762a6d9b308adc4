/** Tests `bin/formctl.js` on versions of Node that are too old for the program. */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { skipTests } from "../skip.ts";
import { demoHome, emptyHome, finished, FORMCTL, ROOT } from "./program.ts";

const NEEDED = 24.16;

/** The versions of Node in PATH. The test uses the first version that is too old. */
const found = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .filter((path) => existsSync(path))
  .map((path) => ({ path, number: numberOf(execFileSync(path, ["--version"], { encoding: "utf8" }).trim()) }));
const old = found.find(({ number }) => number < NEEDED);

/** Returns 24.16 for v24.16.2. */
function numberOf(version: string): number {
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
  return major + minor / 100;
}

describe("on an old Node", () => {
  skipTests(old === undefined ? "no Node in PATH is too old" : undefined);

  const onOld = (words: readonly string[], more = {}) => finished(old!.path, [FORMCTL, ...words], more);

  it("the program runs on the Node that npm ci has brought", async () => {
    const { code, stdout } = await onOld(["currencies", "list", "-o", "name"]);
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(178);
  });

  it("exit codes, words and standard input pass through", async () => {
    const home = await demoHome();
    expect((await onOld(["forms", "get", "staffing/candidate/No body at all"], { home })).code).toBe(5);
    const push = ["layouts", "draft", "push", "staffing/candidate/Candidate profile", "-"];
    const { code, stderr } = await onOld(push, { home, input: "schemaVersion: 2\n" });
    expect(code).toBe(3);
    expect(stderr).toContain("<stdin>:1:");
  });

  it("prints the required version on one line if there is no newer Node", async () => {
    const copy = join(emptyHome(), "bin");
    mkdirSync(copy);
    for (const file of ["formctl.js", "package.json"]) copyFileSync(join(ROOT, "bin", file), join(copy, file));
    const ended = await finished(old!.path, [join(copy, "formctl.js"), "--version"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^formctl needs Node 24\.16, or 26\.1 or newer; this is v[\d.]+\. Run it with: .+\n$/);
  });

  it("the library refuses to open a store, and states the required version", async () => {
    const script = `
      const { openLocal } = await import(${JSON.stringify(join(ROOT, "dist/index.js"))});
      const { testOrganization } = await import(${JSON.stringify(join(ROOT, "dist/testing.js"))});
      for (const open of [() => openLocal(":memory:"), testOrganization])
        await open().catch(({ code, message }) => console.log(code + ": " + message));`;
    const { stdout } = await finished(old!.path, ["--input-type=module", "-e", script]);
    const line = String.raw`STORE_UNUSABLE: a store needs Node 24\.16, or 26\.1 or newer; this is v[\d.]+\n`;
    expect(stdout).toMatch(new RegExp(`^(${line}){2}$`));
  });

  it("the library refuses to create a client if undici does not run on this Node", async () => {
    const script = `
      const { createClient } = await import(${JSON.stringify(join(ROOT, "dist/index.js"))});
      try {
        await createClient({ baseUrl: "http://127.0.0.1:1", token: "token" }).close();
        console.log("created");
      } catch ({ code, message }) {
        console.log(code + ": " + message);
      }`;
    const { stdout } = await finished(old!.path, ["--input-type=module", "-e", script]);
    const refusal = /^NODE_UNSUPPORTED: a client needs Node 22\.19 or newer; this is v[\d.]+\n$/;
    expect(stdout).toMatch(old!.number < 22.19 ? refusal : /^created\n$/);
  });

  it("and it does not ask itself for ever", async () => {
    expect(await onOld(["--version"], { env: { FORMCTL_REEXEC: "1" } })).toMatchObject({ code: 1, stdout: "" });
  });
});
