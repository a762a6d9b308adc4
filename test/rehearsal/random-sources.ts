/**
 * Random promotions and transforms of migrations, for a target with random forms and layouts. Most of their plans are
 * not checked against the fields of the target before the rehearsal: then only the rehearsal finds their refusals.
 */

import type { DraftContent } from "../../src/schemas/draft.ts";
import type { Block, StagedField } from "../../src/schemas/draft.ts";
import { DEFAULT_KEY, type Mode, MODES } from "../../src/schemas/words.ts";
import type { About, FormMembers, Transform } from "../../src/migrations/definition.ts";
import { transformProject } from "../../src/migrations/transform.ts";
import type { Project, ProjectHost } from "../../src/project/project.ts";
import { preparePromotion } from "../../src/promotion/promote.ts";
import type { Rehearse } from "../../src/rehearsal/rehearsal.ts";
import { type ProjectTarget, serverTarget, storeTarget } from "../../src/state/target.ts";
import { manifestOrganization, manifestReferences } from "../arbitraries/manifest-pages.ts";
import { definedMigration } from "../../src/migrations/defined.ts";
import { oneOf, type Random, randomPlan } from "./random-plan.ts";
import { ORGANIZATION, type View, type World } from "./random-world.ts";
import { refusalsOf } from "./compare.ts";

const MILESTONE = { moduleKey: "staffing", objectKey: "placement_milestone" };

type SeedObject = NonNullable<NonNullable<typeof manifestOrganization.modules>[number]["objects"]>[number];

/**
 * The organization that promotions come from. Unlike the target, it has a role and a field more, one required field
 * less, and an object whose forms the target refuses.
 */
export const sourceOrganization: typeof manifestOrganization = {
  ...manifestOrganization,
  roles: [...manifestOrganization.roles!, { id: "rol_auditor", key: "auditor", name: "Auditor" }],
  modules: manifestOrganization.modules!.map((module) => ({ ...module, objects: module.objects!.map(objectOfSource) })),
};

function objectOfSource({ key, name, fields = [], ...members }: SeedObject): SeedObject {
  // Its kind is REGULAR: it has no parent.
  if (key === MILESTONE.objectKey) return { key, name, fields };
  const own = fields.filter(({ type }) => type !== "SUBORDINATE_OBJECT_REFERENCE");
  if (key !== "candidate") return { ...members, key, name, fields: own };
  const optional = own.map((field) => (field.key === "email" ? { ...field, required: false } : field));
  return { ...members, key, name, fields: [...optional, { key: "nickname", name: "Nickname", type: "TEXT" }] };
}

/** Adds and changes random forms and layouts. */
export async function changeWorld(world: World, random: Random, plans = 1): Promise<void> {
  for (let left = plans; left > 0; left--) {
    const seen = { ...(await world.view()), subordinates: [MILESTONE] };
    await refusalsOf(randomPlan(random, seen, { isOutdated: false }), world.direct, world.now);
  }
}

/** Does to some forms what makes a plan outdated, as another user would. */
export async function outdate(world: World, random: Random): Promise<void> {
  const { direct } = world;
  for (const { id: formId, object, types, layout } of (await world.view()).forms) {
    const defaults = Object.fromEntries(types.map((mode) => [DEFAULT_KEY[mode], formId]));
    const calls = [
      () => direct.deleteForm({ ...object, formId }),
      () => direct.updateFormDefaults({ ...object, body: defaults }),
      () =>
        direct.saveDraft({ layoutId: layout.id, body: { clientMutationId: `other ${random(1_000_000)}`, ...EMPTY } }),
      () => direct.replaceFormAccess({ ...object, formId, body: { users: [], roles: [] } }),
    ];
    await calls[random(8)]?.().catch(() => undefined);
  }
}

const EMPTY = {
  schemaVersion: 1 as const,
  regions: [{ key: "main", layout: "grid" as const, columns: 12 }],
  blocks: [],
};

export type SourceOptions = {
  random: Random;
  /** The folder of the project. */
  root: string;
  target: ProjectTarget;
  rehearse: Rehearse;
  now: () => Date;
};

/** Opens the target of a project. @param isChecked whether plans for a store are checked against its fields */
export function targetOf(
  world: World,
  root: string,
  { isServer, isChecked }: { isServer: boolean; isChecked: boolean },
): ProjectTarget {
  if (!isServer) {
    const store = storeTarget({ store: `${root}/store.db`, local: world.local, organization: ORGANIZATION });
    const unknown = { source: "left out" };
    return isChecked
      ? store
      : { ...store, knowledge: async () => ({ ...(await store.knowledge()), knowledge: unknown }) };
  }
  return serverTarget({
    baseUrl: "http://127.0.0.1:1",
    service: world.client,
    // The id of the role is outdated: the organization has no such role.
    references: { ...manifestReferences, roles: { ...manifestReferences.roles, Auditor: "rol_none" } },
  });
}

/** Promotes some forms and layouts of the source, or all of them. */
export async function openPromotion(
  source: World,
  { random, root, target, rehearse, now }: SourceOptions,
): Promise<Project> {
  const { forms, layouts } = await source.view();
  const from = storeTarget({ store: `${root}/source.db`, local: source.local, organization: ORGANIZATION });
  const form = forms.length > 0 && random(4) > 0 ? oneOf(random, forms) : undefined;
  const layout = layouts.length > 0 && random(3) === 0 ? oneOf(random, layouts) : undefined;
  const { project } = await preparePromotion(
    {
      root,
      from: { name: "source", target: from },
      to: { name: "target", target },
      selection: {
        ...(form && { forms: [{ ...form.object, form: form.id }] }),
        ...(layout && { layouts: [layout.id] }),
      },
      concurrency: 1,
      rehearse,
    },
    hostOf(now),
  );
  return project;
}

/** Transforms the forms and layouts of the target, each with a random edit. */
export function openTransform(view: View, { random, root, target, rehearse, now }: SourceOptions): Project {
  const ids = [...view.forms, ...view.layouts].map(({ id }) => id);
  const edits = new Map(ids.map((id) => [id, { layout: random(9), form: random(9), value: random(1_000_000) }]));
  const editOf = ({ formId, layoutId }: About) => edits.get(formId ?? layoutId ?? "");
  const transform: Transform = {
    ...(random(3) > 0 && {
      layout: (content, about) => editedContent(content, view, editOf(about)),
    }),
    ...(random(3) === 0 && { form: (form, about) => editedForm(form, view, editOf(about)) }),
  };
  if (!transform.layout && !transform.form) transform.form = (form, about) => editedForm(form, view, editOf(about));
  const code = definedMigration(transform);
  const allowReplace = random(2) === 0;
  return transformProject({ root, target, rehearse, transform, code, allowReplace, concurrency: 1 }, hostOf(now));
}

type Edit = { layout: number; form: number; value: number } | undefined;

/** Returns a content that the target may refuse. Half of the contents stay as they are. */
function editedContent(content: DraftContent, view: View, edit: Edit): DraftContent | null {
  if (!edit) return null;
  const { blocks, stagedFieldDefinitions } = content;
  const field = (key: string): Block => ({
    id: `b_${edit.value}`,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey: key },
    regionKey: "main",
  });
  const key = [...view.optionalKeys, ...view.requiredKeys][edit.value % 7] ?? "notes";
  const staging = (staged: StagedField): DraftContent => ({
    ...content,
    blocks: blocks.filter(({ ref }) => staged.action !== "delete" || ref?.fieldKey !== key),
    stagedFieldDefinitions: [...stagedFieldDefinitions, staged],
  });
  switch (edit.layout) {
    case 0:
      return { ...content, blocks: [...blocks, field("no_such_field")] };
    case 1:
      return { ...content, blocks: blocks.filter(({ ref }) => !view.requiredKeys.includes(ref?.fieldKey ?? "")) };
    case 2:
      // A block twice: a check refuses the whole plan, so this edit is rare.
      return edit.value % 6 === 0 ? { ...content, blocks: [...blocks, ...blocks.slice(0, 1)] } : null;
    case 3:
      return staging({ draftId: `d_${edit.value}`, action: "delete", key });
    case 4:
      return staging({ draftId: `d_${edit.value}`, action: "update", key, type: "NUMBER" });
    case 5:
      return { ...content, blocks: [...blocks, field(key)] };
    default:
      return null;
  }
}

/** Returns members of a form that the target may refuse. Half of the forms stay as they are. */
function editedForm(form: FormMembers, view: View, edit: Edit): FormMembers | null {
  if (!edit) return null;
  const modes = MODES.filter((_, index) => (edit.value >> index) % 2 === 0);
  const types = modes.length > 0 ? modes : [...MODES];
  switch (edit.form) {
    case 0:
      return { ...form, types };
    case 1:
      return { ...form, isActive: false };
    case 2:
      return { ...form, defaultFor: form.types.filter((mode) => types.includes(mode as Mode)) };
    case 3:
      return {
        ...form,
        access: { users: [], roles: [{ roleId: view.wrongRoleIds[edit.value % 2]!, types: form.types }] },
      };
    case 4:
      return { ...form, access: { users: [], roles: [{ roleId: view.roleIds[0]!, types: form.types }] } };
    case 5:
      return { ...form, isPublic: edit.value % 2 === 0, config: { title: `Title ${edit.value}` } };
    default:
      return null;
  }
}

function hostOf(now: () => Date): ProjectHost {
  return {
    env: {},
    readFile: async (path) => {
      throw new Error(`nothing reads ${path}`);
    },
    now,
    sleep: async () => undefined,
    processes: async () => {
      throw new Error("nothing locks the project");
    },
  };
}
