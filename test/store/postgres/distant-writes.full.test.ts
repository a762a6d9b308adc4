/** Concurrent writes of one organization through `formctl serve`, whose database is on a distant machine. */

import { expect, it, onTestFinished } from "vitest";
import { startDatabaseProxy } from "../../database-proxy.ts";
import { ending, FORMCTL, start } from "../../e2e/program.ts";
import { originOf } from "../../faults/loop.ts";
import { openTeamStore, storedProblems, throughPooler } from "../../faults/postgres-stage.ts";
import { postgresOfFile } from "../../postgres.ts";
import { temporaryFolder } from "../../temporary.ts";

const WRITES = 200;
const FORMS = "/v1/custom-modules/staffing/objects/candidate/forms";

const serverOfFile = await postgresOfFile();

/** Creates forms at the same time. @returns how often each answer occurred, and what is wrong with the store */
async function writeAtOnce(distanceMs: number): Promise<{ answers: Record<string, number>; problems: string[] }> {
  const server = serverOfFile();
  const folder = temporaryFolder();
  const url = server.url(await server.createDatabase());
  const stage = await openTeamStore(folder.path, url);
  const proxy = await startDatabaseProxy(server.port, { distanceMs });
  const { store, env = {} } = throughPooler(stage, url.replace(`:${server.port}/`, `:${proxy.port}/`));
  const where = { home: folder.path, env: { ...env, FORMCTL_STORE: store } as Record<string, string> };
  const child = start(process.execPath, [FORMCTL, "serve", "--port", "0"], where);
  const ended = ending(child);
  onTestFinished(async () => {
    child.kill();
    await ended;
    await proxy.close();
    folder.remove();
  });
  const origin = await originOf(child);
  const acknowledged = new Set<string>();
  const refused = new Set<string>();
  const answers: Record<string, number> = {};
  const create = async (name: string) => {
    const answer = await fetch(`${origin}${FORMS}`, {
      method: "POST",
      headers: { authorization: `Bearer ${stage.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name, types: ["VIEW"] }),
    });
    const { error } = (await answer.json()) as { error?: { code: string } };
    (error ? refused : acknowledged).add(name);
    const outcome = error ? `${answer.status} ${error.code}` : String(answer.status);
    answers[outcome] = (answers[outcome] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: WRITES }, (_write, index) => create(`Form ${index}`)));
  return { answers, problems: await storedProblems(stage, { acknowledged, refused }) };
}

it("answers 200 concurrent writes at a distance of 10 ms without 503", async () => {
  expect(await writeAtOnce(10)).toEqual({ answers: { 201: WRITES }, problems: [] });
});

it("answers some of them 503 at a distance of 300 ms, so the distance counts", async () => {
  const { answers, problems } = await writeAtOnce(300);
  expect(answers).toEqual({ 201: expect.any(Number) as number, "503 STORE_BUSY": expect.any(Number) as number });
  expect(answers["201"]! + answers["503 STORE_BUSY"]!).toBe(WRITES);
  expect(problems).toEqual([]);
});
