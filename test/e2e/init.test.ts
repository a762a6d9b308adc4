/** Tests `formctl init` of the installed program in a terminal, with the demo and with a server. */

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { newCanary } from "../canary.ts";
import { startServer } from "../client/table-server.ts";
import { CTRL_C, CTRL_U, DOWN, ENTER, type PtyOptions, runInPty, type Step } from "../pty.ts";
import { COMMAND, demoHome, emptyHome, ending, FORMCTL, formctl, start, type Started } from "./program.ts";

let server: Started;
let served: Promise<unknown>;
let url = "";
let token = "";

beforeAll(async () => {
  const home = await demoHome();
  token = (
    await formctl(["local", "tokens", "create", "--name", "ci", "--permission", "all", "-q"], { home })
  ).stdout.trim();
  server = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  served = ending(server);
  const line: unknown = await new Promise((resolve) => server.stdout.once("data", resolve));
  ({ url } = JSON.parse(String(line)) as { url: string });
});
afterAll(async () => {
  server.kill();
  await served;
});

function place(): { home: string; cwd: string } {
  const home = emptyHome();
  const cwd = join(home, "work");
  mkdirSync(cwd);
  return { home, cwd };
}

const run = (words: readonly string[], options: PtyOptions, steps: readonly Step[]) =>
  runInPty([...COMMAND, ...words], { rows: 40, ...options }, steps);

/** Returns the names of formctl's files in the home folder and in the working directory. */
const filesOf = ({ home, cwd }: { home: string; cwd: string }) =>
  [...readdirSync(home), ...readdirSync(cwd)].filter((name) => /\.(yaml|db)$/.test(name)).toSorted();

/** The questions about a server, each with its answer. */
const questions = (): Step[] => [
  [/How do you want to start\?[^]*Connect to a server/, `${DOWN}${ENTER}`],
  [/Base URL of the server/, `${url}${ENTER}`],
  [/Name of the profile: \(127\.0\.0\.1\)/, ENTER],
  [/Token for http/, `${token}${ENTER}`],
  [/Write the project file[^]*\(y\/N\)/, `y${ENTER}`],
  [/Default object/, `staffing/candidate${ENTER}`],
  [/Folder of the manifests: \(forms\)/, ENTER],
];

describe("init at a terminal", () => {
  it("creates the demo with one key, and suggests commands", async () => {
    const where = place();
    const { exitCode, screen } = await run(["init"], where, [[/Try it with the demo store/, ENTER]]);
    expect(exitCode).toBe(0);
    expect(screen).toContain("Added the organization northwind: 5 forms, 5 layouts.");
    expect(screen).toContain("Next: formctl forms list staffing/candidate");
    expect(filesOf(where)).toEqual(["local.db"]);
  });

  it("connects to a server, and hides the token", async () => {
    const where = place();
    const { exitCode, screen } = await run(["init"], where, questions());
    expect(exitCode).toBe(0);
    expect(screen).not.toContain(token);
    expect(screen).toContain(`Token for ${url}: ${"*".repeat(token.length)}`.slice(0, 60));
    expect(screen).toMatch(/^ok {4}reachability: /m);
    expect(filesOf(where)).toEqual(["config.yaml", "credentials.yaml", "formctl.yaml"]);
    expect(readFileSync(join(where.cwd, "formctl.yaml"), "utf8")).toBe(
      "profile: 127.0.0.1\nobject: staffing/candidate\nmanifests: forms\n",
    );
    const list = await formctl(["forms", "list", "-o", "json", "--query", "length(@)"], where);
    expect(list).toMatchObject({ code: 0, stdout: "2\n" });
  });

  it("asks again for an invalid base URL, name and token, and for a token that the server refuses", async () => {
    const where = place();
    const steps: Step[] = [
      [/Connect to a server/, `${DOWN}${ENTER}`],
      [/Base URL of the server/, `forms.example.com${ENTER}`],
      [/invalid base URL[^]*Example: https/, `${CTRL_U}${url}${ENTER}`],
      [/Name of the profile/, `a b${ENTER}`],
      [/must be 1 to 64 letters/, `\u0015prod${ENTER}`],
      [/Token for/, ENTER],
      [/your answer is empty/, `${newCanary()}${ENTER}`],
      [/fail {2}token: refused[^]*Enter another token/, ENTER],
      [/Token for/, `${token}${ENTER}`],
      [/Write the project file[^]*\(y\/N\)/, ENTER],
    ];
    const { exitCode } = await run(["init"], where, steps);
    expect(exitCode).toBe(0);
    expect(filesOf(where)).toEqual(["config.yaml", "credentials.yaml"]);
    expect((await formctl(["auth", "status"], where)).stdout).toContain(`…${token.slice(-4)}`);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])("leaves nothing behind after Ctrl-C at question %d", async (index) => {
    const where = place();
    const steps = questions().slice(0, index + 1);
    const last = steps.pop()!;
    const { exitCode, screen } = await run(["init"], where, [...steps, [last[0], CTRL_C]]);
    expect(exitCode).toBe(130);
    expect(screen).not.toContain("Saved");
    expect(filesOf(where)).toEqual([]);
  });

  it("leaves nothing behind after Ctrl-C during the checks", async () => {
    const silent = await startServer(() => new Promise(() => undefined));
    onTestFinished(() => silent.close());
    const where = place();
    const [choose, , ...rest] = questions();
    const { exitCode } = await run(["init", "--timeout", "200"], where, [
      choose!,
      [/Base URL of the server/, `${silent.url}${ENTER}`],
      ...rest.slice(0, 2),
      [/Checking http/, CTRL_C],
    ]);
    expect(exitCode).toBe(130);
    expect(filesOf(where)).toEqual([]);
  });

  it("asks nothing in CI, and names the missing options", async () => {
    const where = place();
    const { exitCode, screen } = await run(["init"], { ...where, env: { CI: "true" } }, []);
    expect(exitCode).toBe(64);
    expect(screen).toContain("missing option --demo or --base-url");
    expect(filesOf(where)).toEqual([]);
  });
});
