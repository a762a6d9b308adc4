/** What is known of the fields and scripts that a layout can use: draft checks compare a draft with it. */

import type { Known, KnownField } from "../schemas/draft-known.ts";
import type { Mode } from "../schemas/form.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import { type FieldOwner, listFieldsOf, listScripts } from "../store/fields.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import { type FieldRecord, findObject } from "../store/objects.ts";
import type { Tx } from "../store/store.ts";

/** What says which fields a layout can use. */
type Place = Pick<LayoutRecord, "org_id" | "surface" | "target">;

/** @param modes the modes that the layout serves */
export async function knownFor(tx: Tx, layout: Place, modes: readonly Mode[]): Promise<Known> {
  const owner = await fieldOwnerOf(tx, layout);
  const fields = owner ? await listFieldsOf(tx, owner) : [];
  const scripts = await listScripts(tx, layout.org_id);
  return {
    surface: layout.surface as Surface,
    modes,
    fields: fields.map(toKnownField),
    scripts: scripts.flatMap((script) => [script.key, script.id]),
  };
}

/**
 * Whose fields a layout places: its object's, else those of its surface and of the scope of its target
 * (docs/decisions.md, "Staged fields"). Undefined when the object is gone.
 */
export async function fieldOwnerOf(tx: Tx, layout: Place): Promise<FieldOwner | undefined> {
  const orgId = layout.org_id;
  const target = JSON.parse(layout.target) as Target;
  if (layout.surface !== "DYNAMIC_OBJECT") return { orgId, surface: layout.surface, scopeId: target.scopeId ?? "" };
  const object = await findObject(tx, orgId, target.moduleKey ?? "", target.objectKey ?? "");
  return object && { orgId, objectId: object.id };
}

export function toKnownField(field: FieldRecord): KnownField {
  return {
    id: field.id,
    key: field.key,
    name: field.name,
    type: field.type,
    isRequired: field.is_required === 1,
    hasDefault: field.default_value !== null,
    valueCount: field.value_count,
    options: JSON.parse(field.options) as string[],
  };
}
