/** Tests the examples in every command's help. Each runs unchanged on the demo's data. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands, lines, usesDatabase } from "./example-lines.ts";
import { before, onServer } from "./example-setup.ts";
import { demoHome, ending, FORMCTL, formctl, ROOT, shell, start, type Started } from "./program.ts";
import { runWithEditor } from "./scripted-editor.ts";

/** Examples that ask questions at a terminal. test/e2e/init.test.ts runs them. */
const asks = ["formctl init"];

/** Returns the line with the URL of the test's server, if its command connects to a server. */
const connected = (line: string) =>
  line.startsWith("formctl init ") ? line.replace("https://forms.example.com", "$FORMCTL_TEST_URL") : line;

let server: Started;
let served: Promise<unknown>;
const environment: Record<string, string> = {};
let token = "";

beforeAll(async () => {
  const home = await demoHome();
  token = (await formctl(["local", "tokens", "create", "--name", "ci", "--permission", "all", "-q"], { home })).stdout;
  server = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  served = ending(server);
  const line: unknown = await new Promise((resolve) => server.stdout.once("data", resolve));
  environment["FORMCTL_TEST_URL"] = (JSON.parse(String(line)) as { url: string }).url;
});
afterAll(async () => {
  server.kill();
  await served;
});

describe("the examples", () => {
  it("are there for every command, and are of that command", () => {
    expect(commands.filter(({ command }) => command.examples.length === 0).map(({ path }) => path)).toEqual([]);
    const foreign = lines.filter(({ path, line }) => !line.includes(["formctl", ...path].join(" ")));
    expect(foreign).toEqual([]);
  });

  it("need nothing beforehand that no example needs", () => {
    const needed = [...Object.keys(before), ...Object.keys(onServer), ...asks];
    expect(needed.filter((each) => !lines.some(({ line }) => line === each))).toEqual([]);
  });

  /** A working directory with the demo's store, the examples and a token. */
  async function place(): Promise<{ home: string; cwd: string; env: Record<string, string> }> {
    const home = await demoHome();
    const cwd = join(home, "work");
    mkdirSync(cwd);
    symlinkSync(join(ROOT, "examples"), join(cwd, "examples"));
    writeFileSync(join(cwd, "token.txt"), token, { mode: 0o600 });
    return { home, cwd, env: environment };
  }

  const lasting = (line: string) => line.startsWith("formctl serve");
  const editing = (line: string) => /^formctl (layouts|forms) edit /.test(line);

  it.concurrent.each(
    lines
      .map(({ line }) => line)
      .filter((line) => !lasting(line) && !editing(line) && !asks.includes(line) && !usesDatabase(line)),
  )("%s", async (line) => {
    const where = await place();
    expect(await shell(before[line] ?? "true", where)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await shell(`${onServer[line] ?? "true"} && ${connected(line)}`, where);
    // The manifests differ from the demo in one layout. So `--detailed-exitcode` reports a difference.
    const expected = line.includes("--detailed-exitcode") ? 2 : 0;
    expect({ code, said: code === expected ? "" : `${stdout}${stderr}` }).toEqual({ code: expected, said: "" });
    expect(stdout).not.toMatch(/undefined|\[object/);
  });

  it.each(lines.map(({ line }) => line).filter(editing))("%s, in an editor that changes nothing", async (line) => {
    const words = line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ""));
    const { exitCode, opened } = await runWithEditor({ home: await demoHome() }, words.slice(1), { steps: [{}] });
    expect({ exitCode, count: opened.length }).toEqual({ exitCode: 0, count: 1 });
  });

  it.each(lines.map(({ line }) => line).filter(lasting))("%s, until a signal", async (line) => {
    const { home, cwd } = await place();
    const child = start(process.execPath, [FORMCTL, ...line.split(" ").slice(1)], { home, cwd });
    const ended = ending(child);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining("http://127.0.0.1:") as unknown });
  });

  it("would be caught if they did not run: the control", async () => {
    const home = await demoHome();
    expect((await shell("formctl forms get staffing/candidate/Nobody", { home })).code).toBe(5);
    expect((await shell("formctl forms get staffing/candidate/Nobody | cat", { home })).code).toBe(5);
  });
});
