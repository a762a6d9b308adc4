/** Tests that files of settings and tokens are always complete. Only one process at a time changes them. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../src/disk/process-lock.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { newCanary } from "../canary.ts";
import { openCli } from "../commands/cli.ts";
import { emptyHome, finished, formctl, FORMCTL } from "./program.ts";

const TOKEN = newCanary();
const login = (home: string, name: string) =>
  formctl(["auth", "login", "--no-check"], {
    home,
    env: { FORMCTL_BASE_URL: `https://${name}.example` },
    input: TOKEN,
  });

describe("on a full disk", () => {
  /**
   * Runs the program with a limit of `kilobytes` for files. The write that exceeds the limit is cut short, and the next
   * write fails.
   */
  const limited = (
    kilobytes: number,
    words: readonly string[],
    where: { home: string; env?: Record<string, string> },
  ) =>
    finished(
      "bash",
      ["-c", `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`, "bash", process.execPath, FORMCTL, ...words],
      { ...where, input: TOKEN },
    );

  /** Opens a home folder with more than one kilobyte of stored tokens. */
  async function loggedIn(): Promise<{ home: string; path: string; text: string }> {
    const home = emptyHome();
    const path = join(home, "credentials.yaml");
    const entry = (index: number) => `https://server-${index}.example:\n  token: ${TOKEN}\n`;
    const text = Array.from({ length: 40 }, (_, index) => entry(index)).join("");
    writeFileSync(path, text, { mode: 0o600 });
    return { home, path, text };
  }

  it("auth login fails, and keeps the tokens that were there", async () => {
    const { home, path, text } = await loggedIn();
    const env = { FORMCTL_BASE_URL: "https://new.example" };
    const { code, stdout, stderr } = await limited(1, ["auth", "login", "--no-check"], { home, env });
    expect(stderr).toMatch(
      /^error: can't write .*credentials\.yaml: the file would be larger than the system allows \(EFBIG\)/,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(readdirSync(home).toSorted()).toEqual(["credentials.yaml", "lock-1"]);
    expect(readFileSync(join(home, "lock-1"), "utf8")).toBe("");
  });

  it("profiles add fails, and keeps the profiles that were there", async () => {
    const home = emptyHome();
    const path = join(home, "config.yaml");
    const profiles = Array.from({ length: 60 }, (_, index) => `  p${index}:\n    baseUrl: https://p${index}.example\n`);
    const text = `profiles:\n${profiles.join("")}`;
    writeFileSync(path, text);
    const { code } = await limited(1, ["profiles", "add", "new", "--base-url", "https://new.example"], { home });
    expect(code).toBe(1);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(readdirSync(home).toSorted()).toEqual(["config.yaml", "lock-1"]);
  });

  it("auth login succeeds with room enough", async () => {
    const { home, path } = await loggedIn();
    const env = { FORMCTL_BASE_URL: "https://new.example" };
    expect((await limited(64, ["auth", "login", "--no-check"], { home, env })).code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain("https://new.example:");
  });
});

describe("concurrent processes", () => {
  const names = ["a", "b", "c", "d", "e", "f"];

  it("keep the token of each login", async () => {
    const home = emptyHome();
    const ended = await Promise.all(names.map((name) => login(home, name)));
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
    const text = readFileSync(join(home, "credentials.yaml"), "utf8");
    for (const name of names) expect(text).toContain(`https://${name}.example`);
    expect(readdirSync(home)).toHaveLength(2);
  });

  it("keep each profile and each setting", async () => {
    const home = emptyHome();
    const lines = [
      ...names.map((name) => ["profiles", "add", name, "--base-url", `https://${name}.example`]),
      ["config", "set", "output", "json"],
      ["config", "set", "timeout", "7"],
    ];
    const ended = await Promise.all(lines.map((line) => formctl(line, { home })));
    expect(ended.map(({ code }) => code)).toEqual(lines.map(() => 0));
    const text = readFileSync(join(home, "config.yaml"), "utf8");
    for (const name of names) expect(text).toContain(`baseUrl: https://${name}.example`);
    expect(text).toMatch(/output: json/);
    expect(text).toMatch(/timeout: /);
  });
});

describe("the lock of a process", () => {
  async function scene() {
    const cli = await openCli(null);
    delete cli.env["FORMCTL_ORGANIZATION"];
    cli.env["FORMCTL_BASE_URL"] = "https://a.example";
    cli.stdin = TOKEN;
    return cli;
  }

  it("is taken over if its process has exited", async () => {
    const cli = await scene();
    const { self } = systemProcesses();
    const gone = { self: { ...self, pid: 2 ** 22 + 1, startedAt: "then" }, isRunning: () => false };
    expect(await takeLock(cli.home, "lock", gone)).toHaveProperty("number", 1);
    expect((await cli.run("auth", "login", "--no-check")).code).toBe(0);
    expect(readFileSync(join(cli.home, "credentials.yaml"), "utf8")).toContain("https://a.example");
  });

  it("is waited for where the process lives, which is named in the end", async () => {
    const cli = await scene();
    const held = await takeLock(cli.home, "lock", systemProcesses());
    if ("holder" in held) throw new Error("it is held already");
    const { code, stderr } = await cli.run("auth", "login", "--no-check");
    expect(stderr).toContain(`another formctl process is writing credentials.yaml: process ${process.pid}`);
    expect(code).toBe(6);
    await held.release();
    expect((await cli.run("auth", "login", "--no-check")).code).toBe(0);
  });
});
