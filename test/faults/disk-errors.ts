/**
 * Makes system calls of an operation fail as on a full or broken disk. The operation must succeed, or report a named
 * error with its exit code. The store must be intact, and its state must agree with the report.
 */

import { EXIT_CODE_OF } from "../../src/base/exit-codes.ts";
import { generator, inFolder, type Loop, type Result, shuffle } from "./loop.ts";
import { reasonWithoutStrace } from "./strace.ts";
import { attackPoint, CARELESS, findPoints, OPERATIONS, type Outcome, setStage } from "./write-points.ts";

/** The errors of each system call on a disk that is full, broken or mounted read-only. */
const ERRORS: Record<string, readonly string[]> = {
  openat: ["EIO", "EROFS", "ENOSPC", "EMFILE"],
  pwrite64: ["ENOSPC", "EIO", "EDQUOT"],
  write: ["ENOSPC", "EIO"],
  ftruncate: ["ENOSPC", "EIO"],
  fallocate: ["ENOSPC", "EIO"],
  fsync: ["EIO", "ENOSPC"],
  fdatasync: ["EIO", "ENOSPC"],
  unlink: ["EIO", "EROFS"],
  rename: ["EIO", "ENOSPC"],
};

async function attackAll(count: number, seed: number, operations: typeof OPERATIONS): Promise<Result> {
  const random = generator(seed);
  return inFolder(async (folder) => {
    const stage = await setStage(folder, operations);
    const points = await findPoints(stage);
    const attacks = points.flatMap((point) =>
      ERRORS[point.call]!.flatMap((error) => [false, true].map((persists) => ({ point, error, persists }))),
    );
    const facts: Record<string, number> = { attacks: attacks.length, prevented: 0 };
    const violations: string[] = [];
    const chosen = shuffle(attacks, random).slice(0, count);
    for (const { point, error, persists } of chosen) {
      const outcome = await attackPoint(stage, point, { effect: `error=${error}`, persists });
      const reported = codeIn(outcome.stderr) ?? "succeeded";
      facts[reported] = (facts[reported] ?? 0) + 1;
      if (outcome.state !== "after") facts["prevented"]!++;
      const { scene, operation, call, number } = point;
      const at = `${error} at ${call} ${number}${persists ? " and later" : ""}`;
      for (const problem of problemsOf(outcome))
        violations.push(`"${operation}" on a ${scene} store, ${at}: ${problem}`);
    }
    if (facts["prevented"] === 0) throw new Error("no error prevented a write: the attack proves nothing");
    return { count: chosen.length, violations, facts };
  });
}

/** Returns how the state of the store differs from what the process reported. */
function problemsOf({ state, code, isAcknowledged, stderr, broken }: Outcome): string[] {
  const reported = codeIn(stderr);
  const problems: string[] = [];
  if (state === "torn") problems.push(broken.join(", ") || "only a part is stored");
  if (code === 0 && state !== "after") problems.push(`reported as done, but the state is that ${state}`);
  if (isAcknowledged !== (code === 0)) problems.push(`exit ${code} with ${isAcknowledged ? "a" : "no"} result`);
  if (code === 0) return problems;
  const isKnown = reported?.startsWith("STORE_") && reported in EXIT_CODE_OF;
  if (!isKnown) problems.push(`exit ${code} without a named error: ${stderr.slice(0, 600)}`);
  else if (EXIT_CODE_OF[reported as keyof typeof EXIT_CODE_OF] !== code) problems.push(`exit ${code} for ${reported}`);
  if (reported !== "STORE_OUTCOME_UNKNOWN" && state === "after") problems.push(`${reported}, but the write is stored`);
  return problems;
}

function codeIn(stderr: string): string | undefined {
  const line = stderr.split("\n").find((text) => text.startsWith('{"error"'));
  return line === undefined ? undefined : (JSON.parse(line) as { error: { code: string } }).error.code;
}

export const diskErrors: Loop = {
  name: "disk-errors",
  full: 1500,
  sample: 16,
  skipped: reasonWithoutStrace,
  run: (count, seed) => attackAll(count, seed, OPERATIONS),
  control: (seed) => attackAll(10, seed, CARELESS),
};
