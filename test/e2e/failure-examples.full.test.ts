/** The scripts of examples/failures: the sound ones pass, and the mistake of each other one is found at its line. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FailureRun } from "../../src/rehearsal/failures.ts";
import { rehearseFailing } from "./failure-run.ts";
import { reasonWithout } from "../skip.ts";
import { demoHome, ROOT } from "./program.ts";

const FOLDER = join(ROOT, "examples", "failures");

/** The mistake of each script: the verdict on it, the failures that show it, and the line. */
const MISTAKES: Readonly<Record<string, [verdict: FailureRun["verdict"], failures: RegExp, line: number] | null>> = {
  "update.sh": null,
  "apply.sh": null,
  "create.sh": null,
  "retry.sh": null,
  "curl-checked.sh": null,
  "without-set-e.sh": ["wentOn", /(429|503):at=1$/, 3],
  "swallowed.sh": ["wentOn", /(429|503):at=1$/, 4],
  "pipeline.sh": ["wentOn", /(429|503|dead):at=\d$/, 4],
  "curl-unchecked.sh": ["wentOn", /(429|503):at=1$/, 4],
  "blind-retry.sh": ["writtenTwice", /after:at=1$/, 4],
};

it("each script has a line in this test", () => {
  const scripts = readdirSync(FOLDER).filter((name) => name.endsWith(".sh"));
  expect(scripts.toSorted()).toEqual(Object.keys(MISTAKES).toSorted());
});

it.for(Object.entries(MISTAKES))("%s", async ([name, mistake], { skip }) => {
  const usesCurl = readFileSync(join(FOLDER, name), "utf8").includes("\ncurl ");
  const reason = usesCurl ? reasonWithout("curl") : undefined;
  skip(reason !== undefined, reason);
  // The scripts of curl are quick. Each run of another script starts several processes of the program.
  const words = [usesCurl ? "--failures" : "--failures=quick", "--concurrency", "2"];
  const { code, report } = await rehearseFailing(join(FOLDER, name), words, { home: await demoHome() });
  const found = report.runs.filter(({ verdict }) => verdict !== "survived" && verdict !== "repaired");
  expect(report.runs.length).toBeGreaterThan(3);
  const [verdict, failures, line] = mistake ?? [undefined, /^never$/, 0];
  const all = report.runs.map(({ failure }) => failure);
  expect({ code, failures: found.map(({ failure }) => failure) }).toEqual({
    code: mistake === null ? 0 : 1,
    failures: all.filter((failure) => failures.test(failure)),
  });
  expect(found.filter((run) => run.verdict !== verdict)).toEqual([]);
  expect(found[0]?.at?.line).toBe(mistake === null ? undefined : `${join(FOLDER, name)}:${line}`);
});
