/** Stores with organizations. A store is seeded once for each test file. Then copies are made, which is much faster. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LocalOptions, openLocalService } from "../src/engine/local.ts";
import type { OrganizationFile } from "../src/schemas/organization.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { uploadFiles } from "../src/store/uploads.ts";
import { temporaryFolder } from "./temporary.ts";

/**
 * @param how the options of a new store
 * @returns a function that creates such a store at a new path
 */
export function seededStore(
  organizations: OrganizationFile,
  how: Pick<LocalOptions, "now" | "newId">,
): (path: string) => Promise<void> {
  let seeded: Promise<Buffer> | undefined;
  return async (path) => writeFileSync(path, await (seeded ??= seed(organizations, how)), { mode: 0o600 });
}

async function seed(organizations: OrganizationFile, how: Pick<LocalOptions, "now" | "newId">): Promise<Buffer> {
  const folder = temporaryFolder();
  const path = join(folder.path, "local.db");
  const local = openLocalService({ ...how, store: openSqlite(path, { create: true }), files: uploadFiles(path) });
  await local.seed(organizations);
  // A closed store is one file.
  await local.close();
  const bytes = readFileSync(path);
  folder.remove();
  return bytes;
}
