/** A script of writes. It compares each reported outcome with the actual outcome. */

import { describeFailure } from "../../src/composition/exit.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { FullService, Service } from "../../src/service.ts";

/** `client` is the tested service, and `direct` is the same service without a connection. `local` has the audit log. */
export type Stage = { client: Service; direct: FullService; local: LocalService; idle(): Promise<void> };

export type Report = {
  operation: OperationName;
  /** `0` for success, otherwise the code of the failure. */
  told: string;
  exitCode: number;
  effects: number;
  /** How the report differs from the effects. */
  lie?: string;
};

export const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
export const CONTENT = {
  schemaVersion: 1 as const,
  regions: [{ key: "main", label: "Main", layout: "grid" as const, columns: 12, displayOrder: 0 }],
  blocks: [
    {
      id: "name",
      type: "field" as const,
      source: "dynamic_field" as const,
      ref: { fieldKey: "full_name" },
      regionKey: "main",
      displayOrder: 0,
    },
  ],
};

/** @param name the name of the created records, different in each run */
export async function playScript(stage: Stage, name: string): Promise<Report[]> {
  const { client, direct, local } = stage;
  const reports: Report[] = [];
  let last = await lastSeq(local);
  /**
   * Makes a write through the client. If the write fails without effect, repeats it on the direct service: the later
   * writes need its effect.
   */
  const write = async <T>(
    operation: OperationName,
    by: (service: Service) => Promise<T>,
    isThere: (told: T) => Promise<boolean>,
  ): Promise<void> => {
    let acknowledged: { told: T } | undefined;
    let failure: unknown;
    try {
      acknowledged = { told: await by(client) };
    } catch (error) {
      failure = error;
    }
    await stage.idle();
    const done = (await local.log({ limit: 20 })).filter(({ seq }) => seq > last);
    const effects = done.filter((entry) => entry.operation === operation).length;
    last = done[0]?.seq ?? last;
    const { code, exitCode } = acknowledged ? { code: "0", exitCode: 0 } : describeFailure(failure);
    const lie = acknowledged
      ? effects !== 1
        ? `acknowledged, and done ${effects} times`
        : (await isThere(acknowledged.told))
          ? undefined
          : "acknowledged, and not there"
      : lieOf(code, exitCode, effects);
    reports.push({ operation, told: code, exitCode, effects, ...(lie && { lie: `${lie} (${code})` }) });
    if (acknowledged || effects > 0) return;
    await by(direct);
    last = await lastSeq(local);
  };

  await write(
    "createForm",
    (service) => service.createForm({ ...OBJECT, body: { name, types: ["VIEW"], isActive: true, isPublic: false } }),
    async ({ id }) => (await formNamed(direct, name)).id === id,
  );
  const form = await formNamed(direct, name);
  const path = { ...OBJECT, formId: form.id };
  const layoutId = form.viewLayoutId;
  const get = () => direct.getForm(path);
  const versions = () => direct.listVersions({ layoutId });

  await write(
    "updateForm",
    (service) => service.updateForm({ ...path, body: { config: { title: name } } }),
    async ({ config }) => config?.["title"] === name && (await get()).config?.["title"] === name,
  );
  await write(
    "saveDraft",
    (service) => service.saveDraft({ layoutId, body: { clientMutationId: `${name} draft`, ...CONTENT } }),
    async ({ draftVersionId }) => (await versions())[0]?.id === draftVersionId,
  );
  const draftVersionId = (await versions())[0]!.id;
  await write(
    "publishLayout",
    (service) => service.publishLayout({ layoutId, body: { clientMutationId: `${name} publish`, draftVersionId } }),
    async ({ versionId }) => versionId === draftVersionId && (await versions())[0]?.status === "PUBLISHED",
  );
  const roleId = await anyRole(local);
  const roles = [{ roleId, types: ["VIEW" as const] }];
  await write(
    "replaceFormAccess",
    (service) => service.replaceFormAccess({ ...path, body: { users: [], roles } }),
    async () => (await direct.getFormAccess(path)).roles.length === 1,
  );
  await write(
    "updateFormDefaults",
    (service) => service.updateFormDefaults({ ...OBJECT, body: { defaultViewFormId: form.id } }),
    async ({ defaultViewFormId }) => defaultViewFormId === form.id,
  );
  await write(
    "updateFormDefaults",
    (service) => service.updateFormDefaults({ ...OBJECT, body: { defaultViewFormId: null } }),
    async ({ defaultViewFormId }) => defaultViewFormId === null,
  );
  await write(
    "deleteForm",
    (service) => service.deleteForm(path),
    async () =>
      get().then(
        () => false,
        () => true,
      ),
  );
  return reports;
}

/** A failed write may have at most one effect, and only if its outcome is reported as unknown. */
export function lieOf(code: string, exitCode: number, effects: number): string | undefined {
  const mayBeDone = code === "OUTCOME_UNKNOWN" && exitCode === 7;
  if (effects > 1) return `done ${effects} times`;
  return effects === 1 && !mayBeDone ? "said to have failed, and done" : undefined;
}

/** Counts the executions of an operation after the audit entry `since`. */
export async function countEffects(local: LocalService, operation: OperationName, since: number): Promise<number> {
  return (await local.log({ operation, limit: 20 })).filter(({ seq }) => seq > since).length;
}

/** The number of the last audit entry. */
export async function lastSeq(local: LocalService): Promise<number> {
  return (await local.log({ limit: 1 }))[0]?.seq ?? 0;
}

export async function anyRole(local: LocalService): Promise<string> {
  const { organizations } = await local.show();
  return organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
}

export async function formNamed(direct: FullService, name: string) {
  const filters = { op: "and" as const, items: [{ field: "name" as const, operator: "eq" as const, value: name }] };
  const { data } = await direct.listForms({ ...OBJECT, query: { filters } });
  const [form] = data;
  if (!form) throw new Error(`there is no form ${name}`);
  return form;
}
