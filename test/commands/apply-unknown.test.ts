/**
 * Tests `apply` with unknown outcomes. An unknown outcome counts neither as done nor as failed, in text and in JSON.
 */

import { expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import type { Reply } from "../client/table-server.ts";
import { insertProxy, refusal } from "../proxy/proxy.ts";
import { openRemoteScene } from "./remote-scene.ts";

const LOST: Reply = { status: 0, cut: true };
const FORBIDDEN = refusal(403, { code: "FORBIDDEN", message: "no" });
const TOO_LARGE = refusal(413, { code: "BODY_TOO_LARGE", message: "no" });
/** The creation is answered by the server. */
const NONE = undefined;

/** Creates manifests for a form of each of two objects. A reply replaces the creation of the form. */
async function openScene(candidate: Reply | undefined, placement: Reply | undefined) {
  const { cli } = await openRemoteScene();
  for (const object of ["candidate", "placement"])
    cli.file(`forms/${object}.yaml`, `kind: Form\nobject: staffing/${object}\nname: One\ntypes: [VIEW]\n`);
  await insertProxy(cli, {
    request({ method, path }) {
      if (method !== "POST") return undefined;
      return path.includes("/candidate/") ? candidate : placement;
    },
  });
  return cli;
}

it.each<[string, Reply | undefined, Reply | undefined, number, Applied["outcome"], number]>([
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
