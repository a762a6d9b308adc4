/** `formctl apply` to a server that limits the rate of its token. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { demoHome, emptyHome, ending, FORMCTL, formctl, start } from "./program.ts";

const FORMS = 20;

it.each([
  ["waits and applies every form once if the server limits its requests", "5", true],
  ["is not limited by a high rate (control)", "100000", false],
])("%s", async (_title, rateLimit, isLimited) => {
  const home = await demoHome();
  const words = ["local", "tokens", "create", "--name", "ci", "--permission", "all", "-q"];
  const token = (await formctl(words, { home })).stdout.trim();
  const options = ["--port", "0", "--rate-limit", rateLimit, "--metrics-port", "0", "-o", "json"];
  const child = start(process.execPath, [FORMCTL, "serve", ...options], { home });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = ending(child);
  const { url, metricsUrl } = await new Promise<{ url: string; metricsUrl: string }>((resolve) => {
    child.stdout.once("data", (line) => resolve(JSON.parse(String(line)) as { url: string; metricsUrl: string }));
  });
  const cwd = emptyHome();
  mkdirSync(join(cwd, "forms"));
  for (let index = 0; index < FORMS; index++) {
    const manifest = { kind: "Form", object: "staffing/candidate", name: `Limited ${index}`, types: ["VIEW"] };
    writeFileSync(join(cwd, "forms", `${index}.yaml`), JSON.stringify(manifest));
  }
  const env = { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token };
  const applied = await formctl(["apply", "forms", "--yes"], { cwd, env });
  expect(applied).toMatchObject({ code: 0 });
  const metrics = await (await fetch(metricsUrl)).text();
  const limited = Number(/limited_total\{limit="token"\} (\d+)/.exec(metrics)?.[1]);
  expect(limited > 0).toBe(isLimited);
  const { stdout } = await formctl(["forms", "list", "staffing/candidate", "--limit", "100", "-o", "json"], { home });
  expect(stdout.match(/"name": "Limited \d+"/g)).toHaveLength(FORMS);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
});
