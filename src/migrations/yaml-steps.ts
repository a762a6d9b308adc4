/** Runs the steps of a migration in YAML. A step finds the ids of its addresses, and calls an operation of the API. */

import { FormctlError, hasCode } from "../base/error.ts";
import { findForm } from "../lists/forms.ts";
import { isPageAddress } from "../lists/addresses.ts";
import { findLayout, listAllLayouts } from "../lists/layouts.ts";
import { contentOf, currentVersion, hasContent, wholeVersion } from "../lists/versions.ts";
import { sameContent } from "../contents/compare.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { isJsonObject, sameJson } from "../schemas/json.ts";
import { isIdentifier } from "../schemas/words.ts";
import { layoutIdOf, readLayout, type Service, unlessMissing } from "../service.ts";
import type { ScriptService, Step } from "./definition.ts";
import { findingStep } from "./record.ts";
import type { ScriptWrite } from "./loaded.ts";
import { type MigrationStep, STEP_OPERATIONS, type StepOperation } from "./migration-schema.ts";

type Input<O extends StepOperation> = NonNullable<MigrationStep[O]>;

/**
 * The ids that a step needs. The ids are recorded before the write of the step. A repeated step may have renamed or
 * deleted the form or layout before its interruption. Then the address in the step no longer exists.
 */
type Ids = { [name: string]: string };

/** `find` returns the ids for a step, and `send` calls the operation with these ids. */
type Operation<O extends StepOperation> = {
  find?: (service: Service, input: Input<O>) => Promise<Ids>;
  /**
   * Whether the address no longer has the recorded ids because `send` was already carried out. Absent if the operation
   * does not change what the address finds.
   */
  isCarriedOut?: (service: Service, input: Input<O>, ids: Ids) => Promise<boolean>;
  send: (service: ScriptService, input: Input<O>, ids: Ids) => Promise<unknown>;
};

const OPERATIONS: { [O in StepOperation]: Operation<O> } = {
  createForm: {
    send: (service, { object, body }) => service.createForm({ ...objectKeys(object), body }),
  },
  updateForm: {
    find: (service, { form }) => formIds(service, form),
    isCarriedOut: async (service, { form, body }, ids) => isNamed(await formNow(service, form, ids), body.name),
    send: (service, { body }, ids) => service.updateForm({ ...formPath(ids), body }),
  },
  deleteForm: {
    find: (service, { form }) => formIds(service, form),
    isCarriedOut: async (service, { form }, ids) => (await formNow(service, form, ids)) === undefined,
    send: (service, _input, ids) => service.deleteForm(formPath(ids)),
  },
  updateFormDefaults: {
    async find(service, { object, body }) {
      const named = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === "string");
      const ids = named.map(async ([member, form]) => {
        return [member, (await findForm(service, { ...objectKeys(object), form })).id] as const;
      });
      return Object.fromEntries(await Promise.all(ids));
    },
    send: (service, { object, body }, ids) =>
      service.updateFormDefaults({ ...objectKeys(object), body: { ...body, ...ids } }),
  },
  replaceFormAccess: {
    find: (service, { form }) => formIds(service, form),
    send: (service, { body }, ids) => service.replaceFormAccess({ ...formPath(ids), body }),
  },
  createLayout: {
    send: (service, { body }) => service.createLayout({ body }),
  },
  updateLayout: {
    find: layoutIds,
    isCarriedOut: async (service, { body }, ids) => isNamed(await layoutNow(service, ids), body.name),
    send: (service, { body }, { layoutId = "" }) => service.updateLayout({ layoutId, body }),
  },
  saveDraft: {
    find: layoutIds,
    async send(service, { body }, { layoutId = "" }) {
      const { draftVersionId } = await service.saveDraft({ layoutId, body });
      return { draftVersionId };
    },
  },
  publishLayout: {
    async find(service, { layout }) {
      const layoutId = await findLayoutId(service, layout);
      const draft = await currentVersion(service, layoutId, "draft", await service.listVersions({ layoutId }));
      if (draft) return { layoutId, draftVersionId: draft.id };
      throw new FormctlError(
        "NOT_FOUND",
        `the layout ${layout} has no draft to publish`,
        "Save a draft in an earlier step.",
      );
    },
    async isCarriedOut(service, { layout }, { layoutId, draftVersionId }) {
      if (layoutId === undefined || layoutId !== (await findLayoutId(service, layout))) return false;
      return (await service.listVersions({ layoutId })).some(({ id }) => id === draftVersionId);
    },
    async send(service, { confirmFieldChanges = [] }, { layoutId = "", draftVersionId = "" }) {
      const { versionId } = await service.publishLayout({ layoutId, body: { draftVersionId, confirmFieldChanges } });
      return { versionId };
    },
  },
  restoreDraft: {
    find: layoutIds,
    async send(service, { versionId }, { layoutId = "" }) {
      const { draftVersionId } = await service.restoreDraft({ layoutId, versionId, body: {} });
      return { draftVersionId };
    },
  },
  replaceAssignments: {
    find: layoutIds,
    send: (service, { body }, { layoutId = "" }) => service.replaceAssignments({ layoutId, body }),
  },
  archiveLayout: {
    find: layoutIds,
    isCarriedOut: async (service, _input, ids) => (await layoutNow(service, ids)) === undefined,
    send: (service, _input, { layoutId = "" }) => service.archiveLayout({ layoutId }),
  },
};

/** The operations after which a name may be free that exists before the migration. */
const FREE_NAMES: readonly StepOperation[] = ["updateForm", "deleteForm", "updateLayout", "archiveLayout"];

/** Returns the creations before the first step that may free a name. */
export function firstWrites(steps: readonly MigrationStep[]): { writes: ScriptWrite[]; isWhole: boolean } {
  const end = steps.findIndex((item) => FREE_NAMES.some((operation) => item[operation] !== undefined));
  const first = end === -1 ? steps : steps.slice(0, end);
  const writes = first.flatMap(({ name, createForm, createLayout }): ScriptWrite[] => {
    if (createForm) {
      const { object, body } = createForm;
      return [{ step: name, operation: "createForm", input: { ...objectKeys(object), body } }];
    }
    return createLayout ? [{ step: name, operation: "createLayout", input: createLayout }] : [];
  });
  return { writes, isWhole: end === -1 };
}

export function operationOf(item: MigrationStep): StepOperation {
  return STEP_OPERATIONS.find((each) => item[each] !== undefined)!;
}

/**
 * Runs a step. If the step has addresses, another step runs first and records the ids of these addresses.
 *
 * @param earlier the steps that precede this one in the file
 * @throws MIGRATIONS_OUT_OF_STEP if the record has other ids than the addresses, or if the draft to publish is not that
 *   of an earlier step. Users who may write layouts can change the record and the draft
 */
export async function runYamlStep(
  service: ScriptService,
  step: Step,
  item: MigrationStep,
  earlier: readonly MigrationStep[],
): Promise<void> {
  const { name } = item;
  const operation = operationOf(item);
  const { find, isCarriedOut, send } = OPERATIONS[operation] as Operation<StepOperation>;
  const input = item[operation] as Input<StepOperation>;
  if (!find) return void (await step(name, () => send(service, input, {})));
  let isRecorded = true;
  const ids = await step(findingStep(name), () => {
    isRecorded = false;
    return find(service, input);
  });
  await step(name, async () => {
    if (isRecorded && !(await isOfAddress(ids))) throw otherIds(name, ids);
    if (item.publishLayout) await requireOwnDraft(service, item.publishLayout.layout, ids, earlier);
    return send(service, input, ids);
  });

  async function isOfAddress(recorded: Ids): Promise<boolean> {
    if (!isJsonObject(recorded) || !Object.values(recorded).every(isIdentifier)) return false;
    return (await isFound(recorded)) || (await isCarriedOut?.(service, input, recorded)) === true;
  }

  async function isFound(recorded: Ids): Promise<boolean> {
    try {
      return sameJson(await find!(service, input), recorded);
    } catch (error) {
      if (hasCode(error, "NOT_FOUND", "AMBIGUOUS_NAME")) return false;
      throw error;
    }
  }
}

/**
 * Requires that the draft to publish has the content that an earlier step of the file saves. Without such a step, or on
 * a server that does not show the draft, nothing is required. A published draft was checked before.
 */
async function requireOwnDraft(
  service: Service,
  layout: string,
  { layoutId = "", draftVersionId }: Ids,
  earlier: readonly MigrationStep[],
): Promise<void> {
  const last = earlier.findLast((each) => (each.saveDraft ?? each.restoreDraft)?.layout === layout);
  const draft = await currentVersion(service, layoutId, "draft", await service.listVersions({ layoutId }));
  if (!last?.saveDraft || draft?.id !== draftVersionId || !draft) return;
  const whole = await wholeVersion(service, layoutId, draft);
  if (!hasContent(whole) || sameContent(contentOf(last.saveDraft.body), contentOf(whole))) return;
  throw new FormctlError(
    "MIGRATIONS_OUT_OF_STEP",
    `the draft ${draft.id} of ${layout} has another content than step "${last.name}" saves`,
    "Another user saved it, or changed the record of migrations. Compare the draft with the step. To remove the entry, move the file away: formctl migrate repair --allow-delete",
  );
}

function otherIds(name: string, ids: unknown): FormctlError {
  return new FormctlError(
    "MIGRATIONS_OUT_OF_STEP",
    `the record of step "${name}" has other ids than its address: ${JSON.stringify(ids)}`,
    "Another user renamed or replaced the form or layout, or changed the record. Compare the target with the steps. To remove the entry, move the file away: formctl migrate repair --allow-delete",
  );
}

/** Returns a form of the object of an address. Undefined if it does not exist. */
async function formNow(service: Service, address: string, ids: Ids): Promise<{ name: string } | undefined> {
  const { moduleKey, objectKey } = objectKeys(address);
  if (ids["moduleKey"] !== moduleKey || ids["objectKey"] !== objectKey) return { name: "" };
  return unlessMissing(() => service.getForm(formPath(ids)));
}

/** Returns a layout. Undefined if it does not exist or is archived. */
async function layoutNow(service: Service, { layoutId = "" }: Ids): Promise<LayoutAnswer | undefined> {
  const listed = (await listAllLayouts(service)) ?? [];
  const layout = listed.find(({ id }) => id === layoutId) ?? (await readLayout(service, layoutId));
  return layout?.status === "ARCHIVED" ? undefined : layout;
}

function isNamed(resource: { name?: string | undefined } | undefined, name: string | undefined): boolean {
  return resource === undefined || (name !== undefined && resource.name === name);
}

function objectKeys(object: string): { moduleKey: string; objectKey: string } {
  const [moduleKey = "", objectKey = ""] = object.split("/");
  return { moduleKey, objectKey };
}

async function formIds(service: Service, address: string): Promise<Ids> {
  const { moduleKey, objectKey } = objectKeys(address);
  const form = address.slice(moduleKey.length + objectKey.length + 2);
  const { id: formId } = await findForm(service, { moduleKey, objectKey, form });
  return { moduleKey, objectKey, formId };
}

function formPath({ moduleKey = "", objectKey = "", formId = "" }: Ids) {
  return { moduleKey, objectKey, formId };
}

async function layoutIds(service: Service, { layout }: { layout: string }): Promise<Ids> {
  return { layoutId: await findLayoutId(service, layout) };
}

/**
 * Returns the id of a layout.
 *
 * @param address one of these texts:
 * - the address of the form that owns the layout
 * - the address of a layout without a form, such as `CONTRACTOR/Contractor card`
 * - an id, which has no slash
 *
 * @throws NOT_FOUND, AMBIGUOUS_NAME, and the errors of the service
 */
async function findLayoutId(service: Service, address: string): Promise<string> {
  if (!address.includes("/")) return address;
  const isForm = address.split("/").length > 2 && !isPageAddress(address);
  if (!isForm) return (await findLayout(service, address)).id;
  return layoutIdOf(await service.getForm(formPath(await formIds(service, address))));
}
