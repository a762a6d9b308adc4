/**
 * The kinds of races of requests, by name. Each race creates records, and returns the actors whose requests compete for
 * these records.
 */

import type { Actor, Race, Random, Scene, Step } from "./races.ts";
import { type Json, type Mode, MODES } from "../model/records.ts";

const OBJECT = { moduleKey: "staffing", objectKey: "candidate" };
const ALL = [...MODES];

type Form = { formId: string; layoutId: string; draftId: string };

const one = <T>(list: readonly T[], random: Random): T => list[random(list.length)]!;

/** Returns 2 to 8 actors with one request each. */
function crowd(random: Random, make: (index: number) => Step): Actor[] {
  return Array.from({ length: 2 + random(7) }, (_, index) => [make(index)]);
}

/** Returns two actors with requests that exclude each other. At most six more actors have a request of either kind. */
function contest(random: Random, first: (index: number) => Step, second: (index: number) => Step): Actor[] {
  const others = Array.from({ length: random(7) }, (_, index) => (random(2) === 0 ? first : second)(index + 2));
  return [[first(0)], [second(1)], ...others.map((step) => [step])];
}

async function newForm(scene: Scene, types: readonly Mode[] = ALL): Promise<Form> {
  const body = { name: "Intake", types };
  const form = await scene.ask<{ id: string; viewLayoutId: string }>("createForm", { ...OBJECT, body });
  const layout = await scene.ask<{ latestDraftVersionId: string }>("getLayout", { layoutId: form.viewLayoutId });
  return { formId: form.id, layoutId: form.viewLayoutId, draftId: layout.latestDraftVersionId };
}

/** Returns a content that can be published. `by` distinguishes the contents of different drafts. */
function content(by: string): Json {
  const block = { type: "field", source: "dynamic_field", regionKey: "main", displayOrder: 0 };
  return {
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} }],
    blocks: [{ ...block, id: "b_1", ref: { fieldKey: "full_name" }, requiredPolicy: "required" }],
    metadata: { by },
  };
}

const save = (layoutId: string, id: string, more: Json = {}): Step => ({
  operation: "saveDraft",
  input: { layoutId, body: { clientMutationId: id, ...content(id), ...more } },
});

const publish = (layoutId: string, id: string, draftVersionId: string, more: Json = {}): Step => ({
  operation: "publishLayout",
  input: { layoutId, body: { clientMutationId: id, draftVersionId, ...more } },
});

const restore = (layoutId: string, id: string, versionId: string): Step => ({
  operation: "restoreDraft",
  input: { layoutId, versionId, body: { clientMutationId: id } },
});

const ofForm = (operation: string, formId: string, body?: Json): Step => ({
  operation,
  input: { ...OBJECT, formId, ...(body && { body }) },
});

const setDefault = (formId: string | null, mode: Mode): Step => {
  const member = { CREATE: "defaultCreateFormId", VIEW: "defaultViewFormId", EDIT: "defaultEditFormId" }[mode];
  return { operation: "updateFormDefaults", input: { ...OBJECT, body: { [member]: formId } } };
};

/** Creates a form. Its layout has a published version, and a draft that can be published. */
async function withVersions(scene: Scene): Promise<Form & { versionId: string }> {
  const { formId, layoutId } = await newForm(scene);
  const draft = async (id: string) => {
    const { operation, input } = save(layoutId, id);
    return (await scene.ask<{ draftVersionId: string }>(operation, input)).draftVersionId;
  };
  const versionId = await draft("first");
  const { operation, input } = publish(layoutId, "first", versionId);
  await scene.ask(operation, input);
  return { formId, layoutId, versionId, draftId: await draft("second") };
}

async function newPage(scene: Scene, supportedModes: readonly Mode[] = ALL): Promise<{ id: string; draftId: string }> {
  const body = { surface: "CONTRACTOR", target: {}, supportedModes, name: "Page" };
  const layout = await scene.ask<{ id: string; latestDraftVersionId: string }>("createLayout", { body });
  return { id: layout.id, draftId: layout.latestDraftVersionId };
}

const assign = (layoutId: string, id: string, organizationDefault: boolean): Step => ({
  operation: "replaceAssignments",
  input: { layoutId, body: { clientMutationId: id, organizationDefault, roles: [{ roleId: "recruiter-1" }] } },
});

export const RACES: Record<string, Race> = {
  "publishes of one draft": async (scene, random) => {
    const { layoutId, draftId } = await withVersions(scene);
    return crowd(random, (index) => publish(layoutId, `p${index}`, draftId));
  },

  "publish, save and restore": async (scene, random) => {
    const { layoutId, versionId, draftId } = await withVersions(scene);
    const writes = [
      (index: number) => publish(layoutId, `w${index}`, draftId),
      (index: number) => save(layoutId, `w${index}`),
      (index: number) => save(layoutId, `w${index}`, { expectedDraftVersionId: draftId }),
      (index: number) => restore(layoutId, `w${index}`, versionId),
      (index: number) => publish(layoutId, `w${index}`, versionId),
    ];
    return contest(random, writes[0]!, (index) => one(writes.slice(1), random)(index));
  },

  "defaults, modes, access and deletion": async (scene, random) => {
    const { formId } = await newForm(scene);
    const mode = one(MODES, random);
    const loses = ofForm("updateForm", formId, { types: ALL.filter((each) => each !== mode) });
    const grants = ofForm("replaceFormAccess", formId, {
      users: [{ membershipId: "ana-1", types: [mode] }],
      roles: [{ roleId: "manager-1", types: ALL }],
    });
    const removes = one([ofForm("deleteForm", formId), loses], random);
    return contest(
      random,
      () => removes,
      () => one([setDefault(formId, mode), grants], random),
    );
  },

  "deletion and writes to the layout": async (scene, random) => {
    const { formId, layoutId, versionId, draftId } = await withVersions(scene);
    const writes = [
      (index: number) => publish(layoutId, `w${index}`, draftId),
      (index: number) => save(layoutId, `w${index}`),
      (index: number) => restore(layoutId, `w${index}`, versionId),
    ];
    return contest(
      random,
      () => ofForm("deleteForm", formId),
      (index) => one(writes, random)(index),
    );
  },

  "one id of eight callers": async (scene, random) => {
    const { formId, layoutId } = await newForm(scene);
    const body = (name: string) => ({ name, types: ["VIEW"] });
    const key = { idempotencyKey: "key" };
    const step = one<(isOther: boolean) => Step>(
      [
        (isOther) => ({ operation: "createForm", input: { ...OBJECT, body: body(isOther ? "B" : "A") }, ...key }),
        (isOther) => save(layoutId, "key", { metadata: { isOther } }),
        () => ({ ...ofForm("deleteForm", formId), ...key }),
        (isOther) => ({ ...ofForm("updateForm", formId, { name: isOther ? "B" : "A" }), ...key }),
      ],
      random,
    );
    return Array.from({ length: 8 }, (): Actor => {
      const request = step(random(8) === 0);
      // A caller sends a request again if the answer is lost.
      if (random(3) > 0) return [request];
      return [{ ...request, cut: one(["before", "during", "after"] as const, random) }, request];
    });
  },

  "a caller that was stopped": async (scene, random) => {
    const { layoutId, versionId, draftId } = await withVersions(scene);
    const held = one(
      [
        save(layoutId, "held", { expectedDraftVersionId: draftId }),
        publish(layoutId, "held", draftId, { expectedPublishedVersionId: versionId }),
      ],
      random,
    );
    const stopped: Actor = [
      { operation: "getLayout", input: { layoutId } },
      { ...held, isHeld: true },
    ];
    const writes = [
      (index: number) => publish(layoutId, `w${index}`, draftId),
      (index: number) => save(layoutId, `w${index}`),
    ];
    return [stopped, ...crowd(random, (index) => one(writes, random)(index)).slice(1)];
  },

  "archive, publish, assign and deactivate": async (scene, random) => {
    const [first, second] = [await newPage(scene), await newPage(scene, ["VIEW"])];
    const { formId } = await newForm(scene);
    const assigns = (index: number) => assign(one([first.id, second.id], random), `w${index}`, random(4) > 0);
    const contests = [
      contest(
        random,
        () => ({ operation: "archiveLayout", input: { layoutId: first.id } }),
        (index) => one([assigns(index), publish(first.id, `w${index}`, first.draftId)], random),
      ),
      contest(random, (index) => assign(first.id, `w${index}`, true), assigns),
      contest(
        random,
        () => ofForm("updateForm", formId, { isActive: false }),
        () => one([setDefault(formId, one(MODES, random)), setDefault(null, "VIEW")], random),
      ),
    ];
    return one(contests, random);
  },
};
