/** Tests the examples in every command's help. Each runs unchanged on the demo's data. */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tier, type Tier } from "../effort.ts";
import { commands, lines, usesDatabase } from "./example-lines.ts";
import { before, onServer } from "./example-setup.ts";
import { demoHome, ending, FORMCTL, formctl, ROOT, start, type Started } from "./program.ts";
import { runWithEditor } from "./scripted-editor.ts";
import { typeLine, type Typist } from "./typed-line.ts";

/** Examples that ask questions at a terminal. test/e2e/init.test.ts runs them. */
const asks = ["formctl init"];

let server: Started;
let served: Promise<unknown>;
let url = "";
let token = "";

/** Returns the line with the URL of the test's server, if its command connects to a server. */
const connected = (line: string) =>
  line.startsWith("formctl init ") ? line.replace("https://forms.example.com", url) : line;

beforeAll(async () => {
  const home = await demoHome();
  token = (await formctl(["local", "tokens", "create", "--name", "ci", "--permission", "all", "-q"], { home })).stdout;
  server = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  served = ending(server);
  const line: unknown = await new Promise((resolve) => server.stdout.once("data", resolve));
  ({ url } = JSON.parse(String(line)) as { url: string });
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

  it("name no file that only a checkout of formctl has", () => {
    const named = lines.filter(({ line }) => /\b(examples|docs|src)\//.test(line));
    expect(named).toEqual([]);
  });

  it("need nothing beforehand that no example needs", () => {
    const needed = [...Object.keys(before), ...Object.keys(onServer), ...asks];
    expect(needed.filter((each) => !lines.some(({ line }) => line === each))).toEqual([]);
  });

  /** A working directory with the demo's store, a user's manifests, drafts and organization file, and a token. */
  async function place(ofLine = tier): Promise<Typist> {
    const home = await demoHome();
    const cwd = join(home, "work");
    const northwind = join(ROOT, "examples", "northwind");
    mkdirSync(cwd);
    cpSync(join(northwind, "manifests"), join(cwd, "forms"), { recursive: true });
    cpSync(join(northwind, "organization.yaml"), join(cwd, "organization.yaml"));
    for (const draft of ["candidate-intake", "candidate-profile", "document-review"])
      cpSync(join(northwind, "drafts", `${draft}.yaml`), join(cwd, `${draft}.yaml`));
    writeFileSync(join(cwd, "token.txt"), token, { mode: 0o600 });
    return { home, cwd, tier: ofLine };
  }

  const lasting = (line: string) => line.startsWith("formctl serve");
  const editing = (line: string) => /^formctl (layouts|forms) edit /.test(line);

  const typed = lines.filter(
    ({ line }) => !lasting(line) && !editing(line) && !asks.includes(line) && !usesDatabase(line),
  );
  // In a full run, the first line of each command is a process: it shows that the built program has what the command needs.
  const firsts = new Set([...Map.groupBy(typed, ({ path }) => path).values()].map(([first]) => first!.line));
  const tierOf = (line: string): Tier => (tier === "full" && firsts.has(line) ? "full" : "sample");

  it.concurrent.each(typed.map(({ line }) => line))("%s", async (line) => {
    const where = await place(tierOf(line));
    const setup = before[line];
    const prepared = setup === undefined ? { code: 0 } : await typeLine(setup, where);
    expect(prepared).toMatchObject({ code: 0 });
    const connection = onServer[line]?.replace("$FORMCTL_TEST_URL", url);
    const { code, output } = await typeLine([connection, connected(line)].filter(Boolean).join(" && "), where);
    // The manifests differ from the demo in one layout. So `--detailed-exitcode` reports a difference.
    const expected = line.includes("--detailed-exitcode") ? 2 : 0;
    expect({ code, output: code === expected ? "" : output }).toEqual({ code: expected, output: "" });
    expect(output).not.toMatch(/undefined|\[object/);
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
    const where = await place();
    for (const line of [
      "formctl forms get staffing/candidate/Nobody",
      "formctl forms get staffing/candidate/Nobody | cat",
    ])
      expect(await typeLine(line, where)).toMatchObject({ code: 5 });
  });
});
