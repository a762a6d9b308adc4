import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SkipReporter } from "./test/run/skips.ts";

const textOf = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8");

/**
 * Whether a file has a process of its own, because it replaces a module or takes long. These files run first. All other
 * files share a process, which loads the sources once. They leave it as they found it: test/per-file.ts ends the state
 * of their helpers.
 */
const isAlone = (file: string) =>
  /^test\/(bench|chaos|faults|rehearsal|contract\/postgres)/.test(file) || /^vi\.mock\(/m.test(textOf(file));

const isFullOnly = (file: string) => file.endsWith(".full.test.ts");
/** Whether a file runs its loops with smaller counts in `npm test`. */
const isSampled = (file: string) => /\/effort\.ts"/.test(textOf(file));

// The tester's value would choose other builds of packages.
process.env["NODE_ENV"] = "test";

/** `--mode full` runs what `npm test` leaves out or samples (test/effort.ts). `--mode all` runs each file once, in full. */
export default defineConfig(({ mode }) => {
  const all = globSync("test/**/*.test.ts", { cwd: import.meta.dirname }).map((file) => file.replaceAll("\\", "/"));
  const files =
    mode === "all"
      ? all
      : all.filter((file) => (mode === "full" ? isFullOnly(file) || isSampled(file) : !isFullOnly(file)));
  return {
    test: {
      projects: [
        {
          extends: true,
          test: { name: "shared", include: files.filter((file) => !isAlone(file)), isolate: false },
        },
        { extends: true, test: { name: "isolated", include: files.filter((file) => isAlone(file)) } },
      ],
      globalSetup: "test/run/setup.ts",
      reporters: ["default", new SkipReporter()],
      setupFiles: "test/run/each-file.ts",
      // Many tests wait for processes, sockets and time limits: with one worker for each core, a core would be idle.
      maxWorkers: availableParallelism() + 1,
      // A busy machine is no failure: only what hangs takes so long.
      testTimeout: 900_000,
      hookTimeout: 900_000,
      expect: { poll: { timeout: 30_000 } },
      // A missing snapshot is a failure, as in CI. Otherwise, the first run would create it.
      update: "none",
      // Tests own their world: nothing of the developer's own configuration may leak in.
      unstubEnvs: true,
      unstubGlobals: true,
    },
    define: { FORMCTL_VERSION: JSON.stringify("0.0.0-test") },
  };
});
