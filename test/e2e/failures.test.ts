/** `formctl serve --fault` and `formctl rehearse --failures`, in processes of the program. */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newCanary } from "../canary.ts";
import { rehearseFailing } from "./failure-run.ts";
import { demoHome, ending, FORMCTL, formctl, start } from "./program.ts";
import { serveStore } from "./served-store.ts";

const INTAKE = '"staffing/candidate/Candidate intake"';

/** A home with the demo's store, a script, and a folder for temporary files. */
async function scene(...lines: string[]) {
  const home = await demoHome();
  const [cwd, temporary] = [join(home, "work"), join(home, "temporary")];
  for (const folder of [cwd, temporary]) mkdirSync(folder);
  writeFileSync(join(cwd, "deploy.sh"), ["#!/usr/bin/env bash", ...lines, ""].join("\n"));
  const digest = () =>
    createHash("sha256")
      .update(readFileSync(join(home, "local.db")))
      .digest("hex");
  return {
    home,
    cwd,
    digest,
    where: { home, cwd, env: { TMPDIR: temporary } },
    left: () => readdirSync(temporary).filter((name) => name.startsWith("formctl-rehearsal-")),
  };
}

describe("serve --fault", () => {
  it("prints the faults and the seed, and answers with them", async () => {
    const home = await demoHome();
    const words = ["serve", "--port", "0", "--fault", "*:503:rate=1", "--fault-seed", "11", "-o", "json"];
    const server = start(process.execPath, [FORMCTL, ...words], { home });
    const served = ending(server);
    onTestFinished(async () => {
      server.kill();
      await served;
    });
    const line = String(await new Promise((resolve) => server.stdout.once("data", resolve)));
    const { url, faultSeed } = JSON.parse(line) as { url: string; faultSeed: number };
    expect(faultSeed).toBe(11);
    const answer = await fetch(`${url}/v1/currencies`, { headers: { authorization: `Bearer ${newCanary()}` } });
    expect(answer.status).toBe(503);
    server.kill("SIGTERM");
    expect((await served).stderr).toContain('"fault":"*:503:rate=1"');
  });

  const FAULT = ["--fault", "*:500"];
  it.each([
    [[...FAULT, "--behind-proxy"], /--fault and --behind-proxy can't be combined/],
    [[...FAULT, "--host", "0.0.0.0", "--tls-cert", "a", "--tls-key", "b"], /other machines may reach/],
    [[...FAULT, "--store", "postgres://127.0.0.1:1/x"], /can't be used with a PostgreSQL database/],
    [["--fault-seed", "1"], /missing option --fault/],
    [["--fault", "*:200"], /must have a status from 400 to 599/],
  ])("%j is refused", async (words, message) => {
    const { code, stderr } = await formctl(["serve", "--port", "0", ...words], { home: await demoHome() });
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringMatching(message) });
    expect(stderr).toMatch(/^hint: /m);
  });
});

describe("rehearse --failures", () => {
  it("finds the line that goes on after a failure, and leaves the target unchanged", async () => {
    const { where, digest, left } = await scene(
      `formctl forms update ${INTAKE} --title A || true`,
      `formctl forms update ${INTAKE} --title B`,
    );
    const before = digest();
    const { code, report, stderr } = await rehearseFailing("deploy.sh", ["--failures=quick"], where);
    expect(stderr).toContain("deploy.sh makes 2 writes. 4 failures, each with a second run: 8 runs.");
    expect(code).toBe(0);
    expect(report.runs.map(({ failure, verdict }) => [failure, verdict])).toEqual([
      // The second command repairs the first.
      ["write:429:at=1", "survived"],
      ["write:504:after:at=1", "survived"],
      ["write:429:at=2", "repaired"],
      ["write:504:after:at=2", "survived"],
    ]);
    expect(report.runs[2]).toMatchObject({ exitCode: 7, at: { line: "./deploy.sh:3", exitCode: 7 }, writtenTwice: [] });
    expect({ digest: digest(), left: left() }).toEqual({ digest: before, left: [] });
  });

  it("works on the copy of a server", async () => {
    const { home, where, digest } = await scene(`formctl forms update ${INTAKE} --title A`, "exit 0");
    const { env } = await serveStore(home);
    const before = digest();
    const words = ["--failures=quick", "--concurrency", "2"];
    const { code, report } = await rehearseFailing("deploy.sh", words, { ...where, env: { ...where.env, ...env } });
    expect({ code, verdicts: report.runs.map(({ verdict }) => verdict) }).toEqual({
      code: 1,
      verdicts: ["wentOn", "survived"],
    });
    expect(report.runs[0]).toMatchObject({
      exitCode: 0,
      at: { line: "./deploy.sh:2", exitCode: 7 },
      differences: ["the form staffing/candidate/Candidate intake"],
    });
    expect(digest()).toBe(before);
  });

  it("refuses a script that fails without a failure", async () => {
    const { where, left } = await scene("formctl forms get staffing/candidate/Missing");
    const { code, stderr } = await rehearseFailing("deploy.sh", ["--failures"], where);
    expect(code).toBe(3);
    expect(stderr).toContain("deploy.sh ends with exit code 5 without a failure");
    expect(left()).toEqual([]);
  });

  it("refuses a missing store as other commands do", async () => {
    const { where, left } = await scene("formctl forms list staffing/candidate");
    const { code, stderr } = await rehearseFailing("deploy.sh", ["--failures", "--store", "missing.db"], where);
    expect([code, stderr]).toEqual([5, expect.stringContaining("STORE_MISSING")]);
    expect(left()).toEqual([]);
  });

  it("reports that a script without writes has no failures", async () => {
    const { where } = await scene("formctl forms list staffing/candidate");
    const { code, stdout } = await formctl(["rehearse", "deploy.sh", "--yes", "--failures", "-q"], where);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("deploy.sh writes nothing, so no failure was rehearsed.\n"),
    });
  });

  it("ends at Ctrl-C without leaving a copy", async () => {
    const { where, left } = await scene(`formctl forms update ${INTAKE} --title A`, "sleep 1");
    const words = ["rehearse", "deploy.sh", "--yes", "--failures"];
    const running = start(process.execPath, [FORMCTL, ...words], where);
    const ended = ending(running);
    let stderr = "";
    await new Promise<void>((resolve) => {
      running.stderr.on("data", (text: string) => {
        stderr += text;
        if (stderr.includes("runs.")) resolve();
      });
    });
    running.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(left()).toEqual([]);
  });

  it("refuses another set of failures", async () => {
    const { where } = await scene("true");
    expect(await formctl(["rehearse", "deploy.sh", "--failures=most"], where)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('--failures must be one of quick, all, not "most"'),
    });
  });
});
