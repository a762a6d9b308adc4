/** `--har` in a process that ends early: the file is complete. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newCanary } from "../canary.ts";
import { type Reply, startServer } from "../client/table-server.ts";
import { demoHome, emptyHome, ending, FORMCTL, formctl, shell, start, type Started } from "./program.ts";
import { serveStore } from "./served-store.ts";

async function openScene(answer: () => Promise<Reply> | Reply) {
  const server = await startServer(answer);
  onTestFinished(() => server.close());
  const home = emptyHome();
  const env = { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() };
  const statuses = () => {
    const text = readFileSync(join(home, "out.har"), "utf8");
    const { log } = JSON.parse(text) as { log: { entries: { response: { status: number } }[] } };
    return log.entries.map(({ response }) => response.status);
  };
  return { home, env, statuses };
}

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("is written after %s during a read", async (signal, code) => {
  let child: Started | undefined;
  const { home, env, statuses } = await openScene(() => {
    child?.kill(signal);
    return new Promise(() => undefined);
  });
  child = start(process.execPath, [FORMCTL, "currencies", "list", "--har", "out.har"], { home, env, cwd: home });
  expect(await ending(child)).toMatchObject({ code, signal: null });
  expect(statuses()).toEqual([0]);
});

it("is written although the reader of stdout closes the pipe", async () => {
  const data = Array.from({ length: 20_000 }, (_, index) => ({ code: `C${index}`, name: "x".repeat(20) }));
  const { home, env, statuses } = await openScene(() => ({ status: 200, body: { data } }));
  await shell("formctl currencies list -o jsonl --har out.har | head -1", { home, env, cwd: home });
  expect(statuses()).toEqual([200]);
});

it("can be judged by doctor --contract", async () => {
  const home = await demoHome();
  const { env } = await serveStore(home);
  const object = "staffing/candidate";
  for (const words of [
    ["forms", "list", object],
    ["forms", "get", `${object}/Candidate intake`],
    ["layouts", "list"],
  ])
    expect((await formctl([...words, "--har", `${words[0]}-${words[1]}.har`], { home, cwd: home, env })).code).toBe(0);
  for (const file of ["forms-list.har", "forms-get.har", "layouts-list.har"]) {
    const judged = await formctl(["doctor", "--contract", "--from", file, "-o", "json"], { home, cwd: home });
    expect(judged).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(judged.stdout)).toMatchObject({ findings: [] });
  }
});
