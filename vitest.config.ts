import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
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
