/** After a kill of `formctl promote`, the next run completes the promotion. It creates nothing twice. */

import { describe, expect, it } from "vitest";
import { ending, FORMCTL, start, type Started } from "../e2e/program.ts";
import { countOf } from "../effort.ts";
import { applyTo, openPromotionScene, type PromotionScene, succeeded } from "./scene.ts";

const ENDS = ["--from", "staging", "--to", "production"];
/** The numbers of the writes at which the process is killed. A whole promotion sends 13 writes. */
const WRITES = [4, 1, 9, 13];

/** Returns the number of differences, and the number of creations on the target. */
async function outcomeOf({ cli, production }: PromotionScene): Promise<{ different: number; creations: number }> {
  const diff = await succeeded(cli.run("diff", ...ENDS, "-o", "json"));
  const { summary } = diff.json() as { summary: { onlyInFrom: number; different: number } };
  const log = await production.local.log({ organization: "northwind", limit: 10_000 });
  const creations = log.filter(({ operation }) => operation === "createForm" || operation === "createLayout");
  return { different: summary.onlyInFrom + summary.different, creations: creations.length };
}

describe.each(["arrives", "is answered"] as const)("a promotion that is killed when a write %s", (moment) => {
  it.each(WRITES.slice(0, countOf("writes at which a promotion is killed")))(
    "continues after write %i",
    async (write) => {
      let child: Started | undefined;
      let writes = 0;
      const scene = await openPromotionScene(async (answer, { method }) => {
        const isMoment = method !== "GET" && ++writes === write;
        if (isMoment && moment === "arrives") child?.kill("SIGKILL");
        const answered = await answer();
        // The write is done, and its answer does not reach the process.
        if (isMoment && moment === "is answered") child?.kill("SIGKILL");
        return answered;
      });
      const { cli } = scene;
      await applyTo(scene, scene.staging);
      child = start(process.execPath, [FORMCTL, "promote", ...ENDS, "--yes", "--concurrency", "1"], {
        home: cli.home,
        cwd: cli.cwd,
      });
      child.stdin.end();
      const { signal } = await ending(child);
      child = undefined;
      expect(signal).toBe("SIGKILL");
      // The control: the killed promotion did not finish. A kill at the last write is an exception.
      const before = await outcomeOf(scene);
      expect(before.different > 0 || write === WRITES.at(-1)).toBe(true);

      await succeeded(cli.run("promote", ...ENDS, "--yes"));
      expect(await outcomeOf(scene)).toEqual({ different: 0, creations: 3 });
    },
  );
});
