/**
 * Tests `apply` with unknown outcomes. An unknown outcome counts neither as done nor as failed, in text and in JSON.
 */

import { expect, it, onTestFinished } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { startProxy } from "../chaos/chaos-proxy.ts";
import type { Fault } from "../chaos/faults.ts";
import { forgedAnswer } from "../chaos/messages.ts";
import { openRemoteScene } from "./remote-scene.ts";

const LOST: Fault = { kind: "cutRequest", at: 20, reset: true };
const refusal = (status: number, code: string): Fault => ({
  kind: "forge",
  when: "instead",
  message: forgedAnswer(status, "application/json", `{"error":{"code":"${code}","message":"no"}}`),
});
const FORBIDDEN = refusal(403, "FORBIDDEN");
const TOO_LARGE = refusal(413, "BODY_TOO_LARGE");
const NONE: Fault = { kind: "none" };

/** Creates manifests for a form of each of two objects. Each creation has a fault. */
async function openScene(candidate: Fault, placement: Fault) {
  const { cli } = await openRemoteScene();
  for (const object of ["candidate", "placement"])
    cli.file(`forms/${object}.yaml`, `kind: Form\nobject: staffing/${object}\nname: One\ntypes: [VIEW]\n`);
  const proxy = await startProxy(cli.env["FORMCTL_BASE_URL"]!, (request) => {
    const line = request.toString("latin1").split("\r\n")[0]!;
    if (!line.startsWith("POST")) return NONE;
    return line.includes("/candidate/") ? candidate : placement;
  });
  onTestFinished(() => proxy.close());
  cli.env["FORMCTL_BASE_URL"] = proxy.url;
  return cli;
}

it.each<[string, Fault, Fault, number, Applied["outcome"], number]>([
  ["everything is unknown", LOST, LOST, 7, "unknown", 2],
  ["another step was refused before", FORBIDDEN, LOST, 7, "unknown", 1],
  ["another step was refused after it", LOST, FORBIDDEN, 7, "unknown", 1],
  ["another step is done", NONE, LOST, 9, "partial", 1],
  ["no step is unknown, and all are refused", FORBIDDEN, FORBIDDEN, 4, "failed", 0],
  ["no step is done, and the first of the plan is refused with 413", TOO_LARGE, FORBIDDEN, 1, "failed", 0],
  ["no step is done, and the second of the plan is refused with 413", FORBIDDEN, TOO_LARGE, 4, "failed", 0],
  ["another step is done, and the first of the plan is refused", FORBIDDEN, NONE, 9, "partial", 0],
])("sets outcome and exit code where %s", async (_, candidate, placement, exitCode, outcome, unknown) => {
  const cli = await openScene(candidate, placement);
  const { code, stdout } = await cli.run("apply", "forms", "--yes", "-o", "json");
  const applied = JSON.parse(stdout) as Applied;
  expect([code, applied.exitCode, applied.outcome, applied.summary.steps.unknown]).toEqual([
    exitCode,
    exitCode,
    outcome,
    unknown,
  ]);
});

it("reports neither a write nor a failure", async () => {
  const cli = await openScene(LOST, FORBIDDEN);
  const { code, stdout, stderr } = await cli.run("apply", "forms", "--yes");
  expect(code).toBe(7);
  expect(stdout).toMatch(/^Outcome unknown for http.*: 2 not finished\.\n$/);
  expect(stderr).toContain("In staffing/candidate/One: createForm has an unknown outcome");
  expect(stderr).not.toContain("Written to");
});
