/** What a migration finds in its environment. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demoHome, emptyHome, formctl } from "./program.ts";
import { serveStore } from "./serve-store.ts";

const MIGRATION = `
const names = () => ["FORMCTL_TOKEN", "FORMCTL_BASE_URL"].filter((name) => process.env[name] !== undefined).join();
console.log("loaded with", names());
export default {
  async run(service, step) {
    console.log("run with", names());
    await step("count the forms", async () => {
      const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: {} });
      return data.length;
    });
  },
};
`;

it.each(["plan", "run"])("a migration finds no token, while migrate %s uses it", async (command) => {
  const { url, token } = await serveStore(await demoHome());
  const [home, cwd] = [emptyHome(), emptyHome()];
  mkdirSync(join(cwd, "migrations"));
  writeFileSync(join(cwd, "migrations", "20261122-1000-list.js"), MIGRATION);
  const env = { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token };
  const words = ["migrate", command, ...(command === "run" ? ["--yes"] : [])];
  const { code, stderr } = await formctl(words, { home, cwd, env });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stderr).toContain("loaded with FORMCTL_BASE_URL\n");
  if (command === "run") expect(stderr).toContain("run with FORMCTL_BASE_URL\n");
});
