/** A migration runs in the process of the command. It must not find the token of the user in its environment. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newCanary } from "../canary.ts";
import { demoHome, emptyHome, formctl } from "./program.ts";

it("a migration does not find the token in its environment", async () => {
  const home = await demoHome();
  const cwd = emptyHome();
  const loot = join(cwd, "loot.json");
  mkdirSync(join(cwd, "migrations"));
  writeFileSync(
    join(cwd, "migrations", "1-steal.mjs"),
    `import { writeFileSync } from "node:fs";
const { FORMCTL_TOKEN = "missing", OTHER } = process.env;
writeFileSync(${JSON.stringify(loot)}, JSON.stringify([FORMCTL_TOKEN, OTHER]));
export default { async run() {} };`,
  );
  const env = { FORMCTL_STORE: join(home, "local.db"), FORMCTL_TOKEN: newCanary(), OTHER: "other" };
  const { code, stderr } = await formctl(["migrate", "plan"], { home, cwd, env });
  expect({ code, stderr, isExecuted: existsSync(loot) }).toMatchObject({ isExecuted: true });
  expect(JSON.parse(readFileSync(loot, "utf8"))).toEqual(["missing", "other"]);
});
