/** Tests the program as a process: pipes, signals, concurrent runs, and remaining files. */

import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import {
  demoHome,
  emptyHome,
  ending,
  finished,
  FORMCTL,
  formctl,
  ROOT,
  shell,
  SHELL_COMMAND,
  start,
  type Started,
} from "./program.ts";

const CREATE = ["forms", "create", "staffing/candidate", "--types", "VIEW", "-o", "name", "--name"];

describe("with no configuration", () => {
  it("npx formctl currencies list -o json prints 178 currencies", async () => {
    const home = emptyHome();
    const { code, stdout } = await finished("npx", ["--offline", "formctl", "currencies", "list", "-o", "json"], {
      home,
      cwd: ROOT,
    });
    expect(code).toBe(0);
    const currencies = JSON.parse(stdout) as Record<string, unknown>[];
    expect(currencies.filter(({ code: letters, name }) => /^[A-Z]{3}$/.test(String(letters)) && name)).toHaveLength(
      178,
    );
    expect(currencies.every((currency) => Object.keys(currency).join() === "code,name")).toBe(true);
  });

  it("reading leaves nothing in the home folder but compiled code", async () => {
    const home = emptyHome();
    const env = { FORMCTL_HOME: "", XDG_CACHE_HOME: "" };
    const reads: [words: string[], code: number][] = [
      [["--version"], 0],
      [["--help"], 0],
      [["help", "exit-codes"], 0],
      [["forms", "list", "--help"], 0],
      [["currencies", "get", "EUR"], 0],
      [["layouts", "surfaces"], 0],
      [["config", "list"], 0],
      [["config", "path"], 0],
      [["forms", "list", "staffing/candidate"], 5],
      [["layouts", "list"], 5],
      [["local", "show"], 5],
      [["local", "check"], 5],
    ];
    for (const [words, code] of reads) {
      const ended = await formctl(words, { home, env });
      expect({ words, code: ended.code }).toEqual({ words, code });
    }
    expect(readdirSync(home)).toEqual([".cache"]);
    expect(readdirSync(join(home, ".cache", "formctl"))).toHaveLength(1);
    expect((await formctl(["local", "init"], { home, env })).code).toBe(0);
    expect(readdirSync(home)).not.toEqual([".cache"]);
  });
});

describe("start-up", () => {
  type Loaded = { builtins: string[]; text: string };

  /** Returns what a run loads: modules of Node and files of the bundle. */
  async function loadedBy(words: readonly string[], home = emptyHome()): Promise<Loaded> {
    const folder = emptyHome();
    const hook = join(folder, "hook.mjs");
    const trace = join(folder, "trace.json");
    writeFileSync(
      hook,
      `import { writeFileSync } from "node:fs";
       import { registerHooks } from "node:module";
       const files = [];
       registerHooks({ load(url, context, next) { files.push(url); return next(url, context); } });
       process.on("exit", () => {
         const builtins = process.moduleLoadList;
         writeFileSync(${JSON.stringify(trace)}, JSON.stringify({ files, builtins }));
       });`,
    );
    const { code } = await finished(process.execPath, ["--import", pathToFileURL(hook).href, FORMCTL, ...words], {
      home,
    });
    expect(code).toBe(0);
    const { files, builtins } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[]; builtins: string[] };
    const bundle = files.filter((url) => /^file:.*\/dist\/.*\.cjs$/.test(url));
    expect(bundle.length).toBeGreaterThan(0);
    return { builtins, text: bundle.map((url) => readFileSync(new URL(url), "utf8")).join("\n") };
  }

  const touchesDatabase = ({ builtins, text }: Loaded) =>
    builtins.some((name) => / (node:)?sqlite$/.test(name)) || text.includes("node:sqlite");

  it.each([["--version"], ["--help"], ["forms --help"], ["layouts draft push --help"], ["help exit-codes"]])(
    "formctl %s loads no database and no client",
    async (line) => {
      const loaded = await loadedBy(line.split(" "));
      expect(touchesDatabase(loaded)).toBe(false);
      // `net` is no sign of a client, because the builtin module `tty` loads it.
      const client = /NativeModule (http|https|http2|tls|internal\/deps\/undici\/undici)$/;
      expect(loaded.builtins.filter((name) => client.test(name))).toEqual([]);
    },
  );

  it("would be seen to load it: the control", async () => {
    expect(touchesDatabase(await loadedBy(["forms", "list", "staffing/candidate"], await demoHome()))).toBe(true);
  });
});

describe("a reader that closes the pipe", () => {
  it("after the first line is no failure", async () => {
    const { code, stdout, stderr } = await shell("formctl currencies list | head -1");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "CODE  NAME\n", stderr: "" });
  });

  it("before the first output is not a failure", async () => {
    const said = await shell("{ sleep 0.3; formctl currencies list; echo $? >&2; } | true");
    expect(said).toMatchObject({ stdout: "", stderr: "0\n" });
  });

  it("in the middle of more than a pipe holds is no failure", async () => {
    const home = await demoHome();
    const block = { type: "comments", source: "system", regionKey: "main", config: { title: "x".repeat(500) } };
    const blocks = Array.from({ length: 2000 }, () => block);
    const regions = [{ key: "main", label: "Main", layout: "grid" }];
    const profile = '"staffing/candidate/Candidate profile"';
    const input = JSON.stringify({ schemaVersion: 1, regions, blocks });
    await shell(`formctl layouts draft push ${profile} -`, { home, input });
    const line = `{ formctl layouts draft show ${profile} -o json; echo $? >&2; } | head -1`;
    expect(await shell(line, { home })).toMatchObject({ stdout: "{\n", stderr: "0\n" });
  });
});

describe("a full disk", () => {
  skipTests(reasonElsewhereThanLinux);

  it("is reported if stdout is affected", async () => {
    const home = await demoHome();
    const { stderr } = await shell('formctl currencies list -o json > /dev/full; echo "code $?" >&2', { home });
    const [document, code] = stderr.trim().split("\n");
    expect(code).toBe("code 1");
    expect(JSON.parse(document!)).toMatchObject({
      error: { code: "OUTPUT_UNWRITABLE", message: expect.stringContaining("no space left on device"), exitCode: 1 },
    });
  });

  it("does not end a server whose log is affected", async () => {
    const home = await demoHome();
    const child = start(
      "/bin/sh",
      ["-c", `exec "$0" "$@" 2>/dev/full`, process.execPath, FORMCTL, "serve", "--port", "0", "-o", "json"],
      { home },
    );
    const end = ending(child);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once("data", (line) => resolve((JSON.parse(String(line)) as { url: string }).url));
    });
    for (let time = 0; time < 3; time++) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await setTimeout(20);
    }
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 0 });
  });
});

describe("a stderr that can't be written", () => {
  skipTests(reasonElsewhereThanLinux);

  it.each([
    ["currencies get EUR --verbose", 0],
    ["currencies get XXL", 5],
    ["forms create staffing/candidate --name Unseen --types VIEW", 0],
    ["forms list candidate", 64],
    ["forms list staffing/candidate --store missing.db", 5],
  ])("leaves the exit code of `%s` as it is: %i", async (words, code) => {
    const home = await demoHome();
    const { stdout, stderr } = await shell(`formctl ${words} -o json 2>/dev/full; echo "code $?"`, { home });
    expect(stdout).toMatch(new RegExp(`code ${code}\n$`));
    expect(stderr).toBe("");
  });
});

describe("a working directory that was deleted", () => {
  skipTests(reasonElsewhereThanLinux);

  // The tests start Node directly: the shell script `formctl` would report the missing folder.
  const inDeleted = (words: string) =>
    `mkdir -p "$HOME/deleted" && cd "$HOME/deleted" && rmdir "$HOME/deleted" && ${SHELL_COMMAND} ${words}`;

  it.each(["currencies list", "forms list staffing/candidate", "validate", "local init --store x.db", "plan m"])(
    "is reported by `%s`, in words",
    async (words) => {
      const home = await demoHome();
      const { code, stdout, stderr } = await shell(inDeleted(words), { home, cwd: home });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toBe(
        "error: the working directory can't be read: it was deleted, or permission is denied\n" +
          "hint: Change to an existing folder and run the command again.\n",
      );
    },
  );

  it("is one document with -o json, and needless for help and the version", async () => {
    const home = await demoHome();
    const { code, stderr } = await shell(inDeleted("currencies list -o json"), { home, cwd: home });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "NO_WORKING_DIRECTORY", exitCode: 1 } });
    for (const words of ["--version", "forms list --help"])
      expect(await shell(inDeleted(words), { home, cwd: home })).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("SIGINT", () => {
  /**
   * Waits until the process has opened the store. At that time, the process already listens for signals. Waits a fixed
   * time on systems other than Linux.
   */
  async function atTheStore({ pid }: Started): Promise<void> {
    if (process.platform !== "linux") return setTimeout(2000);
    const hasStore = () => {
      try {
        return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`).endsWith("local.db"));
      } catch {
        // A file may be closed during the listing.
        return false;
      }
    };
    while (!hasStore()) await setTimeout(20);
    return setTimeout(1_000);
  }

  /** Waits until the process has worked, and is asleep at eight consecutive looks. */
  async function asleep({ pid }: Started): Promise<void> {
    if (process.platform !== "linux") return setTimeout(2000);
    let last = "";
    for (let looks = 0; looks < 8;) {
      await setTimeout(100);
      const [state = "", ...rest] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /s, "").split(" ");
      // The user and system time of the process, which are fields 14 and 15 of the line.
      const used = rest.slice(10, 12).join("+");
      looks = state === "S" && used === last && used !== "0+0" ? looks + 1 : 0;
      last = used;
    }
  }

  it("lets the change in hand be finished, and is the exit code: 130", async () => {
    const home = await demoHome();
    const other = new DatabaseSync(join(home, "local.db"));
    other.exec("BEGIN IMMEDIATE");
    const child = start(process.execPath, [FORMCTL, ...CREATE, "Interrupted"], { home });
    const end = ending(child);
    await atTheStore(child);
    child.kill("SIGINT");
    await setTimeout(100);
    other.exec("ROLLBACK");
    other.close();
    expect(await end).toMatchObject({ code: 130, signal: null });
    const { stdout } = await formctl(["forms", "list", "staffing/candidate"], { home });
    expect(stdout).toContain("Interrupted");
    expect((await formctl(["local", "check"], { home })).code).toBe(0);
  });

  it("a second time ends the wait for the store immediately, and nothing is written", async () => {
    const home = await demoHome();
    const other = new DatabaseSync(join(home, "local.db"));
    other.exec("BEGIN IMMEDIATE");
    const child = start(process.execPath, [FORMCTL, ...CREATE, "Abandoned"], { home });
    const end = ending(child);
    await atTheStore(child);
    child.kill("SIGINT");
    await setTimeout(1_000);
    child.kill("SIGINT");
    // Without the second signal, the program would wait five seconds for the store, report it, and exit with code 6.
    expect(await end).toMatchObject({ code: 130, signal: null, stdout: "", stderr: "" });
    other.exec("ROLLBACK");
    other.close();
    expect((await formctl(["forms", "list", "staffing/candidate"], { home })).stdout).not.toContain("Abandoned");
  });

  it("a second time ends a migration that does not end", async () => {
    const home = await demoHome();
    const work = join(home, "project");
    mkdirSync(join(work, "migrations"), { recursive: true });
    writeFileSync(join(work, "formctl.yaml"), "manifests: forms\n");
    const wait = 'console.log("in the migration");\n    await new Promise((resolve) => setTimeout(resolve, 60_000));';
    writeFileSync(
      join(work, "migrations/1-wait.ts"),
      `import { defineMigration } from "formctl";\nexport default defineMigration({\n  async run() {\n    ${wait}\n  },\n});\n`,
    );
    const child = start(process.execPath, [FORMCTL, "migrate", "run", "--yes"], { home, cwd: work });
    const end = ending(child);
    let shown = "";
    child.stderr.on("data", (text: string) => (shown += text));
    await expect.poll(() => shown, { timeout: 60_000 }).toContain("in the migration");
    child.kill("SIGINT");
    await setTimeout(1_000);
    child.kill("SIGINT");
    expect(await end).toMatchObject({ code: 130, signal: null });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("and %s end the wait for standard input", async (signal, code) => {
    const home = await demoHome();
    const words = ["layouts", "draft", "push", "staffing/candidate/Candidate profile", "-"];
    const child = start(process.execPath, [FORMCTL, ...words], { home });
    const end = ending(child);
    await asleep(child);
    child.kill(signal);
    expect(await end).toMatchObject({ code, signal: null, stdout: "" });
  });
});

describe("two processes that write concurrently", () => {
  it("both have their way, and the store is sound", async () => {
    const home = await demoHome();
    const write = async (who: string) => {
      const outcomes = [];
      for (let index = 0; index < 8; index++) outcomes.push(await formctl([...CREATE, `${who} ${index}`], { home }));
      return outcomes;
    };
    const outcomes = (await Promise.all([write("left"), write("right")])).flat();
    expect(outcomes.map(({ code, stdout }) => ({ code, isId: /^frm_\w{24}\n$/.test(stdout) }))).toEqual(
      outcomes.map(() => ({ code: 0, isId: true })),
    );
    const { stdout } = await formctl(["forms", "list", "staffing/candidate", "-o", "jsonl", "--query", "[].name"], {
      home,
    });
    expect(stdout.trim().split("\n")).toHaveLength(2 + 16);
    expect((await formctl(["local", "check"], { home })).code).toBe(0);
  });

  it("is reported when another process locks the store too long", async () => {
    const home = await demoHome();
    const other = new DatabaseSync(join(home, "local.db"));
    other.exec("BEGIN IMMEDIATE");
    const { code, stderr } = await formctl([...CREATE, "Late", "-o", "json"], { home });
    other.exec("ROLLBACK");
    other.close();
    expect(code).toBe(6);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "STORE_BUSY", exitCode: 6 } });
  });
});

describe("a project of another user", () => {
  it("can't lead a command to another store", async () => {
    const home = emptyHome();
    const cwd = join(home, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "formctl.yaml"), "store: /tmp/elsewhere.db\n");
    const { code, stderr } = await formctl(["local", "init"], { home, cwd });
    expect(code).toBe(3);
    expect(stderr).toContain("formctl.yaml:1:");
  });
});
