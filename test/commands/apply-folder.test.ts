/**
 * Tests the `.formctl` folder of `apply`, `plan` and `export`: the accepted kinds of folders, and the errors for all
 * others.
 */

import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { insertProxy } from "../proxy/proxy.ts";
import { searchOutput } from "../canary.ts";
import type { Cli, Outcome } from "./cli.ts";
import { openManifestsScene } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const OUR_MISTAKE = /internal error|INTERNAL/;

function form(name: string): string {
  return `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [VIEW]\n`;
}

/** Entries of a wrong kind, in place of `.formctl` or of a file in it. */
const UNFIT: [string, string, (path: string, elsewhere: string) => void][] = [
  ["a link in the place of the folder", "", (path, elsewhere) => symlinkSync(elsewhere, path)],
  ["a link to nothing in the place of the folder", "", (path, elsewhere) => symlinkSync(join(elsewhere, "new"), path)],
  ["a file in the place of the folder", "", (path) => writeFileSync(path, "")],
  ["a link in the place of the journals", "runs", (path, elsewhere) => symlinkSync(elsewhere, path)],
  ["a file in the place of the journals", "runs", (path) => writeFileSync(path, "")],
  ["a folder in the place of a journal", "runs/2026-03-02T090000.000Z-1.1-aaa.jsonl", (path) => mkdirSync(path)],
  ["a folder in the place of a hold", "runs/lock-1", (path) => mkdirSync(path)],
  ["a folder in the place of the lock", "runs/lock.json", (path) => mkdirSync(path)],
  ["a link in the place of the lock", "runs/lock.json", (path, elsewhere) => symlinkSync(join(elsewhere, "new"), path)],
];

describe.each(UNFIT)("with %s", (_, name, plant) => {
  it("apply does nothing, and states the next step", async () => {
    const { cli, writes } = await openManifestsScene("a local store");
    const elsewhere = join(cli.home, "elsewhere");
    mkdirSync(elsewhere);
    const path = join(cli.cwd, ".formctl", name).replace(/\/$/, "");
    mkdirSync(dirname(path), { recursive: true });
    plant(path, elsewhere);
    const before = await writes();
    const refused = await cli.run("apply", "manifests", "--yes", "-o", "json");
    expect(refused.error()).toMatchObject({
      code: "FILE_UNFIT",
      exitCode: 3,
      message: expect.stringContaining(path) as string,
      hint: expect.stringContaining("Remove it") as string,
    });
    expect([refused.code, await writes()]).toEqual([3, before]);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(path, { recursive: true });
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
  });
});

describe.each(UNFIT.filter(([, name]) => !name.startsWith("runs/")))("with %s", (_, name, plant) => {
  const lines = [
    "export staffing/candidate --into forms",
    ...(name === "runs" ? [] : ["plan manifests --out plan.json"]),
  ];
  it.each(lines)("%s is refused too", async (line) => {
    const { cli } = await openManifestsScene("a local store");
    const elsewhere = join(cli.home, "elsewhere");
    mkdirSync(elsewhere);
    const path = join(cli.cwd, ".formctl", name).replace(/\/$/, "");
    mkdirSync(dirname(path), { recursive: true });
    plant(path, elsewhere);
    const refused = await cli.run(...line.split(" "), "-o", "json");
    expect(refused.error()).toMatchObject({ code: "FILE_UNFIT", exitCode: 3 });
    expect([existsSync(join(cli.cwd, "forms")), existsSync(join(cli.cwd, "plan.json"))]).toEqual([false, false]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

it("an export reports what it has written, also if it can't update .formctl", async () => {
  const { cli } = await openManifestsScene("a local store");
  await cli.run("apply", "manifests", "--yes");
  const turn = join(cli.cwd, ".formctl", "runs", "turn-9");
  mkdirSync(turn);
  cli.file(".formctl/runs/lock.json", { version: 1, targets: {} });
  const exported = await cli.run("export", "staffing/placement", "--into", "forms");
  expect(exported.stdout).toContain("written    forms/staffing/placement/desk.yaml");
  expect([exported.code, exported.stderr]).toEqual([
    0,
    expect.stringContaining(`warning: could not record the export in .formctl: ${turn} is not a file. Remove it.`),
  ]);
});

it("schemas are not written through a link in the repository", async () => {
  const { cli } = await openManifestsScene("a local store");
  const elsewhere = join(cli.home, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(join(cli.cwd, ".formctl"));
  symlinkSync(elsewhere, join(cli.cwd, ".formctl", "schemas"));
  await cli.run("apply", "manifests", "--yes");
  for (const line of [["schema"], ["export", "staffing/candidate", "--into", "forms"]]) {
    expect(await cli.run(...line)).toMatchObject({ code: 3, stderr: expect.stringContaining("is a link") as string });
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});

/** Runs a command as a process. Its files can't grow beyond `bytes` bytes, like on a full disk. */
async function typeWithin(bytes: number, cli: Cli, ...argv: string[]): Promise<Outcome> {
  const script = fileURLToPath(new URL("./scripts/typed.ts", import.meta.url));
  const limited = ["-c", `ulimit -f ${bytes / 512}; exec "$@"`, "sh", process.execPath, script, ...argv];
  const child = spawn("sh", limited, {
    cwd: cli.cwd,
    env: { PATH: process.env["PATH"], HOME: cli.home, ...cli.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number>((resolve) => child.on("close", (ended) => resolve(ended ?? -1)));
  searchOutput(`formctl ${argv.join(" ")}`, { stdout, stderr });
  const error: Outcome["error"] = () => (JSON.parse(stderr) as { error: ReturnType<Outcome["error"]> }).error;
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as unknown, error };
}

describe("a full disk", () => {
  it("during an apply does not change the report: 9, and the next run continues", async () => {
    const { cli } = await openRemoteScene();
    for (let number = 0; number < 40; number++) cli.file(`forms/${number}.yaml`, form(`Form ${number}`));
    const outcome = await typeWithin(8192, cli, "apply", "forms", "--yes", "-o", "json", "-q", "--concurrency", "4");
    expect(outcome.stderr).not.toMatch(OUR_MISTAKE);
    const { exitCode, outcome: word, summary, error, resources } = JSON.parse(outcome.stdout) as Applied;
    expect([outcome.code, exitCode, word]).toEqual([9, 9, "partial"]);
    // The run failed without a failed step: the skipped steps sent nothing.
    expect(error).toMatchObject({ code: "RECORD_UNWRITABLE", exitCode: 1 });
    expect(resources.flatMap(({ steps }) => steps).filter((step) => step.error)).toEqual([]);
    expect(summary.steps.done).toBeGreaterThan(5);
    expect(summary.steps.skipped).toBeGreaterThan(5);
    expect(outcome.stderr).toMatch(
      /could not record in \.formctl what was applied: .*the file would be larger than the system allows .* ha(ve|s) room left/,
    );
    const rest = (await cli.run("apply", "forms", "--yes", "-o", "json")).json() as Applied;
    expect([rest.exitCode, rest.summary.resources.created]).toEqual([0, 40 - summary.steps.done]);
  });

  it("is reported once, with the number of resources that were not begun", async () => {
    const { cli } = await openRemoteScene();
    // The journal contains each name twice, and the lock file once. So only the journal exceeds the limit.
    const name = (number: number) => `Form ${number} ${"x".repeat(160)}`;
    for (let number = 0; number < 40; number++) cli.file(`forms/${number}.yaml`, form(name(number)));
    const { code, stdout, stderr } = await typeWithin(8192, cli, "apply", "forms", "--yes", "--concurrency", "4");
    expect(code).toBe(9);
    expect(stderr.match(/the file would be larger than the system allows/g)).toHaveLength(1);
    const [, count] = /^Skipped for (\d+) resources: \S+\/Form \d+ x+, .* and \d+ more$/m.exec(stderr) ?? [];
    expect(stdout).toMatch(new RegExp(` ${40 - Number(count)} created, ${count} not finished\\.\n$`));
  });

  it("before an apply stops it without a request and without a question: 1, with the file and the next step", async () => {
    const { cli } = await openRemoteScene();
    cli.file("one.yaml", form("One"));
    const proxy = await insertProxy(cli);
    const outcome = await typeWithin(0, cli, "apply", "one.yaml", "-o", "json");
    expect(outcome.error()).toMatchObject({
      code: "FILE_UNWRITABLE",
      exitCode: 1,
      message: expect.stringContaining(join(".formctl", "runs")) as string,
      hint: expect.stringContaining("Completed steps are not repeated") as string,
    });
    expect([outcome.code, outcome.stdout, proxy.writes()]).toEqual([1, "", []]);
  });

  it("does not stop an apply without steps, or a read-only command", async () => {
    const { cli } = await openRemoteScene();
    cli.file("one.yaml", form("One"));
    expect((await cli.run("apply", "one.yaml", "--yes")).code).toBe(0);
    const known = await typeWithin(0, cli, "apply", "one.yaml", "-o", "json");
    expect(known.json()).toMatchObject({ exitCode: 0, outcome: "unchanged" });
    expect([known.code, known.stderr]).toEqual([0, ""]);
    renameSync(join(cli.cwd, ".formctl"), join(cli.cwd, "before"));
    const fresh = await typeWithin(0, cli, "apply", "one.yaml", "-o", "json");
    expect(fresh.json()).toMatchObject({ exitCode: 0, outcome: "unchanged" });
    expect(fresh.stderr).toContain("could not record in .formctl that the target is in sync: can't write");
    expect(await typeWithin(0, cli, "plan", "one.yaml", "-o", "json")).toMatchObject({ code: 0, stderr: "" });
  });

  it("refuses an export and a saved plan with a plain error", async () => {
    const { cli } = await openRemoteScene();
    cli.file("one.yaml", form("One"));
    expect((await cli.run("apply", "one.yaml", "--yes")).code).toBe(0);
    const exported = await typeWithin(0, cli, "export", "staffing/candidate", "--into", "forms");
    expect(exported).toMatchObject({ code: 1, stderr: expect.stringContaining("error: can't write ") as string });
    expect(exported.stderr).not.toMatch(OUR_MISTAKE);
    expect(readdirSync(join(cli.cwd, "forms"), { recursive: true }).filter((name) => /\./.test(String(name)))).toEqual(
      [],
    );
    const sealed = await typeWithin(0, cli, "plan", "one.yaml", "--out", "plan.json", "-o", "json");
    expect(sealed.error()).toMatchObject({
      code: "FILE_UNWRITABLE",
      exitCode: 1,
      message: expect.stringContaining("plan.json: the file would be larger than the system allows") as string,
    });
    expect(existsSync(join(cli.cwd, "plan.json"))).toBe(false);
  });
});

it("a .formctl folder that is deleted during an apply does not change the report", async () => {
  const { cli } = await openManifestsScene("a server");
  const folder = join(cli.cwd, ".formctl");
  let isGone = false;
  await insertProxy(cli, {
    request({ method }) {
      if (isGone || method !== "POST") return undefined;
      isGone = true;
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
      return undefined;
    },
  });
  const outcome = await cli.run("apply", "manifests", "--yes", "-o", "json");
  expect([outcome.code, outcome.json()]).toEqual([0, expect.objectContaining({ exitCode: 0, outcome: "applied" })]);
  expect(outcome.stderr).toContain(
    `could not record in .formctl what was applied: ${folder} is not a folder. Remove it`,
  );
  expect(outcome.stderr).not.toMatch(OUR_MISTAKE);
});

it("two concurrent exports into one folder are written one after the other", async () => {
  const { cli } = await openManifestsScene("a local store");
  await cli.run("apply", "manifests", "--yes");
  rmSync(join(cli.cwd, ".formctl"), { recursive: true });
  const objects = ["staffing/candidate", "staffing/placement"];
  const outcomes = await Promise.all(objects.map((object) => cli.run("export", object, "--into", "forms")));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
  const lock = readFileSync(join(cli.cwd, ".formctl", "runs", "lock.json"), "utf8");
  for (const name of ["Profile", "Intake", "Desk"]) expect(lock).toContain(`/${name}"`);
});
