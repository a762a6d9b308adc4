/**
 * Measures layouts as code: `npm run bench:manifests [-- --sizes 100,1000,3000] [-- --rounds 3] [-- --check]`.
 *
 * The compared runs alternate, so that the speed of the machine affects them equally. Each ratio is a ratio of medians.
 * With `--check`, the run fails if a ratio exceeds its target.
 *
 * Each command is a process of the built program, as users run it. So is what a command is compared to.
 */

import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createClient, readManifests } from "../src/index.ts";
import { referencesOf, resolveNames } from "../src/manifests/references.ts";
import { planChanges } from "../src/plan/plan.ts";
import { readEarly } from "../src/state/forms.ts";
import { readWanted } from "../src/state/read.ts";
import { openReader } from "../src/state/reader.ts";
import { checkDraft } from "../src/schemas/draft-checks.ts";
import type { DraftContent } from "../src/schemas/draft.ts";
import type { Service } from "../src/service.ts";
import { inTurn, median, missedTargets, report, time } from "./figures.ts";
import { benchDraft, createHome, OBJECTS, writeManifests } from "./manifest-folder.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "100,1000,3000" },
    rounds: { type: "string", default: "3" },
    delay: { type: "string", default: "50" },
    concurrency: { type: "string", default: "32" },
    check: { type: "boolean", default: false },
  },
});
const sizes = values.sizes.split(",").map(Number);
const rounds = Number(values.rounds);
const delay = Number(values.delay);
const concurrency = Number(values.concurrency);
const largest = Math.max(...sizes);
const root = mkdtempSync(join(tmpdir(), "formctl-bench-manifests-"));

const inRounds = <Name extends string>(works: Record<Name, () => Promise<number>>) => inTurn(works, rounds);
const inMilliseconds = (ms: number) => `${ms.toFixed(ms < 100 ? 2 : 0)} ms`;
const inSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

const bin = join(import.meta.dirname, "..", "bin", "formctl.js");

/** Runs Node in a folder and waits for its exit. @throws Error with its messages, if it fails */
async function run(words: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<void> {
  const cache = { XDG_CACHE_HOME: join(root, "cache") };
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...process.env, ...cache, FORMCTL_HOME: cwd, NODE_OPTIONS: "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], said] = await Promise.all([once(child, "exit"), textOf(child.stderr)]);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${said.slice(0, 2000)}`);
}

/** Runs a command with a home folder. @throws Error with its messages, if it fails */
function type(words: readonly string[], home: string, env?: Record<string, string>): Promise<void> {
  return run([bin, ...words, "-o", "json"], home, env);
}

const folderOf = (size: number) => join(root, `forms-${size}`);

let homes = 0;

/** Copies a home folder, for commands that change it. */
function copyOf(home: string): string {
  const copy = join(root, `home-${++homes}`);
  cpSync(home, copy, { recursive: true });
  return copy;
}

/** Splits each file of a folder into the events of YAML, and does nothing else. */
const PARSE_ALL = `
  import { readdirSync, readFileSync } from "node:fs";
  import { parseEvents } from ${JSON.stringify(import.meta.resolve("js-yaml"))};
  for (const file of readdirSync(".")) parseEvents(readFileSync(file, "utf8"), {});`;

const parseAll = (folder: string) => run(["--input-type=module", "-e", PARSE_ALL], folder);

/** Returns a draft of `count` blocks as JSON text. `check` checks this draft, and `checkOf` checks the given draft. */
function benchedDraft(count: number): {
  check: () => unknown;
  checkOf: (draft: DraftContent) => unknown;
  text: string;
} {
  const draft = benchDraft(count);
  const fields = Array.from({ length: count }, (_field, index) => ({
    id: `fld_${index}`,
    key: `field_${index}`,
    name: "Field",
    type: "TEXT",
    isRequired: index < 5,
    hasDefault: false,
    valueCount: 0,
    options: [],
  }));
  const known = { surface: "DYNAMIC_OBJECT", modes: ["VIEW", "EDIT"], fields } as const;
  const checkOf = (read: DraftContent) => checkDraft(read, known);
  return { check: () => checkOf(draft), checkOf, text: JSON.stringify(draft) };
}

async function benchDraftChecks(): Promise<void> {
  const turns = Math.max(rounds, 7);
  /**
   * Returns a work that calls `work` on `count` blocks. The calls are repeated until at least 20,000 blocks are done: a
   * shorter work would be too short to measure.
   */
  const many = (count: number, work: () => unknown) => () =>
    time(() => {
      for (let done = 0; done < Math.max(20_000, count); done += count) work();
    });
  for (const [count, target] of [
    [500, 1.5],
    [10_000, 2],
  ] as const) {
    const { check, text } = benchedDraft(count);
    const taken = await inTurn(
      { check: many(count, check), parse: many(count, () => JSON.parse(text) as unknown) },
      turns,
    );
    report({
      name: `checks of a draft of ${count} blocks`,
      value: inMilliseconds((taken.check * count) / 20_000),
      yardstick: "JSON.parse of it",
      ratio: taken.check / taken.parse,
      target: { most: target },
    });
  }
  const [few, all] = [1000, 100_000];
  const [small, large] = [benchedDraft(few), benchedDraft(all)];
  const readAndCheck = ({ text, checkOf }: typeof small) => checkOf(JSON.parse(text) as DraftContent);
  const taken = await inTurn(
    {
      readFew: many(few, () => readAndCheck(small)),
      readAll: many(all, () => readAndCheck(large)),
      checkFew: many(few, small.check),
      checkAll: many(all, large.check),
    },
    turns,
  );
  const perBlock = (name: string, each: number, ofFew: number) => ({
    name: `${name} a block of ${all}`,
    value: `${(each * 1000).toFixed(2)} µs`,
    yardstick: `a block of ${few}`,
    ratio: each / ofFew,
  });
  report({ ...perBlock("read and check", taken.readAll / all, taken.readFew / 20_000), target: { most: 2 } });
  // This figure has no target: a draft of 100,000 blocks exceeds the caches of the processor, and a layout has at most
  // 10,000 blocks.
  report(perBlock("check", taken.checkAll / all, taken.checkFew / 20_000));
}

type Taken = { validate: number; apply: number; plan: number };

/**
 * Measures one size on the local store.
 *
 * @returns the times in milliseconds, and a home folder with all manifests applied
 */
async function benchLocal(size: number, empty: string): Promise<{ taken: Taken; applied: string }> {
  const folder = folderOf(size);
  const bytes = writeManifests(folder, size);
  const homesBefore = homes;
  let applied = "";
  const taken = await inRounds({
    validate: () => time(() => type(["validate", folder], empty)),
    parse: () => time(() => parseAll(folder)),
    apply() {
      applied = copyOf(empty);
      return time(() => type(["apply", folder, "--yes"], applied));
    },
    plan: () => time(() => type(["plan", folder, "--detailed-exitcode"], applied)),
    dryRun: () => time(() => type(["apply", folder, "--dry-run"], empty)),
    export: () => time(() => type(["export", ...OBJECTS, "--into", join(applied, "out")], applied)),
  });
  const files = readdirSync(join(applied, "out"), { recursive: true, encoding: "utf8" });
  const written = files.filter((file) => file.endsWith(".yaml")).length;
  if (written !== 2 * size) throw new Error(`the export wrote ${written} files instead of ${2 * size}`);
  // The copied homes are removed after the measurement: for some seconds after a deletion of thousands of files, ext4
  // creates files much more slowly.
  for (let home = homesBefore + 1; home < homes; home++) rmSync(join(root, `home-${home}`), { recursive: true });
  const each = (ms: number) => `${(ms / size).toFixed(2)} ms each`;
  process.stdout.write(`\n${size} manifests of ${(bytes / 1000).toFixed(0)} KB; js-yaml: ${each(taken.parse)}\n`);
  // The ratio of a small size has no target: with few files, the fixed cost of a run is most of its time.
  const atMost = (most: number) => (size >= 1000 ? { target: { most } } : {});
  const toParse = { yardstick: "parseEvents of js-yaml", ratio: taken.validate / taken.parse };
  report({ name: `validate ${size} manifests`, value: each(taken.validate), ...toParse, ...atMost(3) });
  const toValidate = (ms: number) => ({ value: each(ms), yardstick: "validate", ratio: ms / taken.validate });
  report({ name: `apply --dry-run of ${size}`, ...toValidate(taken.dryRun) });
  report({ name: `first apply of ${size} into SQLite`, ...toValidate(taken.apply), ...atMost(4.5) });
  report({ name: `empty plan of ${size} on SQLite`, ...toValidate(taken.plan) });
  report({ name: `export of ${size} into a new folder`, ...toValidate(taken.export), ...atMost(2.5) });
  return { taken, applied };
}

/**
 * Returns the median time of a single request in milliseconds. The time contains the delay, the server and the
 * loopback.
 */
async function latencyOf(service: Pick<Service, "listCurrencies">): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 21; round++) times.push(await time(() => service.listCurrencies({})));
  return median(times);
}

/** @returns a function that reads the current state and compares it with the manifests, like a plan */
async function comparing(service: Service, folder: string): Promise<() => Promise<void>> {
  const { manifests } = await readManifests({ paths: [folder], cwd: root, root, env: {} });
  const role = [{ id: "rol_clerk", names: ["Clerk"] }];
  const { wanted } = resolveNames(
    manifests,
    referencesOf({ role, member: [] }, () => "the bench"),
  );
  return async () => {
    const reader = openReader(() => service, { concurrency });
    for (const manifest of manifests) readEarly(reader, manifest);
    const current = await readWanted(reader, { wanted, known: new Map(), publish: true });
    const lock = { get: () => undefined };
    const plan = planChanges({ wanted, current, lock, prune: false, targets: [], publish: true, stamp: {} });
    if (plan.resources.some(({ steps }) => steps.length > 0)) throw new Error("something is not in place");
  };
}

/**
 * Counts the requests of a plan on a distant server. Compares the time of the plan with the time of these requests
 * alone.
 */
async function benchRemote(size: number, applied: string): Promise<void> {
  const server = fork(join(import.meta.dirname, "delayed-server.ts"), [join(applied, "local.db"), String(delay)], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  try {
    const { url, token } = (await answerOf(server)) as { url: string; token: string };
    const home = join(root, "remote");
    mkdirSync(home);
    const env = { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token, ROLE: "rol_clerk" };
    const references = { references: { [new URL(url).origin]: { roles: { Clerk: "rol_clerk" } } } };
    writeFileSync(join(home, "formctl.json"), JSON.stringify(references));
    const words = ["plan", folderOf(size), "--detailed-exitcode", "--concurrency", String(concurrency)];
    const client = createClient({ baseUrl: url, token });
    const latency = await latencyOf(client);
    server.send("count");
    await answerOf(server);
    const requests: number[] = [];
    const countedRounds = async (work: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 1 + rounds; round++) {
        times.push(await time(work));
        server.send("count");
        requests.push(((await answerOf(server)) as { requests: number }).requests);
      }
      return median(times.slice(1));
    };
    const planned = await countedRounds(() => type(words, home, env));
    const count = requests[0]!;
    const compared = await countedRounds(await comparing(client, folderOf(size)));
    await client.close();
    if (requests.some((each) => each !== count)) throw new Error("a plan has other requests than its parts");
    const bound = (count * delay) / concurrency;
    const pages = Math.ceil(size / 10 / 100) * 10;
    process.stdout.write(
      `\n${size} manifests, ${delay} ms away, ${concurrency} at once; nothing to change; ` +
        `a request alone: ${inMilliseconds(latency)}\n`,
    );
    // Two requests for each form: its versions and its access.
    const allowed = { yardstick: "pages + 2 a form", ratio: count / (pages + 2 * size), target: { most: 1 } };
    report({ name: `requests of a remote plan of ${size}`, value: String(count), ...allowed });
    // The ratio of a small size has no target. With few forms, the pages take most of the time, and pages are requested
    // one after another.
    const target = size >= 3000 ? { target: { most: 1.1 } } : {};
    const toBound = (ms: number) => ({ value: inSeconds(ms), yardstick: "requests alone", ratio: ms / bound });
    report({ name: `read and compare ${size}, remote`, ...toBound(compared), ...target });
    report({ name: `plan of ${size}, remote`, ...toBound(planned), ...target });
  } finally {
    server.disconnect();
    await once(server, "exit");
  }
}

async function answerOf(server: ChildProcess): Promise<unknown> {
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(server, "exit", { signal }).then(([code]) => {
    throw new Error(`the server ended with ${code}`);
  });
  try {
    const [message] = (await Promise.race([once(server, "message", { signal }), ended])) as [unknown];
    return message;
  } finally {
    ended.catch(() => undefined);
    answered.abort();
  }
}

try {
  process.stdout.write(`Node ${process.version}, ${rounds} rounds in turn; medians\n\n`);
  await benchDraftChecks();
  const empty = await createHome(join(root, "empty"));
  const results = new Map<number, Taken>();
  for (const size of sizes) {
    const { taken, applied } = await benchLocal(size, empty);
    results.set(size, taken);
    if (size === largest) await benchRemote(size, applied);
    else {
      rmSync(folderOf(size), { recursive: true });
      rmSync(applied, { recursive: true });
    }
  }
  const most = results.get(largest)!;
  for (const size of sizes.filter((each) => each < largest)) {
    for (const name of ["validate", "apply", "plan"] as const) {
      const [ofMost, ofFew] = [most[name] / largest, results.get(size)![name] / size];
      const value = `${ofMost.toFixed(2)} ms each`;
      const growth = { yardstick: `one of ${size}`, ratio: ofMost / ofFew, target: { most: 1.2 } };
      report({ name: `${name}, one manifest of ${largest}`, value, ...growth });
    }
  }
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
