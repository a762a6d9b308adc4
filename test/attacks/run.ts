/**
 * `npm run test:attacks`: runs every attack with its guard, where it must fail, and without it, where it must succeed.
 * Prints one line for each. `-- NAME` runs only the attacks whose name contains NAME. `-- --table` prints the table for
 * docs/security.md.
 */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type FileResult, ProjectCopy } from "../mutants/project-copy.ts";
import type { Attack, Tests } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { guardMutant } from "./guards.ts";
import { attackTable } from "./table.ts";

const LIMIT_SECONDS = 900;
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
  const held = await withGuards(copies, attacks);
  const rest = attacks.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const attack of rest) {
        const { name, position, test, control } = attack;
        const isGuard = typeof control !== "string";
        const without = isGuard
          ? await withoutGuard(copy, test, guards.indexOf(control))
          : outcomeOf(held, { ...test, title: control });
        const outcome = outcomeOf(held, test);
        const problems = [
          ...(outcome === "failed" ? ["THE ATTACK SUCCEEDS"] : []),
          ...(without === (isGuard ? "passed" : "failed") ? ["the control does not succeed"] : []),
        ];
        const isSkipped = outcome === "skipped" || without === "skipped";
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

type Outcome = "passed" | "failed" | "skipped";

/** Runs the tests and the controls that are tests, with all guards: one run of vitest for each copy. */
async function withGuards(copies: readonly ProjectCopy[], attacks: readonly Attack[]): Promise<FileResult[]> {
  const byFile = [...Map.groupBy(attacks, ({ test }) => test.file)];
  const runs = copies.map(async (copy, index) => {
    const part = byFile.filter((_, at) => at % copies.length === index);
    if (part.length === 0) return [];
    const titles = part.flatMap(([, ofFile]) =>
      ofFile.flatMap(({ test, control }) => [test.title, ...(typeof control === "string" ? [control] : [])]),
    );
    const words = [...part.map(([file]) => file), "--testNamePattern", titles.map(escaped).join("|")];
    const { outcome, files, output } = await copy.test(words, NONE, LIMIT_SECONDS * part.length, 0);
    const lost = part.map(([file]) => file).filter((file) => !files.some(({ name }) => name.endsWith(`/${file}`)));
    if (outcome === "timed out" || lost.length > 0) throw new Error(`no result of ${lost.join(", ")}:\n${output}`);
    return files;
  });
  return (await Promise.all(runs)).flat();
}

function outcomeOf(results: readonly FileResult[], { file, title }: Tests): Outcome {
  const result = results.find(({ name }) => name.endsWith(`/${file}`))!;
  const tests = result.assertionResults.filter(({ fullName }) => fullName.includes(title));
  if (tests.some(({ status }) => status === "failed")) return "failed";
  if (tests.some(({ status }) => status === "passed")) return "passed";
  // A file whose set-up fails has no tests.
  if (result.status === "failed" && tests.length === 0) throw new Error(`${file} has no result of: ${title}`);
  return "skipped";
}

/** Runs the tests of an attack until one fails, without a guard. */
async function withoutGuard(copy: ProjectCopy, { file, title }: Tests, guard: number): Promise<Outcome> {
  const { outcome, ran, output } = await copy.test([file, "--testNamePattern", escaped(title)], guard, LIMIT_SECONDS);
  if (outcome === "timed out" || (outcome === "failed" && ran === 0)) throw new Error(`${file}: ${title}:\n${output}`);
  return ran === 0 ? "skipped" : outcome;
}

function escaped(title: string): string {
  return title.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
