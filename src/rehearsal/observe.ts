/** Reads the facts that a plan may change as a consequence of its steps. The facts are read from a copy. */

import type { LocalService } from "../local-service.ts";
import { MissingObjects, withReader } from "../state/reader.ts";
import { type Plan, type PlannedResource, savesContent, type StepRequest } from "../plan/planned.ts";
import type { AccessAnswer, FormListedAnswer, LayoutAnswer } from "../schemas/answers.ts";
import { customFieldKey, type FieldView } from "../schemas/organization.ts";
import { type FullService, readLayout, ServiceError } from "../service.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

/** A field and its address, such as `staffing/candidate/seniority` or `CONTRACTOR/vat_id`. */
export type ObservedField = FieldView & { address: string };

/** A form with the address of its object. */
type ObservedForm = FormListedAnswer & { object: string };

export type Observation = {
  /**
   * The forms by id, each with its object. If the plan changes fields, all forms of the objects. Otherwise the forms of
   * the plan, and the default forms of their objects.
   */
  forms: ReadonlyMap<string, ObservedForm>;
  /** The layouts of the plan that no form owns, by id. */
  layouts: ReadonlyMap<string, LayoutAnswer>;
  /** The access of forms that may lose modes, by the id of the form. */
  access: ReadonlyMap<string, AccessAnswer>;
  /** The fields of the organization, by id. Empty if the plan changes no fields. */
  fields: ReadonlyMap<string, ObservedField>;
  /** The number of uploaded files of forms that the plan deletes, by the id of the form. */
  uploads: ReadonlyMap<string, number>;
};

export type Observed = {
  copy: LocalService;
  service: FullService;
  organizationKey: string | undefined;
  plan: Plan;
  concurrency: number;
};

export async function observe({ copy, service, organizationKey, plan, concurrency }: Observed): Promise<Observation> {
  const changed = plan.resources.filter(({ steps }) => steps.length > 0);
  const forms = await formsOf(
    service,
    Map.groupBy(changed.filter(isForm), ({ object }) => objectText(object)),
    {
      // A changed field may change the availability of all forms of its object.
      areAll: changed.some(changesFields),
      concurrency,
    },
  );
  const layouts = new Map<string, LayoutAnswer>();
  const access = new Map<string, AccessAnswer>();
  const uploads = new Map<string, number>();
  for (const { kind, object, formId, layoutId, steps } of changed) {
    if (kind === "Layout" && layoutId !== undefined) {
      const layout = await readLayout(service, layoutId);
      if (layout) layouts.set(layoutId, layout);
    }
    if (!object || formId === undefined || !forms.has(formId)) continue;
    if (losesAccess(steps)) access.set(formId, await accessOf(service, object, formId));
    if (steps.some(({ request }) => request.operation === "deleteForm")) {
      uploads.set(formId, (await copy.listUploads(formId)).length);
    }
  }
  return {
    forms,
    layouts,
    access,
    fields: changed.some(changesFields) ? await readFields(copy, organizationKey) : new Map(),
    uploads,
  };
}

type FormResource = PlannedResource & { object: ObjectKey };

export const isForm = (resource: PlannedResource): resource is FormResource => resource.object !== undefined;

/**
 * Lists the forms that the resources describe, and the default forms. With `areAll`, lists all forms of the objects. An
 * object that no longer exists has no forms.
 */
async function formsOf(
  service: FullService,
  resources: ReadonlyMap<string, readonly FormResource[]>,
  { areAll, concurrency }: { areAll: boolean; concurrency: number },
): Promise<Map<string, ObservedForm>> {
  const existing = [...resources];
  const needed = await Promise.all(
    existing.map(async ([, ofObject]) => ({
      object: ofObject[0]!.object,
      names: areAll ? undefined : await namesOf(service, ofObject),
      defaults: true,
    })),
  );
  try {
    const lists = await withReader(service, { concurrency }, (reader) => reader.neededForms(needed));
    return new Map(
      lists.flatMap(({ forms }, index) => {
        const [object] = existing[index]!;
        return forms.map((form) => [form.id, { ...form, object }] as const);
      }),
    );
  } catch (error) {
    if (!(error instanceof MissingObjects)) throw error;
    const missing = new Set(error.objects.map(objectText));
    const others = new Map(existing.filter(([text]) => !missing.has(text)));
    return formsOf(service, others, { areAll, concurrency });
  }
}

/** Returns the names in the plan and the current names of the forms in `resources`. */
async function namesOf(service: FullService, resources: readonly FormResource[]): Promise<Set<string>> {
  const names = new Set<string>();
  for (const { object, subject, formId } of resources) {
    names.add(subject.name);
    const form = formId === undefined ? undefined : await formIfAny(service, object, formId);
    if (form) names.add(form.name);
  }
  return names;
}

async function formIfAny(service: FullService, object: ObjectKey, formId: string) {
  try {
    return await service.getForm({ ...object, formId });
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  }
}

/** Whether a form may lose modes, and no step replaces its access rows. The service then trims the rows (R74). */
function losesAccess(steps: PlannedResource["steps"]): boolean {
  const has = (test: (request: StepRequest) => boolean) => steps.some(({ request }) => test(request));
  return (
    has((request) => request.operation === "updateForm" && request.body.types !== undefined) &&
    !has(({ operation }) => operation === "replaceFormAccess")
  );
}

function accessOf(service: FullService, object: ObjectKey, formId: string): Promise<AccessAnswer> {
  return service.getFormAccess({ ...object, formId });
}

/**
 * Whether a resource publishes staged changes of fields. The publish of an existing draft also counts: the plan does
 * not contain the draft.
 */
export function changesFields({ steps }: PlannedResource): boolean {
  const requests = steps.map(({ request }) => request);
  if (!requests.some(({ operation }) => operation === "publishLayout")) return false;
  const saved = requests.find(savesContent);
  return saved === undefined || saved.content.stagedFieldDefinitions.length > 0;
}

async function readFields(
  copy: LocalService,
  organizationKey: string | undefined,
): Promise<Map<string, ObservedField>> {
  const { organizations } = await copy.show(organizationKey);
  const fields = organizations.flatMap(({ modules, customFields }) => [
    ...modules.flatMap((module) =>
      module.objects.flatMap((object) =>
        object.fields.map((field) => ({ ...field, address: `${module.key}/${object.key}/${field.key}` })),
      ),
    ),
    ...customFields.map((field) => ({ ...field, address: customFieldKey(field) })),
  ]);
  return new Map(fields.map((field) => [field.id, field]));
}
