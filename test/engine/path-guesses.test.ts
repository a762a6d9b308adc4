/** The guesses of the records that a path names, and reads with right and wrong guesses. */

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { answer, type EngineOptions } from "../../src/engine/engine.ts";
import { randomId } from "../../src/engine/ids.ts";
import { openPathGuesses, type PathRecords } from "../../src/engine/path-guesses.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { openSqliteForServing } from "../../src/store/sqlite.ts";
import sql from "sql-template-tag";
import { SEEDING } from "../contract/engine-provider.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { seededStore } from "../seeded-store.ts";
import { temporaryFolder } from "../temporary.ts";

const MAX_PATHS = 1_000;

it("are the records that the path had last, and only for this path of this organization", () => {
  const guesses = openPathGuesses();
  const path = { moduleKey: "staffing", objectKey: "candidate" };
  expect(guesses.guess("o1", path).records).toBeUndefined();
  guesses.guess("o1", path).learn({ object: 1 });
  guesses.guess("o1", path).learn({ object: 2 });
  expect(guesses.guess("o1", path).records).toEqual({ object: 2 });
  expect(guesses.guess("o2", path).records).toBeUndefined();
  expect(guesses.guess("o1", { ...path, objectKey: "placement" }).records).toBeUndefined();
});

it("are forgotten from the oldest path on", () => {
  const guesses = openPathGuesses();
  const at = (index: number) => guesses.guess("o1", { layoutId: String(index) });
  for (let index = 0; index <= MAX_PATHS; index++) at(index).learn({ index });
  expect(at(0).records).toBeUndefined();
  expect(at(1).records).toEqual({ index: 1 });
  // A path that is known already takes no place from another one.
  for (let times = 0; times < 3; times++) at(MAX_PATHS).learn({ index: times });
  expect(at(1).records).toEqual({ index: 1 });
  expect(at(MAX_PATHS).records).toEqual({ index: 2 });
});

const seed = seededStore(contractOrganizations, SEEDING);

/** Opens a store that claims to be on another machine. @returns a function that lists forms with the given guess */
async function openLists() {
  const folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  await seed(path);
  const sqlite = openSqliteForServing(path);
  onTestFinished(async () => {
    await sqlite.close();
    folder.remove();
  });
  const store: EngineOptions["store"] = {
    read: (work, oneRound) => sqlite.read(work, oneRound),
    write: (work, orgId) => sqlite.write(work, orgId),
    raisesVersions: () => true,
    close: () => sqlite.close(),
  };
  const organizations = await sqlite.read((tx) =>
    tx.all<{ id: string }>(sql`SELECT id FROM organizations WHERE key = 'northwind'`),
  );
  const actor = { organizationId: organizations[0]!.id, permissions: new Set(PERMISSIONS) };
  const call = (objectKey: string, options: Partial<EngineOptions>, body?: unknown) =>
    answer(
      { store, now: () => new Date(), newId: randomId, ...options },
      {
        actor,
        context: {},
        name: body === undefined ? "listForms" : "createForm",
        input: { moduleKey: "staffing", objectKey, ...(body === undefined ? { query: {} } : { body }) },
      },
    );
  return {
    create: (objectKey: string, name: string) => call(objectKey, {}, { name, types: ["VIEW"] }),
    list: async (objectKey: string, records?: PathRecords) => {
      const learned: PathRecords[] = [];
      const guess = () => ({ records, learn: (found: PathRecords) => void learned.push(found) });
      const { data } = (await call(objectKey, { guesses: { guess } })) as { data: { name: string }[] };
      return { names: data.map(({ name }) => name), learned };
    },
  };
}

it("are used if they are right, and replaced if they are wrong", async () => {
  const { create, list } = await openLists();
  await create("candidate", "Of candidates");
  await create("placement", "Of placements");
  const candidates = await list("candidate");
  const placements = await list("placement");
  expect([candidates.names, placements.names]).toEqual([["Of candidates"], ["Of placements"]]);
  const [right] = candidates.learned;
  const [wrong] = placements.learned;
  expect(right).not.toEqual(wrong);
  // A right guess is not learned again, so the read has used it.
  expect(await list("candidate", right)).toEqual({ names: ["Of candidates"], learned: [] });
  expect(await list("candidate", wrong)).toEqual({ names: ["Of candidates"], learned: [right] });
});
