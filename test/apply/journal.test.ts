/** The journal. Acknowledged entries are on the disk. Torn entries are ignored. One run at a time holds a folder. */

import { fork } from "node:child_process";
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasCode } from "../../src/base/error.ts";
import { createAppendLog, openRuns, type Runs, takeRunLock } from "../../src/apply/journal.ts";
import { interruptedRuns, type JournalEntry, unfinishedRuns } from "../../src/apply/recorded-runs.ts";
import type { Processes, ProcessIdentity } from "../../src/base/host.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { reasonElsewhereThanLinux } from "../skip.ts";
import { countOf } from "../effort.ts";
import { temporaryFolder } from "../temporary.ts";

const at = new Date("2026-03-02T09:00:00.000Z");
const TARGET = "local:northwind@/home/a/local.db";

function folder(): string {
  const { path: made, remove } = temporaryFolder();
  onTestFinished(remove);
  return made;
}

/** A machine with these running processes. */
function machine(pid: number, running: readonly number[] = [pid], host = "here"): Processes {
  return {
    self: { pid, host, startedAt: `boot ${pid}` },
    isRunning: (holder) => running.includes(holder.pid) && holder.startedAt === `boot ${holder.pid}`,
  };
}

const intent = (step: number): JournalEntry => ({
  event: "intent",
  at: at.toISOString(),
  resource: "staffing/candidate/A",
  step,
  operation: "createForm",
  mutation: `m${step}`,
});
const end = (outcome: "done" | "partial" | "failed"): JournalEntry => ({ event: "end", at: at.toISOString(), outcome });

/** Writes a journal. Without an end entry the run counts as interrupted. */
async function record(runs: Runs, plan: string, lines: readonly JournalEntry[] = []): Promise<void> {
  const journal = await runs.begin({ at, plan, target: TARGET });
  for (const line of lines) await journal.write(line);
  await journal.close();
}

describe("a journal", () => {
  it("is read as it was written, by target, in the order in which the folder was held", async () => {
    const path = folder();
    // All runs begin at the same time. The order of the digests differs from the order of the runs.
    for (const plan of ["ccc", "aaa", "bbb"]) {
      const runs = await openRuns(path, machine(1));
      await record(runs, plan, [intent(0), end("done")]);
      await runs.close();
    }
    const runs = await openRuns(path, machine(1));
    const found = await runs.list(TARGET);
    expect(found.map(({ plan, outcome }) => [plan, outcome])).toEqual([
      ["ccc", "done"],
      ["aaa", "done"],
      ["bbb", "done"],
    ]);
    expect(found[0]?.entries.slice(1)).toEqual([intent(0), end("done")]);
    expect(await runs.list("elsewhere")).toEqual([]);
  });

  it("is readable by its owner only", async () => {
    const path = join(folder(), "runs");
    const runs = await openRuns(path, machine(1));
    await record(runs, "aaa");
    expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o077).toBe(0);
  });

  it("torn at any byte is read up to its last whole entry", async () => {
    const path = folder();
    const runs = await openRuns(path, machine(1));
    await record(runs, "aaa", [intent(0), intent(1), end("done")]);
    const [name = ""] = readdirSync(path).filter((file) => file.endsWith(".jsonl"));
    const whole = readFileSync(join(path, name), "utf8");
    for (let length = whole.length; length >= 0; length--) {
      truncateSync(join(path, name), length);
      const text = whole.slice(0, length);
      // An entry without its line feed is complete too.
      const lines = text.split("\n").filter((line) => whole.split("\n").includes(line) && line !== "");
      expect((await runs.list(TARGET)).flatMap((run) => run.entries)).toEqual(
        lines.map((line) => JSON.parse(line) as unknown),
      );
    }
  });

  it("with names that no target or resource can have is ignored", async () => {
    const path = folder();
    const runs = await openRuns(path, machine(1));
    const line = (members: object) => JSON.stringify({ at: at.toISOString(), ...members });
    const done = { event: "done", step: 0, ids: { layoutId: "lay_1" } };
    const begin = (target: string) => line({ event: "begin", plan: "p", target });
    writeFileSync(join(path, "2026-03-02T090000.000Z-1.1-aaa.jsonl"), `${begin("__proto__")}\n`);
    const lines = [begin(TARGET), line({ ...done, resource: "constructor" }), line({ ...done, resource: "a/b" })];
    writeFileSync(join(path, "2026-03-02T090000.000Z-1.2-aaa.jsonl"), lines.join("\n"));
    const found = await runs.list();
    expect(found.map(({ target }) => target)).toEqual([TARGET]);
    expect(found[0]?.entries.flatMap((each) => ("resource" in each ? [each.resource] : []))).toEqual(["a/b"]);
  });

  it("follows the earlier ones, also after the file of the last hold was deleted", async () => {
    const path = folder();
    for (const plan of ["aaa", "bbb"]) {
      const runs = await openRuns(path, machine(1));
      await record(runs, plan, [end("partial")]);
      await runs.close();
    }
    for (const name of readdirSync(path).filter((each) => each.startsWith("lock-"))) rmSync(join(path, name));
    const runs = await openRuns(path, machine(1));
    await record(runs, "ccc", [end("partial")]);
    await runs.close();
    const last = await openRuns(path, machine(1));
    expect((await last.list(TARGET)).map(({ plan }) => plan)).toEqual(["aaa", "bbb", "ccc"]);
  });

  it("is deleted after twenty later ones", async () => {
    const path = folder();
    for (let run = 0; run < 25; run++) {
      const runs = await openRuns(path, machine(1));
      await record(runs, `p${run}`, [end("done")]);
      await runs.close();
    }
    const runs = await openRuns(path, machine(1));
    const plans = (await runs.list(TARGET)).map(({ plan }) => plan);
    expect(plans).toEqual(Array.from({ length: 20 }, (_, index) => `p${index + 5}`));
  });

  it("is deleted early if it is large, except of the plan that ran last", async () => {
    const path = folder();
    const MiB = 1024 * 1024;
    const run = async (plan: string, size = 0) => {
      const runs = await openRuns(path, machine(1));
      await record(runs, plan, [{ ...intent(0), mutation: "m".repeat(size) } as JournalEntry]);
      await runs.close();
      return (await runs.list(TARGET)).map((each) => each.plan);
    };
    expect(await run("a", 5 * MiB)).toEqual(["a"]);
    expect(await run("b", 5 * MiB)).toEqual(["a", "b"]);
    expect(await run("b", 5 * MiB)).toEqual(["b", "b"]);
    expect(await run("b", 5 * MiB)).toEqual(["b", "b", "b"]);
    expect(await run("c")).toEqual(["b", "c"]);
  });

  it.each([
    ["size", "more than 64 MiB", (line: string) => line.repeat(Math.ceil((22 * 1024 * 1024) / line.length))],
    [
      "memory of their values",
      "values that need more than 128 MiB of memory",
      (line: string) =>
        line.repeat(50_000) +
        `${JSON.stringify({ ids: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, ""])) })}\n`,
    ],
    ["number of unreadable lines", "more than 1000 unreadable lines", () => "\n".repeat(400)],
  ])("is refused if all together exceed a limit: the %s", async (_what, message, lines) => {
    const path = folder();
    const begin = JSON.stringify({ event: "begin", at: at.toISOString(), plan: "p", target: TARGET });
    const line = `${JSON.stringify({ ...intent(0), event: "done", ids: {} })}\n`;
    const write = (run: number) =>
      writeFileSync(join(path, `2026-03-02T090000.000Z-1.${run}-aaa.jsonl`), `${begin}\n${lines(line)}`);
    write(1);
    const runs = await openRuns(path, machine(1));
    expect(await runs.list(TARGET)).toHaveLength(1);
    write(2);
    write(3);
    await expect(runs.list(TARGET)).rejects.toMatchObject({
      code: "FILE_UNFIT",
      message: expect.stringContaining(`the journals in ${path} have ${message}`) as string,
    });
  });

  it("is kept while the outcome of a layout creation in it is unknown", async () => {
    const path = folder();
    const keptPlans = async () => {
      const runs = await openRuns(path, machine(1));
      const plans = (await runs.list(TARGET)).map(({ plan }) => plan);
      await runs.close();
      return plans;
    };
    const run = async (plan: string, lines: readonly JournalEntry[]) => {
      const runs = await openRuns(path, machine(1));
      await record(runs, plan, [...lines, end("partial")]);
      await runs.close();
    };
    const creation = { ...intent(0), operation: "createLayout" } as JournalEntry;
    await run("lost", [creation]);
    await run("sent", [{ ...creation, resource: "CONTRACTOR/Card" } as JournalEntry]);
    for (let count = 0; count < 25; count++) await run("other", []);
    expect(await keptPlans()).toEqual(["lost", "sent", ...Array.from({ length: 20 }, () => "other")]);
    await run("found", [{ event: "done", at: at.toISOString(), resource: "CONTRACTOR/Card", step: 1, ids: {} }]);
    expect((await keptPlans()).slice(0, 2)).toEqual(["lost", "other"]);
  });

  it("states which runs of a plan are unfinished, and which were interrupted", async () => {
    const runs = await openRuns(folder(), machine(1));
    const broken = async () => interruptedRuns(await runs.list(TARGET)).map(({ plan }) => plan);
    const unfinished = async (plan: string) =>
      unfinishedRuns(await runs.list(TARGET), { plan, addresses: new Set(["staffing/candidate/A"]) }).length;
    await record(runs, "aaa", [end("done")]);
    expect([await unfinished("aaa"), await broken()]).toEqual([0, []]);
    await record(runs, "bbb", [intent(0)]);
    await record(runs, "bbb", [intent(0), end("partial")]);
    expect([await unfinished("bbb"), await unfinished("aaa"), await broken()]).toEqual([2, 0, []]);
    await record(runs, "bbb");
    expect([await unfinished("bbb"), await broken()]).toEqual([3, ["bbb"]]);
    // Another plan has written to another resource.
    await record(runs, "ccc", [{ ...intent(0), resource: "staffing/candidate/B" } as JournalEntry]);
    expect([await unfinished("bbb"), await unfinished("ccc"), await broken()]).toEqual([3, 1, ["bbb", "ccc"]]);
    // Another plan has written to the same resource, so the first plan is stale.
    await record(runs, "ddd", [intent(0)]);
    expect([await unfinished("bbb"), await unfinished("ddd"), await broken()]).toEqual([0, 1, ["bbb", "ccc", "ddd"]]);
  });
});

describe("an append log", () => {
  it("writes lines that wait at the same time in one flush, in their order", async () => {
    const path = join(folder(), "log");
    const log = await createAppendLog(path);
    const landed: number[] = [];
    await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        await log.append(String(index));
        landed.push(index);
      }),
    );
    await log.close();
    expect(landed).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(readFileSync(path, "utf8")).toBe(`${landed.join("\n")}\n`);
  });

  it("has every acknowledged line in the file", async () => {
    const path = join(folder(), "log");
    const log = await createAppendLog(path);
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const seen = await Promise.all(lines.map((line) => log.append(line).then(() => readFileSync(path, "utf8"))));
    await log.close();
    expect(lines.filter((line, index) => !seen[index]?.split("\n").includes(line))).toEqual([]);
  });

  it("refuses every line after one that could not be written", async () => {
    const log = await createAppendLog(join(folder(), "log"));
    await log.append("first");
    await log.close();
    await expect(log.append("second")).rejects.toMatchObject({ code: "RECORD_UNWRITABLE" });
    await expect(log.append("third")).rejects.toMatchObject({ code: "RECORD_UNWRITABLE" });
  });
});

describe("a folder of runs", () => {
  const holderOf = async (path: string, processes: Processes): Promise<Pick<ProcessIdentity, "pid"> | "free"> => {
    try {
      await (await takeRunLock(path, processes)).release();
      return "free";
    } catch (error) {
      if (hasCode(error, "RUN_IN_PROGRESS")) return { pid: Number(/process (\d+)/.exec(error.message)?.[1]) };
      throw error;
    }
  };

  it("is held by one living process, which the error names, until it releases the folder", async () => {
    const path = folder();
    const lock = await takeRunLock(path, machine(1));
    expect(await holderOf(path, machine(2, [1, 2]))).toMatchObject({ pid: 1 });
    await lock.release();
    expect(await holderOf(path, machine(2, [1, 2]))).toBe("free");
  });

  it("of an exited process is taken over, also if another process has its number now", async () => {
    const path = folder();
    await takeRunLock(path, machine(1));
    expect(await holderOf(path, machine(2, [2]))).toBe("free");
    await takeRunLock(path, machine(3));
    const reborn: Processes = { ...machine(2), isRunning: ({ pid, startedAt }) => pid === 3 && startedAt === "later" };
    expect(await holderOf(path, reborn)).toBe("free");
  });

  it("of another machine is not taken over", async () => {
    const path = folder();
    await takeRunLock(path, machine(1, [1], "there"));
    const error = await takeRunLock(path, machine(2, [2])).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: expect.stringContaining("process 1 on there") as string });
    const { hint } = error as { hint: string };
    rmSync(/delete (\S+)\.$/.exec(hint)![1]!);
    expect(await holderOf(path, machine(2, [2]))).toBe("free");
  });

  it("of another container of the same host is not taken over, though a process here has the same number", async () => {
    const path = folder();
    const inContainer = (namespace: string): Processes => {
      const one = machine(7);
      return { ...one, self: { ...one.self, namespace } };
    };
    await takeRunLock(path, inContainer("pid:[1]"));
    const gone: Processes = { ...inContainer("pid:[2]"), isRunning: () => false };
    await expect(takeRunLock(path, gone)).rejects.toMatchObject({
      message: "another apply is running in this folder: process 7 in another container on here",
      hint: expect.stringContaining(join(path, "lock-1")) as string,
    });
    expect(await holderOf(path, { ...inContainer("pid:[1]"), isRunning: () => false })).toBe("free");
  });

  it("names its holder by host, container, number and start", ({ skip }) => {
    skip(reasonElsewhereThanLinux !== undefined, reasonElsewhereThanLinux);
    expect(systemProcesses().self).toEqual({
      pid: process.pid,
      host: hostname(),
      namespace: readlinkSync("/proc/self/ns/pid"),
      startedAt: expect.stringMatching(/^[0-9a-f-]{36} \d+$/) as string,
    });
  });

  it("deletes the drafts of holds whose writers were killed", async () => {
    const path = folder();
    for (const name of ["lock-1.77.1.tmp", "lock-9.78.tmp"]) writeFileSync(join(path, name), '{"pid":77');
    await (await takeRunLock(path, machine(2))).release();
    expect(readdirSync(path)).toEqual(["lock-1"]);
  });

  it("is free where its hold is damaged, or its writer was killed before it was complete", async () => {
    const path = folder();
    writeFileSync(join(path, "lock-1"), '{"pid":');
    appendFileSync(join(path, "lock-2.77.1.tmp"), '{"pid":77');
    expect(await holderOf(path, machine(2))).toBe("free");
  });

  it("never has two holders, however many processes take over from an exited one", async () => {
    for (let round = 0; round < countOf("rounds of a race for a lock"); round++) {
      const path = folder();
      await takeRunLock(path, machine(1, []));
      const living = Array.from({ length: 6 }, (_, index) => index + 2);
      let holders = 0;
      let most = 0;
      let taken = 0;
      await Promise.all(
        living.map(async (pid) => {
          for (let tries = 0; tries < 3; tries++) {
            try {
              const lock = await takeRunLock(path, machine(pid, living));
              taken++;
              most = Math.max(most, ++holders);
              await new Promise(setImmediate);
              holders--;
              await lock.release();
            } catch (error) {
              if (!hasCode(error, "RUN_IN_PROGRESS")) throw error;
            }
          }
        }),
      );
      expect(most).toBe(1);
      expect(taken).toBeGreaterThan(0);
    }
  });

  it("never has two holders among system processes that are killed while they hold it", async () => {
    const path = folder();
    const log = join(path, "log");
    writeFileSync(log, "");
    const script = join(import.meta.dirname, "lock-holder.ts");
    const children = Array.from({ length: 4 }, () => fork(script, [path, log], { stdio: "inherit" }));
    const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.on("exit", resolve))));
    // The exit code is null if a process was killed on purpose.
    expect(codes.filter((code) => code !== 0 && code !== null)).toEqual([]);
    // A process writes `+pid` after it has taken the lock. It writes `-pid` before the release or the kill.
    const lines = readFileSync(log, "utf8").trim().split("\n");
    const pairs = lines.flatMap((line, index) => (line.startsWith("+") ? [[line, lines[index + 1]]] : []));
    expect(pairs.filter(([taken, left]) => left !== `-${taken?.slice(1)}`)).toEqual([]);
    expect(lines.length).toBeGreaterThan(50);
  });
});
