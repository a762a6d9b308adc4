/** Runs `formctl rehearse --failures` on the demo's store. */

import type { RehearsedFailures } from "../../src/rehearsal/failures.ts";
import { type Circumstances, formctl } from "./program.ts";

export async function rehearseFailing(
  script: string,
  words: readonly string[],
  where: Circumstances,
): Promise<{ code: number | null; stderr: string; report: RehearsedFailures }> {
  const { code, stdout, stderr } = await formctl(["rehearse", script, "--yes", "-o", "json", ...words], where);
  return { code, stderr, report: (stdout === "" ? undefined : JSON.parse(stdout)) as RehearsedFailures };
}
