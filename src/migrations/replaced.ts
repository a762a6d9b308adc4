/** Records what the plan of a transform replaces, so that `down` can bring it back. */

import pMap from "p-map";
import { contentDigest, isInitialDraft, lossOf, settledDigest, withoutStamp } from "../contents/compare.ts";
import { holdersOf, toFormState, type ContentState, type FormState, surfaceOf } from "../state/state.ts";
import type { Reader } from "../state/reader.ts";
import { isRebase, type Plan, type PlannedResource, savesContent, type StepRequest } from "../plan/planned.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { Json } from "../schemas/json.ts";
import { layoutIdOf } from "../service.ts";
import type { FormMembers } from "./definition.ts";
import { memberDigests, membersAfter, membersOf, noNames } from "./form-members.ts";
import type { FormerDraft, Replaced } from "./record.ts";
import { formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";

export type ReplacedOptions = {
  reader: Reader;
  /** Contents that were already read, by layout id. */
  contents?: ReadonlyMap<string, ContentState>;
  /** The drafts that the plan saves again or publishes, by layout id. */
  drafts?: ReadonlyMap<string, FormerDraft>;
};

/**
 * Returns what a plan replaces. Call it before the plan is applied.
 *
 * @throws the errors of the service
 */
export async function readReplaced({ resources }: Plan, options: ReplacedOptions): Promise<Replaced[]> {
  const { reader, contents, drafts } = options;
  const { concurrency } = reader;
  const changed = resources.filter(({ steps }) => steps.length > 0);
  const forms = await readForms(changed, options);
  const replaced = await pMap(
    changed,
    async (resource): Promise<Replaced[]> => {
      const { address, kind, formId, layoutId } = resource;
      if (layoutId === undefined) return [];
      const ids = { address, kind, layoutId, ...(formId !== undefined && { formId }) };
      const members = formId === undefined ? undefined : forms.get(formId);
      forms.delete(formId ?? "");
      if (!writesContent(resource)) return [{ ...ids, publishedVersionId: null, written: {}, ...members }];
      const content = contents?.get(layoutId) ?? (await reader.content(layoutId, surfaceOf(resource.subject)));
      const draft = drafts?.get(layoutId);
      const ofContent = replacedContent(resource, content, draft !== undefined);
      return [
        {
          ...ids,
          ...members,
          ...ofContent,
          ...(draft && { [resource.steps.some(isRebase) ? "rebased" : "formerDraft"]: draft }),
          written: { ...ofContent.written, ...members?.written },
          ...listedLoss([...(ofContent.lost ?? []), ...(members?.lost ?? [])]),
        },
      ];
    },
    { concurrency },
  );
  // The remaining forms are not in the plan. They change because they lose their default to a form of the plan.
  return [...replaced.flat(), ...forms.values()];
}

function writesContent({ steps }: PlannedResource): boolean {
  return steps.some(({ request: { operation } }) => operation === "saveDraft" || operation === "publishLayout");
}

type ReplacedContent = Pick<Replaced, "publishedVersionId" | "draft" | "sha256" | "written" | "lost">;

/** @param keepsDraft whether the plan saves the draft again or publishes it */
function replacedContent(
  { steps, subject }: PlannedResource,
  { published, draft }: ContentState,
  keepsDraft: boolean,
): ReplacedContent {
  const surface = surfaceOf(subject);
  const requests = steps.map(({ request }) => request);
  const save = requests.find(savesContent);
  const publishes = requests.some(({ operation }) => operation === "publishLayout");
  const after = save ? withoutStamp(save.content) : draft?.content;
  const publishedVersionId = published?.id ?? null;
  if (!after) return { publishedVersionId, written: {} };
  if (!publishes) {
    const before = draft && withoutStamp(draft.content);
    return {
      publishedVersionId,
      ...(before && { draft: before as unknown as Json, sha256: contentDigest(before) }),
      written: { sha256: contentDigest(after) },
    };
  }
  const isDraftLost =
    save &&
    !keepsDraft &&
    draft &&
    published &&
    !isInitialDraft(draft, published) &&
    !isSame(draft.content, [published.content, after]);
  return {
    publishedVersionId,
    ...(published && { sha256: contentDigest(published.content) }),
    written: { sha256: settledDigest(after, surface) },
    ...listedLoss([
      ...after.stagedFieldDefinitions.flatMap(lossOfStaged),
      ...(isDraftLost ? [`the unpublished draft ${draft.id}: ${lossOf(draft.content, published.content)}`] : []),
    ]),
  };
}

function isSame(content: DraftContent, others: readonly DraftContent[]): boolean {
  const digest = contentDigest(content);
  return others.some((other) => contentDigest(other) === digest);
}

function listedLoss(lost: readonly string[]): { lost?: readonly string[] } {
  return lost.length === 0 ? {} : { lost };
}

/** Returns the effects of a staged field change that can't be reverted. */
function lossOfStaged(staged: DraftContent["stagedFieldDefinitions"][number]): string[] {
  const { action, key, existingFieldDefinitionId, draftId, type } = staged;
  const field = `the field ${key ?? existingFieldDefinitionId ?? draftId}`;
  if (action === "create") return [`${field}, which the migration created, stays with its values`];
  if (action === "delete") return [`${field}, which the migration deleted, and its values`];
  if (action === "update") {
    const values = type === undefined ? "" : ", and the values that a change of its type cleared";
    return [`the former definition of ${field}${values}`];
  }
  return [];
}

type ReplacedMembers = Pick<Replaced, "members" | "written" | "lost">;

/**
 * Returns the members that the plan changes, by form id. Includes forms outside the plan that lose their default to a
 * form of the plan.
 */
async function readForms(
  changed: readonly PlannedResource[],
  { reader }: ReplacedOptions,
): Promise<Map<string, Replaced>> {
  const planned = new Map(
    changed.flatMap((resource) =>
      resource.formId !== undefined && resource.steps.some(({ request }) => MEMBER_STEPS.has(request.operation))
        ? [[resource.formId, resource] as const]
        : [],
    ),
  );
  const objects = new Map(
    [...planned.values()].flatMap(({ object }) => (object ? [[objectText(object), object]] : [])),
  );
  const lists = await reader.forms([...objects.values()]);
  const replaced = new Map<string, Replaced>();
  await pMap(
    [...objects.values()].flatMap((object, index) =>
      withFormerDefaults(object, lists[index]!.map(toFormState), planned),
    ),
    async ({ object, state: listed, steps, takenModes }) => {
      const form = await reader.form(object, listed.listed);
      const access = needsAccess(steps) ? await reader.access(object, form.id) : undefined;
      const state: FormState = { ...listed, form, access };
      const before = membersOf(object, state, noNames);
      const after = membersAfter(state, object, steps);
      if (Array.isArray(after["defaultFor"]))
        after["defaultFor"] = after["defaultFor"].filter((mode) => !takenModes.has(String(mode)));
      const { name, id: formId } = form;
      replaced.set(formId, {
        address: formAddress(objectText(object), name),
        kind: "Form",
        layoutId: layoutIdOf(form),
        formId,
        publishedVersionId: null,
        ...changedMembers(before, after),
      });
    },
    { concurrency: reader.concurrency },
  );
  return replaced;
}

const MEMBER_STEPS: ReadonlySet<StepRequest["operation"]> = new Set([
  "updateForm",
  "replaceFormAccess",
  "updateFormDefaults",
]);

type FormSteps = {
  object: ObjectKey;
  state: FormState;
  steps: PlannedResource["steps"];
  /** The modes for which this form is the default, until the steps of another form take the default. */
  takenModes: ReadonlySet<string>;
};

function withFormerDefaults(
  object: ObjectKey,
  states: readonly FormState[],
  planned: ReadonlyMap<string, PlannedResource>,
): FormSteps[] {
  const holders = holdersOf(states);
  const taken = new Map<string, Set<string>>();
  for (const { form } of states) {
    for (const { request } of planned.get(form.id)?.steps ?? []) {
      if (request.operation !== "updateFormDefaults") continue;
      for (const mode of request.take) {
        const holder = holders.get(mode)?.form.id;
        if (holder !== undefined && holder !== form.id) taken.set(holder, (taken.get(holder) ?? new Set()).add(mode));
      }
    }
  }
  return states
    .filter(({ form: { id } }) => planned.has(id) || taken.has(id))
    .map((state) => {
      const { id } = state.form;
      return { object, state, steps: planned.get(id)?.steps ?? [], takenModes: taken.get(id) ?? new Set() };
    });
}

/** Whether steps change the access of a form: directly, or because they remove modes. */
function needsAccess(steps: PlannedResource["steps"]): boolean {
  return steps.some(
    ({ phase, request }) =>
      request.operation === "replaceFormAccess" || (request.operation === "updateForm" && phase === "narrow"),
  );
}

function changedMembers(before: FormMembers, after: FormMembers): ReplacedMembers {
  const [old, now] = [memberDigests(before), memberDigests(after)];
  const names = Object.keys(now).filter((member) => old[member] !== now[member]);
  const lost =
    before["isPublic"] === true && after["isPublic"] === false
      ? ["its former public link: a new one has another address"]
      : [];
  return {
    members: Object.fromEntries(names.map((member) => [member, (before[member] ?? null) as Json])),
    written: { members: Object.fromEntries(names.map((member) => [member, now[member]!])) },
    ...listedLoss(lost),
  };
}
