/** The copy of one organization of a database. Changes are rehearsed on this copy. */

import sql, { raw } from "sql-template-tag";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { CopyPart } from "../../../src/local-service.ts";
import { copyOrganization, formsOfPart } from "../../../src/store/organization-copy.ts";
import { createPostgres, openPostgres } from "../../../src/store/postgres/postgres.ts";
import { openScratchSqlite } from "../../../src/store/sqlite.ts";
import type { Store } from "../../../src/store/store.ts";
import { columnsOf, TABLE_NAMES } from "../../../src/store/tables.ts";
import { postgresOfFile } from "../../postgres.ts";
import { soundRecords } from "../sound-store.ts";

const serverOfFile = await postgresOfFile();

let live: Store;
beforeEach(async () => {
  const server = serverOfFile();
  const database = await server.createDatabase();
  const url = server.url(database);
  await createPostgres(url);
  await server.query(soundRecords, database);
  live = openPostgres(url);
  onTestFinished(() => live.close());
});

async function copyOf(orgId: string, part?: CopyPart): Promise<Store> {
  const copy = await openScratchSqlite();
  onTestFinished(() => copy.close());
  await live.read(async (tx) => copyOrganization(tx, copy, orgId, part && (await formsOfPart(tx, orgId, part))));
  return copy;
}

const idsOf = async (store: Store, table: string) =>
  (await store.read((tx) => tx.all<{ id: string }>(sql`SELECT id FROM ${raw(table)} ORDER BY id`))).map(({ id }) => id);

it("has all records of the organization, and no others", async () => {
  const copy = await copyOf("org_1");
  for (const table of TABLE_NAMES.filter((name) => !["api_tokens", "audit", "file_trash"].includes(name))) {
    const columns = columnsOf(table).join(", ");
    const own = table === "organizations" ? "id" : "org_id";
    const [expected, found] = await Promise.all([
      live.read((tx) => tx.all<object>(sql`SELECT ${raw(columns)} FROM ${raw(table)} WHERE ${raw(own)} = 'org_1'`)),
      copy.read((tx) => tx.all<object>(sql`SELECT ${raw(columns)} FROM ${raw(table)}`)),
    ]);
    const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    expect({ table, rows: sorted(found) }).toEqual({ table, rows: sorted(expected) });
  }
  expect(await idsOf(copy, "api_tokens")).toEqual([]);
});

it("has only the forms of a part, the default forms of their objects, and their layouts", async () => {
  const part = (objectKey: string, names: string[], creations: string[] = []): CopyPart => ({
    organization: "org-1",
    objects: [{ moduleKey: "staffing", objectKey, formIds: [], names }],
    creations,
  });
  const candidate = await copyOf("org_1", part("candidate", []));
  expect(await idsOf(candidate, "forms")).toEqual(["frm_1"]);
  expect(await idsOf(candidate, "layouts")).toEqual(["lay_frm_1"]);
  expect(await idsOf(await copyOf("org_1", part("candidate", ["Intake"])), "forms")).toEqual(["frm_1", "frm_2"]);
  const placement = await copyOf("org_1", part("placement", ["Intake"]));
  expect(await idsOf(placement, "forms")).toEqual([]);
  expect(await idsOf(placement, "objects")).toEqual(["obj_1", "obj_other", "obj_sub"]);
});

it("has all forms if the response to a creation is stored", async () => {
  await live.write((tx) => tx.run(sql`UPDATE mutations SET operation = 'createForm' WHERE operation = 'updateForm'`));
  const part = {
    organization: "org-1",
    objects: [{ moduleKey: "staffing", objectKey: "placement", formIds: [], names: [] }],
    creations: ["key-1"],
  };
  expect(await idsOf(await copyOf("org_1", part), "forms")).toEqual(["frm_1", "frm_2"]);
});
