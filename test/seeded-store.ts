/** Stores that hold organizations. Each is seeded once in a file of tests: its copies are there many times sooner. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LocalOptions, openLocalService } from "../src/engine/local.ts";
import type { OrganizationFile } from "../src/schemas/organization.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { uploadFiles } from "../src/store/uploads.ts";
import { temporaryFolder } from "./temporary.ts";

/**
 * @param how what a new store is seeded with, beside the organizations
 * @returns a function that puts such a store in a path where none is
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
  // What is closed stands in one file.
  await local.close();
  const bytes = readFileSync(path);
  folder.remove();
  return bytes;
}
