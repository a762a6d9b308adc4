/**
 * `npm run test:attacks`: runs every attack with its guard, where it must fail, and without it, where it must succeed.
 * Prints one line for each. `-- NAME` runs only the attacks whose name contains NAME. `-- --table` prints the table for
 * docs/security.md.
 */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ProjectCopy } from "../mutants/project-copy.ts";
import type { Attack, Tests } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { guardMutant } from "./guards.ts";
import { attackTable } from "./table.ts";

const LIMIT_SECONDS = 240;
/** No guard is off. */
const NONE = -1;

const { values, positionals } = parseArgs({
  options: { table: { type: "boolean", default: false } },
  allowPositionals: true,
});
const print = (line: string) => process.stdout.write(`${line}\n`);

if (values.table) print(attackTable(ATTACKS));
else await runAll(ATTACKS.filter(({ name }) => name.includes(positionals.join(" "))));

async function runAll(attacks: readonly Attack[]): Promise<void> {
  const guards = attacks.flatMap(({ control }) => (typeof control === "string" ? [] : [control]));
  const mutants = guards.map(guardMutant);
  const copies = Array.from({ length: Math.min(availableParallelism(), attacks.length) }, () => new ProjectCopy());
  process.on("exit", () => copies.forEach((copy) => copy.remove()));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  for (const copy of copies) await copy.install(mutants);

  let failures = 0;
  let skipped = 0;
  const rest = attacks.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const attack of rest) {
        const { name, position, test, control } = attack;
        const held = await outcomeOf(copy, test, NONE);
        const isGuard = typeof control !== "string";
        const without = isGuard
          ? await outcomeOf(copy, test, guards.indexOf(control))
          : await outcomeOf(copy, { ...test, title: control }, NONE);
        const problems = [
          ...(held === "failed" ? ["THE ATTACK SUCCEEDS"] : []),
          ...(without === (isGuard ? "passed" : "failed") ? ["the control does not succeed"] : []),
        ];
        const isSkipped = held === "skipped" || without === "skipped";
        if (problems.length > 0) failures++;
        else if (isSkipped) skipped++;
        const result = problems.length > 0 ? problems.join(", ") : isSkipped ? "skipped on this machine" : "held";
        print(`${result.padEnd(8)} ${position}: ${name}`);
      }
    }),
  );
  const others = `${failures} failed, ${skipped} skipped`;
  print(`\n${attacks.length} attacks: ${attacks.length - failures - skipped} held with their controls, ${others}`);
  if (failures > 0) process.exitCode = 1;
}

async function outcomeOf(copy: ProjectCopy, { file, title }: Tests, guard: number) {
  const pattern = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const { outcome, ran, output } = await copy.test([file, "--testNamePattern", pattern], guard, LIMIT_SECONDS);
  if (outcome === "timed out" || (outcome === "failed" && ran === 0)) throw new Error(`${file}: ${title}:\n${output}`);
  return ran === 0 ? "skipped" : outcome;
}
