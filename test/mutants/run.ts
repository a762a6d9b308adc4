/**
 * Mutation testing: plants small faults in the sources and reports which ones the tests notice.
 *
 * `npm run test:mutants` takes 300 mutants of six folders, and goes on where an earlier run ended. Options:
 * - `--count N`, `--seed N`, `--only engine,store`: another sample.
 * - `--fresh`: forget the results of earlier runs.
 * - `--survivors`: decide the survivors again, after a change of tests.
 * - `--list`: print the sample and the results so far. `--show N` prints a mutant with its reason.
 * - `--most SECONDS`: how long tests run for each mutant at most, measured without the mutant.
 * - `--without PATTERN`: leave out test files.
 *
 * First, each test file runs once without a mutant: it reports the mutants that it reaches, and its time. Test files
 * that fail on the copy, such as checks of the sources, are left out. Then the test files that reach a mutant run, the
 * fastest and nearest first, until a test fails or the time is over.
 */

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EQUAL } from "./equal.ts";
import { ProjectCopy } from "./project-copy.ts";
import { allMutants, FOLDERS, type Mutant, ROOT, shuffled } from "./sample.ts";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "20261122" },
    only: { type: "string" },
    most: { type: "string", default: "120" },
    without: { type: "string" },
    show: { type: "string" },
    workers: { type: "string", default: String(availableParallelism()) },
    fresh: { type: "boolean", default: false },
    survivors: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

type Outcome = { isNoticed: boolean; by: string };
type Measured = { hash: string; seconds: number; reached: number[]; isUsable: boolean };
type State = {
  /** Whether the compiler accepts a mutant. */
  accepted: Record<string, boolean>;
  /** The sample that `tests` refers to. */
  sample: string;
  tests: Record<string, Measured>;
  outcomes: Record<string, Outcome>;
};

const FOLDER = join(ROOT, "test-artifacts", "mutants");
const STATE = join(FOLDER, "state.json");
const state: State =
  existsSync(STATE) && !options.fresh
    ? (JSON.parse(readFileSync(STATE, "utf8")) as State)
    : { accepted: {}, sample: "", tests: {}, outcomes: {} };

function save(): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(STATE, JSON.stringify(state));
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const print = (line: string) => process.stdout.write(`${line}\n`);

/** The first mutants of the shuffled ones that the compiler accepts. */
async function chooseSample(copy: () => ProjectCopy): Promise<Mutant[]> {
  const count = Number(options.count);
  const all = shuffled(allMutants(options.only?.split(",") ?? FOLDERS), Number(options.seed));
  const isAccepted = ({ key }: Mutant) => state.accepted[key];
  for (;;) {
    const unknown = all.findIndex((mutant) => isAccepted(mutant) === undefined);
    const known = unknown === -1 ? all : all.slice(0, unknown);
    const sample = known.filter(isAccepted).slice(0, count);
    if (sample.length === count || unknown === -1) return sample;
    // About a quarter is refused.
    const next = all.slice(unknown, unknown + Math.ceil((count - sample.length) * 1.4) + 10);
    const accepted = new Set(await copy().compiled(next));
    for (const mutant of next) state.accepted[mutant.key] = accepted.has(mutant);
    save();
  }
}

/** Measures the test files that are new or changed. */
async function measureTests(copies: readonly ProjectCopy[], sample: readonly Mutant[]): Promise<void> {
  const keys = hash(sample.map(({ key }) => key).join("\n"));
  if (state.sample !== keys) Object.assign(state, { sample: keys, tests: {} });
  const without = options.without === undefined ? undefined : new RegExp(options.without);
  const files = globSync("test/**/*.test.ts", { cwd: ROOT })
    .filter((file) => !file.endsWith(".full.test.ts") && without?.test(file) !== true)
    .toSorted();
  for (const file of Object.keys(state.tests)) if (!files.includes(file)) delete state.tests[file];
  const hashes = new Map(files.map((file) => [file, hash(readFileSync(join(ROOT, file), "utf8"))]));
  const stale = files.filter((file) => state.tests[file]?.hash !== hashes.get(file));
  let count = 0;
  await shareOut(stale, copies, async (file, copy) => {
    const { outcome, seconds, reached, failed = "" } = await copy.measure(file, 300);
    const isUsable = outcome === "passed";
    state.tests[file] = { hash: hashes.get(file)!, seconds, reached, isUsable };
    save();
    const found = isUsable
      ? `reaches ${reached.length} mutants`
      : `left out, because it ${outcome} without a mutant: ${failed}`;
    print(`${++count}/${stale.length} ${file}: ${found}, ${seconds.toFixed(1)} s`);
  });
}

/** The test files that reach a mutant: the fast ones first, and those of the same folder before others of thrice their time. */
function testsOf(folder: string, id: number): string[] {
  const rank = (file: string) => state.tests[file]!.seconds * (file.startsWith(`test/${folder}/`) ? 1 : 3);
  return Object.entries(state.tests)
    .filter(([, { isUsable, reached }]) => isUsable && reached.includes(id))
    .map(([file]) => file)
    .toSorted((a, b) => rank(a) - rank(b));
}

/** Splits test files into runs that take 3 seconds, 15 seconds, then 60 seconds. */
function* runsOf(files: readonly string[]): Generator<{ files: string[]; seconds: number }> {
  const limits = [3, 15];
  let run = { files: [] as string[], seconds: 0 };
  let total = 0;
  for (const file of files) {
    const { seconds } = state.tests[file]!;
    if (total + seconds > Number(options.most) && total > 0) break;
    run.files.push(file);
    run.seconds += seconds;
    total += seconds;
    if (run.seconds < (limits[0] ?? 60)) continue;
    yield run;
    limits.shift();
    run = { files: [], seconds: 0 };
  }
  if (run.files.length > 0) yield run;
}

async function decide(copy: ProjectCopy, { folder }: Mutant, id: number): Promise<Outcome> {
  const tests = testsOf(folder, id);
  if (tests.length === 0) return { isNoticed: false, by: "no test reaches it" };
  let count = 0;
  for (const { files, seconds } of runsOf(tests)) {
    const run = await copy.test(files, id, seconds * 4 + 30);
    if (run.outcome === "timed out") return { isNoticed: true, by: `time limit: ${files.join(", ")}` };
    if (run.outcome === "failed") return { isNoticed: true, by: run.failed! };
    count += files.length;
  }
  return { isNoticed: false, by: `${count} of ${tests.length} test files that reach it pass` };
}

/** Each copy takes the next item when it is done with one. */
async function shareOut<T>(
  items: readonly T[],
  copies: readonly ProjectCopy[],
  work: (item: T, copy: ProjectCopy) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const item of rest) await work(item, copy);
    }),
  );
}

const describe = ({ file, line, within, change }: Mutant) => `${file}:${line} (${within}) ${change}`;

function resultOf({ key }: Mutant): string {
  if (Object.hasOwn(EQUAL, key)) return "equal";
  const outcome = state.outcomes[key];
  if (outcome === undefined) return "open";
  return outcome.isNoticed ? "noticed" : "survived";
}

function printTable(sample: readonly Mutant[]): void {
  print("\n| folder | mutants | noticed | equal | survivors | noticed of the unequal |\n|---|---|---|---|---|---|");
  const folders = Map.groupBy(sample, ({ folder }) => folder);
  for (const [name, mutants] of [...folders, ["all", sample] as const]) {
    const count = (result: string) => mutants.filter((mutant) => resultOf(mutant) === result).length;
    const share = (count("noticed") / (mutants.length - count("equal"))) * 100;
    const numbers = [mutants.length, count("noticed"), count("equal"), count("survived"), `${share.toFixed(1)} %`];
    print(`| ${name} | ${numbers.join(" | ")} |`);
  }
  const open = sample.filter((mutant) => resultOf(mutant) === "open").length;
  if (open > 0) print(`\nNot decided yet: ${open}`);
}

const copies: ProjectCopy[] = [];
const firstCopy = () => (copies[0] ??= new ProjectCopy());
process.on("exit", () => copies.forEach((copy) => copy.remove()));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const sample = await chooseSample(firstCopy);
if (options.show !== undefined) {
  const mutant = sample[Number(options.show)]!;
  print(`${describe(mutant)}\n${mutant.key}\n${resultOf(mutant)}: ${state.outcomes[mutant.key]?.by ?? ""}`);
} else if (options.list) {
  for (const [id, mutant] of sample.entries()) print(`${id} ${resultOf(mutant)} ${describe(mutant)}`);
} else {
  const isOpen = (mutant: Mutant) => {
    const result = resultOf(mutant);
    return result === "open" || (options.survivors && result === "survived");
  };
  const open = [...sample.entries()].filter(([, mutant]) => isOpen(mutant));
  if (open.length > 0) {
    firstCopy();
    while (copies.length < Number(options.workers)) copies.push(new ProjectCopy());
    for (const copy of copies) await copy.install(sample);
    await measureTests(copies, sample);
    await shareOut(open, copies, async ([id, mutant], copy) => {
      const outcome = await decide(copy, mutant, id);
      state.outcomes[mutant.key] = outcome;
      save();
      print(`${id} ${resultOf(mutant)} ${describe(mutant)}\n    ${outcome.by}`);
    });
  }
}
printTable(sample);
