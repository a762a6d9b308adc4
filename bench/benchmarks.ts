/**
 * The benchmarks of `npm run bench`, in their order, with their arguments. With these arguments, the whole run takes
 * less than 20 minutes.
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
