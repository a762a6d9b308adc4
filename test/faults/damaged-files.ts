/** Damages store files at random. Every answer must have the stored content or report the damage. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setDamageStage } from "./damage-stage.ts";
import { inFolder, type Loop, type Result } from "./loop.ts";

const script = join(import.meta.dirname, "scripts", "read-damaged.ts");

/**
 * The number of damaged files that one process reads. A crash of SQLite ends that process, and counts as a violation.
 */
const BATCH = 250;

async function attackAll(count: number, seed: number, manner: "service" | "raw"): Promise<Result> {
  return inFolder(async (folder) => {
    const path = join(folder, "store.db");
    await setDamageStage(folder, path);
    const violations: string[] = [];
    const facts: Record<string, number> = {};
    for (let done = 0; done < count; done += BATCH) {
      const times = Math.min(BATCH, count - done);
      const child = spawn(process.execPath, [script, path, String(times), String(seed + done), manner], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      let printed = "";
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      const [code] = (await once(child, "close")) as [number | null];
      if (code !== 0) {
        violations.push(`files ${done} to ${done + times}: the reader ended with ${code}: ${said.slice(0, 500)}`);
        continue;
      }
      const batch = JSON.parse(printed) as Pick<Result, "violations" | "facts">;
      violations.push(...batch.violations);
      for (const [fact, number] of Object.entries(batch.facts)) facts[fact] = (facts[fact] ?? 0) + number;
    }
    if ((facts["refused"] ?? 0) === 0 && manner === "service")
      violations.push("no answer was refused: the attack proves nothing");
    return { count, violations, facts };
  });
}

export const damagedFiles: Loop = {
  name: "damaged-files",
  full: 5000,
  sample: 150,
  run: (count, seed) => attackAll(count, seed, "service"),
  // The control reads columns without verification, so it gets damaged contents.
  control: (seed) => attackAll(150, seed, "raw"),
};
