/** The rules of a store that need triggers, in every database. `triggerDdl` (ddl.ts) writes them. */

import { HASHED } from "./record-hash.ts";

/** Before or after the change `on` of a row, a trigger refuses the change or runs a statement if `when` is true. */
export type Trigger = { name: string; on: string; when?: string } & ({ refuse: string } | { run: string });

/** The hashed columns of a published version never change. Its status can become ARCHIVED, at the next publication. */
const fixed = (row: "OLD" | "NEW") =>
  HASHED.layout_versions
    .split(" ")
    .map((column) => `${row}.${column}`)
    .join(", ");

export const triggers: readonly Trigger[] = [
  // These triggers raise `fields_version` at each change of an object's fields. Results that are computed from the
  // fields are valid for one `fields_version`. An example is the list of usable modes of a published version.
  ...["INSERT", "UPDATE", "DELETE"].map((change) => {
    const row = change === "DELETE" ? "OLD" : "NEW";
    return {
      name: `fields_counted_on_${change.toLowerCase()}`,
      on: `AFTER ${change} ON fields`,
      run: `UPDATE objects SET fields_version = fields_version + 1 WHERE org_id = ${row}.org_id AND id = ${row}.object_id`,
    };
  }),
  {
    name: "published_versions_stay",
    on: "BEFORE UPDATE ON layout_versions",
    when: `OLD.status <> 'DRAFT' AND (NEW.status NOT IN (OLD.status, 'ARCHIVED')
    OR (${fixed("NEW")})
      IS DISTINCT FROM (${fixed("OLD")}))`,
    refuse: "a published version never changes",
  },
  // A database deletes the row of a layout before the versions of the layout. So this trigger does not prevent the
  // deletion of the layout.
  {
    name: "published_versions_remain",
    on: "BEFORE DELETE ON layout_versions",
    when: "OLD.status <> 'DRAFT' AND EXISTS (SELECT 1 FROM layouts WHERE org_id = OLD.org_id AND id = OLD.layout_id)",
    refuse: "a published version is deleted only with its layout",
  },
  {
    name: "contents_stay",
    on: "BEFORE UPDATE ON layout_contents",
    refuse: "a content never changes: another one has another hash",
  },
  ...contentTriggers("layout_versions", "OLD.layout_id"),
  ...contentTriggers("mutations", "OLD.owner_layout_id"),
];

/** Returns the triggers that delete a content together with the last reference to it. */
function contentTriggers(table: string, layoutId: string): Trigger[] {
  const run = `DELETE FROM layout_contents
  WHERE org_id = OLD.org_id AND layout_id = ${layoutId} AND sha256 = OLD.content_sha256
    AND NOT EXISTS (SELECT 1 FROM layout_versions
      WHERE org_id = OLD.org_id AND layout_id = ${layoutId} AND content_sha256 = OLD.content_sha256)
    AND NOT EXISTS (SELECT 1 FROM mutations
      WHERE org_id = OLD.org_id AND owner_layout_id = ${layoutId} AND content_sha256 = OLD.content_sha256)`;
  return [
    { name: `contents_go_with_${table}`, on: `AFTER DELETE ON ${table}`, run },
    {
      name: `contents_go_from_${table}`,
      on: `AFTER UPDATE OF content_sha256 ON ${table}`,
      when: "OLD.content_sha256 IS DISTINCT FROM NEW.content_sha256",
      run,
    },
  ];
}
