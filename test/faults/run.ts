/**
 * Runs the attack loops at their full numbers: `npm run test:faults [-- NAME…] [--count N] [--seed N]`.
 * Prints one line for each loop. Exits with 1 if a guarantee was violated or a control was not detected.
 */

import { inspect, parseArgs } from "node:util";
import { loops } from "./loops.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string" }, seed: { type: "string", default: "20261122" } },
});
const seed = Number(values.seed);
const chosen = loops.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (chosen.length === 0) throw new Error(`unknown loop. Loops: ${loops.map(({ name }) => name).join(", ")}`);

for (const { name, full, skipped, run, control } of chosen) {
  const reason = skipped?.();
  if (reason !== undefined) {
    process.stdout.write(`${name}: skipped: ${reason}\n`);
    continue;
  }
  const { count, violations, facts } = await run(Number(values.count ?? full), seed).catch((error: unknown) => {
    // The other loops still run.
    return { count: 0, violations: [inspect(error)], facts: {} };
  });
  const { violations: found } = await control(seed).catch((error: unknown) => {
    violations.push(`the control failed: ${inspect(error)}`);
    return { violations: [] };
  });
  const controlled = found.length > 0 ? "found" : "NOT FOUND";
  const about = Object.entries(facts).map(([fact, times]) => `${fact} ${times}`);
  process.stdout.write(
    `${name}: ${count} attacks with seed ${seed}, ${violations.length} violations, control ${controlled} (${about.join(", ")})\n`,
  );
  for (const violation of violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
  if (violations.length > 0 || found.length === 0) process.exitCode = 1;
}
