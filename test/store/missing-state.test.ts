/** An organization without a row in `organization_state`: its writes would neither wait for each other nor be numbered. */

import { join } from "node:path";
import sql from "sql-template-tag";
import { expect, it, onTestFinished } from "vitest";
import { openLocalService } from "../../src/engine/local.ts";
import { createPostgres, openPostgres } from "../../src/store/postgres/postgres.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { SEEDING } from "../contract/engine-provider.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { postgresOfFile } from "../postgres.ts";
import { temporaryFolders } from "../temporary.ts";

const serverOfFile = await postgresOfFile();
const newFolder = temporaryFolders();

const stores: Record<string, () => Promise<Store>> = {
  SQLite: async () => openSqlite(join(newFolder(), "store.db"), { create: true }),
  PostgreSQL: async () => {
    const url = serverOfFile().url(await serverOfFile().createDatabase());
    await createPostgres(url);
    return openPostgres(url);
  },
};

it.each(Object.entries(stores))("refuses a write on %s, and creates nothing", async (_name, open) => {
  const store = await open();
  const local = openLocalService({ ...SEEDING, store });
  onTestFinished(() => local.close());
  await local.seed(contractOrganizations);
  await store.write((tx) => tx.write(sql`DELETE FROM organization_state`));
  const service = await local.service("northwind");
  const object = { moduleKey: "staffing", objectKey: "candidate" };
  await expect(service.createForm({ ...object, body: { name: "Intake", types: ["VIEW"] } })).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    message: expect.stringContaining("has no row in organization_state"),
    hint: "List all damage: formctl local check",
  });
  expect((await service.listForms(object)).data).toEqual([]);
});
