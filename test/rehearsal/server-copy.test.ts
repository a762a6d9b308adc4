/** The copy of a server has the states of layouts that the server shows. */

import { expect, it } from "vitest";
import type { PlannedResource } from "../../src/plan/planned.ts";
import type { Mode } from "../../src/schemas/words.ts";
import { rehearseForServer } from "../faults/rehearsals.ts";
import { content } from "../migrations/transform-scene.ts";
import { temporaryFolders } from "../temporary.ts";
import { openWorld, type World } from "./random-world.ts";

const newFolder = temporaryFolders();
const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

async function publish(
  { direct }: World,
  layoutId: string,
  draft: object,
  confirmFieldChanges: { draftId: string; confirmValueClear: true }[] = [],
) {
  const body = { ...content({}), clientMutationId: `save ${layoutId}`, ...draft } as never;
  const { draftVersionId } = await direct.saveDraft({ layoutId, body });
  const publication = { clientMutationId: `publish ${layoutId}`, draftVersionId, confirmFieldChanges };
  await direct.publishLayout({ layoutId, body: publication });
}

/** A published form that shows a deleted field. @param isActive whether the form is active */
async function openInvalidForm(isActive: boolean) {
  const world = await openWorld(newFolder());
  const create = (name: string, types: Mode[]) =>
    world.direct.createForm({ ...CANDIDATE, body: { name, types, isActive } });
  const shown = await create("Shown", ["VIEW", "EDIT"]);
  await publish(world, shown.viewLayoutId, content({ full_name: "Name", notes: "Notes" }));
  const other = await create("Other", ["VIEW"]);
  const staged = { draftId: "d", action: "delete", key: "notes" };
  await publish(world, other.viewLayoutId, { ...content({ full_name: "Name" }), stagedFieldDefinitions: [staged] }, [
    { draftId: "d", confirmValueClear: true },
  ]);
  return { world, form: shown };
}

it.each([
  { hasFile: false, isActive: true },
  { hasFile: true, isActive: true },
  { hasFile: false, isActive: false },
])("shows that a form was invalid before the plan (%o)", async ({ hasFile, isActive }) => {
  const { world, form } = await openInvalidForm(isActive);
  const address = "staffing/candidate/Shown";
  const subject = { kind: "Form", address, name: "Shown", content: true, fields: [], object: CANDIDATE } as const;
  const resource = {
    address,
    kind: "Form",
    action: "update",
    object: CANDIDATE,
    formId: form.id,
    layoutId: form.viewLayoutId,
    subject: { ...subject, types: ["EDIT"], access: "unmanaged", defaultFor: [] },
    steps: [
      { phase: "narrow", request: { operation: "updateForm", body: { types: ["EDIT"] } }, replaces: {}, writes: {} },
    ],
    changes: [],
    effects: [],
    notes: [],
    needs: [],
    read: { record: "", defaults: "" },
    drift: {},
    base: {},
  } satisfies PlannedResource;
  const { rehearsal } = await rehearseForServer(world, { resources: [resource] }, { hasFile, change: (copy) => copy });
  await world.close();
  expect(rehearsal.refusals).toEqual([]);
  expect(rehearsal.effects.map(({ text }) => text)).toEqual(["VIEW: INVALID → no such mode"]);
});
