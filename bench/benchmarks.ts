/**
 * The benchmarks that `npm run bench` runs, in their order, with the arguments that keep the whole run under 25
 * minutes.
 */

export const BENCHMARKS: Readonly<Record<string, readonly string[]>> = {
  startup: ["--runs", "30"],
  growth: ["--runs", "5"],
  serve: [],
  "serve-postgres": [],
  store: [],
  "store-postgres": [],
  scale: ["--organizations", "1000"],
  manifests: ["--sizes", "1000,3000", "--rounds", "2"],
  memory: [],
  requests: [],
  migrations: [],
  rehearsal: [],
  preview: [],
};
