import { defineConfig } from "vitest/config";

/**
 * Folders of tests that leave their process as they found it. Their files share a process, which loads the sources
 * once. Other tests start the built program (test/e2e/program.ts keeps folders for one file), or use signals.
 */
const SHARED = ["commands", "contract", "documents", "engine", "lists", "manifests", "schemas", "terminal"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      { extends: true, test: { name: "isolated", include: ["test/**/*.test.ts"], exclude: SHARED } },
    ],
    globalSetup: "test/canary-run.ts",
    // Many tests wait for processes and sockets: a core that is kept free would be idle.
    maxWorkers: "100%",
    // A busy machine is no failure: only what hangs takes so long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests own their world: nothing of the developer's own configuration may leak in.
    unstubEnvs: true,
  },
  define: { FORMCTL_VERSION: JSON.stringify("0.0.0-test") },
});
