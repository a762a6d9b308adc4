/** Every file that commands open, as the system reports it: docs/security.md lists the folders. */

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { reasonWithoutStrace, TRACER } from "../faults/strace.ts";
import { skipTests } from "../skip.ts";
import { demoHome, emptyHome, finished, formctl, FORMCTL, ROOT } from "./program.ts";

skipTests(reasonWithoutStrace());

/** Folders that only root can write, on a system that is installed as usual. */
const SYSTEM = /^\/(bin|dev|etc|lib\w*|proc|sbin|sys|usr|nix)(\/|$)/;

/** Returns the files below none of the folders that a program opens, or tries to open. */
async function foreignFiles(words: readonly string[], folders: readonly string[], temporary: string, cwd: string) {
  const log = join(emptyHome(), "log");
  const options = ["-f", "-qqq", "-y", "-o", log, "-e", "trace=open,openat,openat2,execve"];
  const env = { TMPDIR: temporary, XDG_CACHE_HOME: "" };
  const { code, stderr } = await finished(TRACER, [...options, "--", ...words], { cwd, env, home: folders[0]! });
  const calls = readFileSync(log, "utf8").matchAll(/^\d+ +(?:execve|open\w*)\((?:\S+?<(.*?)>, )?"([^"]+)"/gm);
  const opened = [...calls].map(([, base, path]) => resolve(base ?? cwd, path!));
  const isForeign = (path: string) =>
    !SYSTEM.test(path) && !folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return { code, stderr, count: opened.length, foreign: [...new Set(opened.filter(isForeign))] };
}

it.each([
  "--version",
  "doctor",
  "config list",
  "forms list staffing/candidate",
  "currencies list",
  "validate",
  "plan",
  "apply --yes",
  "migrate plan",
  "local backup copy.db",
  "local check",
  "complete -- forms get staffing/c",
])("formctl %s opens no file outside the listed folders", async (line) => {
  const home = await demoHome();
  const project = emptyHome();
  writeFileSync(join(project, "formctl.yaml"), "object: staffing/candidate\nmanifests: forms\n");
  await formctl(["export", "staffing/candidate", "--into", "forms"], { home, cwd: project });
  const temporary = emptyHome();
  chmodSync(temporary, 0o1777);
  const folders = [home, project, ROOT];
  const words = [process.execPath, FORMCTL, ...line.split(" ")];
  const { code, stderr, count, foreign } = await foreignFiles(words, folders, temporary, project);
  expect({ code, foreign, problems: code === 0 ? "" : stderr }).toEqual({ code: 0, foreign: [], problems: "" });
  expect(count).toBeGreaterThan(10);
});

it("control: Node's compile cache is found", async () => {
  const temporary = emptyHome();
  const script = 'require("node:module").enableCompileCache(); require("./bin/formctl.js");';
  const { foreign } = await foreignFiles([process.execPath, "-e", script], [emptyHome(), ROOT], temporary, ROOT);
  expect(foreign).toContainEqual(expect.stringContaining(join(temporary, "node-compile-cache")));
});
