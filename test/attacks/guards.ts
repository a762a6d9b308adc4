/** The sources without a guard, as mutants of mutation testing. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Mutant, ROOT } from "../mutants/sample.ts";
import type { GuardOff } from "./attack.ts";

/** Returns the change that switches a guard off. @throws Error if `from` is not in the file exactly once */
export function guardMutant({ file, from, to }: GuardOff): Mutant {
  const source = readFileSync(join(ROOT, file), "utf8");
  const start = source.indexOf(from);
  if (start === -1 || source.includes(from, start + 1)) throw new Error(`${file} must contain once: ${from}`);
  const kind = to === "" ? "statement" : "expression";
  const line = source.slice(0, start).split("\n").length;
  const change = `${from} → ${to}`;
  return { kind, start, end: start + from.length, to, within: "", file, folder: "", line, change, key: change };
}
