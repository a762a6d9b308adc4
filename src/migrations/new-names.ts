/**
 * Refuses creations while a target has no record of migrations, if the name already exists. The record was probably
 * deleted, and the migration created the form or layout before: it would create another one.
 */

import { isOrganizationLayout, listAllLayouts, pageKeyOf } from "../lists/layouts.ts";
import { FormctlError } from "../base/error.ts";
import { listFormsNamed } from "../lists/forms.ts";
import { isJsonObject } from "../schemas/json.ts";
import { type Service, unlessMissing } from "../service.ts";
import { quoted } from "../base/shell-quote.ts";
import type { PlannableMigration } from "./plan-migrations.ts";
import type { MigrationEntry } from "./record.ts";
import type { ScriptWrite } from "./loaded.ts";

/** Checks the writes of one run. Each name is checked once, so that a form which the run created is not found. */
export type NewNames = {
  /**
   * Checks a write before it is sent.
   *
   * @param former the entry of an earlier attempt, which may have created the form itself
   * @throws MIGRATION_RECORD_LOST if the write creates a form or layout that exists
   */
  require(migration: string, write: ScriptWrite, former: MigrationEntry | undefined): Promise<void>;
  /**
   * Checks the creations that are known before the run. These are the steps in YAML before the first step, script or
   * transform that may change names.
   *
   * @throws MIGRATION_RECORD_LOST
   */
  requireFirst(migrations: readonly PlannableMigration[]): Promise<void>;
};

/** The clocks of the server and of this machine may differ by this time. */
const SAME_TIME_MS = 60_000;
/** Maximum number of concurrent requests for layouts whose names the list omits. */
const LAYOUTS_AT_ONCE = 8;

export function newNames(service: Service): NewNames {
  const checked = new Set<string>();
  return {
    require,
    async requireFirst(migrations) {
      for (const { name, entry, loaded } of migrations) {
        const { writes, isWhole } = loaded?.firstWrites ?? { writes: [], isWhole: false };
        if (!entry) for (const write of writes) await require(name, write, undefined);
        if (!isWhole) return;
      }
    },
  };

  async function require(migration: string, write: ScriptWrite, former: MigrationEntry | undefined): Promise<void> {
    const creation = creationIn(write);
    if (!creation) return;
    const key = JSON.stringify(creation);
    if (checked.has(key)) return;
    const found = await findExisting(service, creation);
    const existing = found.find(({ createdAt }) => !former || isOlder(createdAt, former));
    if (existing) throw alreadyExists(migration, write.step, creation, existing.id);
    checked.add(key);
  }
}

type Target = { [key: string]: unknown };
/** The members that identify a new form or layout. */
type Creation =
  | { kind: "form"; moduleKey: string; objectKey: string; name: string }
  | { kind: "layout"; surface: string; target: Target; name: string };

/** Returns what a write creates. Undefined for another write, and for one that the service will refuse. */
function creationIn({ operation, input }: ScriptWrite): Creation | undefined {
  const { moduleKey, objectKey, body } = input;
  if (!isJsonObject(body)) return undefined;
  const { name, surface, target } = body;
  if (typeof name !== "string") return undefined;
  if (operation === "createForm" && typeof moduleKey === "string" && typeof objectKey === "string")
    return { kind: "form", moduleKey, objectKey, name };
  if (operation !== "createLayout" || typeof surface !== "string") return undefined;
  return { kind: "layout", surface, target: isJsonObject(target) ? target : {}, name };
}

type Existing = { id: string; createdAt?: string | undefined };

async function findExisting(service: Service, creation: Creation): Promise<readonly Existing[]> {
  const { name } = creation;
  if (creation.kind === "form") return (await unlessMissing(() => listFormsNamed(service, creation, name))) ?? [];
  const { surface } = creation;
  const layouts = (await listAllLayouts(service, new Set([surface]), LAYOUTS_AT_ONCE)) ?? [];
  const page = pageKeyOf(creation);
  return layouts
    .filter(isOrganizationLayout)
    .filter((layout) => layout.name === name && pageKeyOf({ ...layout, surface }) === page);
}

/** Whether a form existed before an attempt. False if its age is unknown. */
function isOlder(createdAt: string | undefined, { startedAt }: MigrationEntry): boolean {
  return Date.parse(createdAt ?? "") < Date.parse(startedAt) - SAME_TIME_MS;
}

function alreadyExists(migration: string, step: string, creation: Creation, id: string): FormctlError {
  const { kind, name } = creation;
  const owner = creation.kind === "form" ? `${creation.moduleKey}/${creation.objectKey}` : creation.surface;
  return new FormctlError(
    "MIGRATION_RECORD_LOST",
    `the target has no earlier record of migrations, but the ${kind} "${name}" of ${owner} (${id}), which step "${step}" of ${migration} creates, exists`,
    `If the migration ran before, declare it: formctl migrate baseline ${quoted(migration)}\nTo begin a new record, and create another ${kind} with this name: formctl migrate repair --allow-delete`,
  );
}
