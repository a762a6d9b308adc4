/**
 * Measures how the time of commands grows with the number of forms:
 * `node bench/growth.ts [--runs 7] [--small 1000] [--large 100000] [--only "forms get"] [--check]`.
 *
 * Each command runs as a process of the built program. The runs alternate between two stores: the small store has 1,000
 * forms in its object, and the large store has 100,000. A figure is the ratio of the two medians. The time of a command
 * on one form must not depend on the number of forms. For a list, the times are divided by the number of records.
 *
 * The lists are the control. A run of all cases fails if no list is much slower on the large store: then the
 * measurement is useless.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, missedTargets, report } from "./figures.ts";
import { copyForm } from "./fill-store.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "7" },
    small: { type: "string", default: "1000" },
    large: { type: "string", default: "100000" },
    only: { type: "string", default: "" },
    check: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
const bin = join(import.meta.dirname, "..", "bin", "formctl.js");
const home = mkdtempSync(join(tmpdir(), "formctl-bench-"));
const OBJECT = "staffing/candidate";
/** The maximum ratio of the two times. */
const MOST = 1.3;

type Size = "small" | "large";
const counts: Record<Size, number> = { small: Number(values.small), large: Number(values.large) };

/** A filled store. `remote` has the environment variables of a client of its server. */
type Filled = { size: Size; folder: string; env: NodeJS.ProcessEnv; remote: NodeJS.ProcessEnv; ids: string[] };

function run(args: readonly string[], { folder, env }: Pick<Filled, "folder" | "env">, code = 0): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== code) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

const servers: (() => void)[] = [];

async function fill(size: Size): Promise<Filled> {
  const folder = join(home, size);
  const env = { FORMCTL_HOME: folder };
  const local = { folder: home, env };
  run(["local", "init", "--demo"], local);
  run(["forms", "create", OBJECT, "--name", "Bench", "--types", "VIEW,EDIT"], local);
  run(["layouts", "draft", "scaffold", `${OBJECT}/Bench`, "--out", join(folder, "draft.yaml")], local);
  run(["layouts", "draft", "push", `${OBJECT}/Bench`, join(folder, "draft.yaml")], local);
  run(["layouts", "publish", `${OBJECT}/Bench`], local);
  const { id } = JSON.parse(run(["forms", "get", `${OBJECT}/Bench`, "-o", "json"], local)) as { id: string };
  const ids = copyForm(join(folder, "local.db"), id, counts[size]);
  const { token } = JSON.parse(
    run(["local", "tokens", "create", "--name", "bench", "--permission", "all", "-o", "json"], local),
  ) as { token: string };
  const server = spawn(process.execPath, [bin, "serve", "--port", "0"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  servers.push(() => server.kill());
  const url = await new Promise<string>((found) => {
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      const [address] = /http:\/\/\S+/.exec(text) ?? [];
      if (address !== undefined) found(address);
    });
  });
  const remote = { FORMCTL_HOME: join(home, `${size}-client`), FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token };
  const form = `kind: Form\nobject: ${OBJECT}\n`;
  writeFileSync(join(folder, "same.yaml"), `${form}name: Bench 500\ntypes: [VIEW, EDIT]\n`);
  writeFileSync(join(folder, "changed.yaml"), `${form}name: Bench 501\ntypes: [VIEW]\n`);
  writeFileSync(join(folder, "new.yaml"), `${form}name: New form\ntypes: [VIEW]\ndefaultFor: [VIEW]\n`);
  writeFileSync(join(folder, "access.yaml"), "users: []\nroles: []\n");
  return { size, folder, env, remote, ids };
}

type Case = {
  name: string;
  args: (filled: Filled, turn: number) => string[];
  /** A command that runs before the measured command. Its time is not measured. */
  before?: (filled: Filled, turn: number) => string[];
  code?: number;
  isRemote?: true;
  /** Whether the command lists all records. Then the figure is the time of one record. */
  isList?: true;
};

const form = (number: number) => `${OBJECT}/Bench ${number}`;
/** A form that exists in both stores. No other turn uses this form. */
const own = (start: number, turn: number) => form(start + turn + 1);

const CASES: Case[] = [
  { name: "forms get NAME", args: () => ["forms", "get", form(500)] },
  { name: "forms get ID", args: ({ ids }) => ["forms", "get", `${OBJECT}/${ids[499]}`] },
  { name: "forms get, shortened id", args: ({ ids }) => ["forms", "get", `${OBJECT}/${ids[499]!.slice(0, 19)}`] },
  { name: "forms get, unknown name", args: () => ["forms", "get", `${OBJECT}/Unknown form`], code: 5 },
  { name: "forms get NAME (remote)", args: () => ["forms", "get", form(500)], isRemote: true },
  { name: "forms list --limit 20", args: () => ["forms", "list", OBJECT, "--limit", "20"] },
  {
    name: "forms create",
    args: (_, turn) => ["forms", "create", OBJECT, "--name", `Created ${turn}`, "--types", "VIEW"],
  },
  { name: "forms update", args: (_, turn) => ["forms", "update", form(503), "--title", `Title ${turn}`] },
  { name: "forms delete", args: (_, turn) => ["forms", "delete", own(700, turn), "--allow-delete"] },
  { name: "forms access set", args: () => ["forms", "access", "set", form(504), "--file", "access.yaml", "--yes"] },
  { name: "forms defaults show", args: () => ["forms", "defaults", "show", OBJECT] },
  {
    name: "forms defaults set",
    args: (_, turn) => ["forms", "defaults", "set", OBJECT, `VIEW=Bench ${505 + (turn % 2)}`],
  },
  { name: "layouts get", args: () => ["layouts", "get", form(500)] },
  { name: "layouts versions list", args: () => ["layouts", "versions", "list", form(500)] },
  { name: "layouts versions get", args: () => ["layouts", "versions", "get", form(502), "latest", "--as-draft"] },
  { name: "layouts draft push", args: () => ["layouts", "draft", "push", form(507), "draft.yaml"] },
  {
    name: "layouts publish",
    before: () => ["layouts", "draft", "push", form(508), "draft.yaml"],
    args: () => ["layouts", "publish", form(508)],
  },
  { name: "complete the name of a form", args: () => ["complete", "--", "forms", "get", `${OBJECT}/Bench 50`] },
  { name: "plan of one file", args: () => ["plan", "same.yaml"] },
  { name: "plan of one file (remote)", args: () => ["plan", "same.yaml"], isRemote: true },
  { name: "plan of a change, not rehearsed", args: () => ["plan", "changed.yaml", "--no-rehearse"] },
  { name: "plan of a change, rehearsed", args: () => ["plan", "changed.yaml"] },
  { name: "plan of a new form, not rehearsed", args: () => ["plan", "new.yaml", "--no-rehearse"] },
  { name: "status of one file", args: () => ["status", "same.yaml"] },
  { name: "forms available, each form", args: () => ["forms", "available", OBJECT, "-o", "name"], isList: true },
  { name: "forms list, each form", args: () => ["forms", "list", OBJECT, "-o", "name"], isList: true },
  { name: "layouts list, each layout", args: () => ["layouts", "list", "-o", "name"], isList: true },
];

/** A command that starts like a list, but reads one record. */
const START: Case = { name: "start", args: ({ ids }) => ["forms", "get", `${OBJECT}/${ids[499]}`, "-o", "name"] };

/** Returns the time of a case in milliseconds. */
function timeOf({ args, before, code, isRemote }: Case, filled: Filled, turn: number): number {
  const target = { folder: filled.folder, env: isRemote ? filled.remote : filled.env };
  if (before) run(before(filled, turn), target);
  const words = args(filled, turn);
  const start = performance.now();
  run(words, target, code);
  return performance.now() - start;
}

/** Returns the medians of both stores. The stores take turns. The first turn is not measured. */
function measure(one: Case, stores: readonly Filled[], turns: number): Record<Size, number> {
  const times: Record<Size, number[]> = { small: [], large: [] };
  for (let turn = 0; turn <= turns; turn++) {
    for (const filled of stores) {
      const taken = timeOf(one, filled, turn);
      if (turn > 0) times[filled.size].push(taken);
    }
  }
  return { small: median(times.small), large: median(times.large) };
}

/**
 * Returns the times of a list, and the time of a command that only starts. Each time is the shortest of several runs.
 *
 * On the small store, a list takes only a little longer than the start. Other processes would distort the small
 * difference between medians.
 */
function measureList(one: Case, [small, large]: readonly [Filled, Filled]): Record<Size | "start", number> {
  const shortest = (list: Case, filled: Filled, turns: number) =>
    Math.min(...Array.from({ length: turns }, (_, turn) => timeOf(list, filled, turn)));
  return {
    start: shortest(START, small, 10),
    small: shortest(one, small, 10),
    large: shortest(one, large, 2),
  };
}

try {
  const stores = [await fill("small"), await fill("large")] as const;
  const most = counts.large / counts.small;
  let control = 0;
  for (const one of CASES.filter(({ name }) => name.includes(values.only))) {
    const { small, large, start } = one.isList ? measureList(one, stores) : { ...measure(one, stores, runs), start: 0 };
    // The time of one record excludes the start of the program.
    const ratio = one.isList ? (large - start) / (small - start) / most : large / small;
    if (one.isList) control = Math.max(control, large / small);
    const yardstick = one.isList
      ? `the time of each of ${counts.small.toLocaleString("en")}`
      : `the same with ${counts.small.toLocaleString("en")} forms`;
    const value = large < 1000 ? `${large.toFixed(0)} ms` : `${(large / 1000).toFixed(2)} s`;
    report({ name: one.name, value, yardstick, ratio, target: { most: MOST } });
  }
  if (control < 3 && values.only === "") throw new Error("lists do not take longer: this run measures nothing");
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  for (const stop of servers) stop();
  rmSync(home, { recursive: true, force: true });
}
