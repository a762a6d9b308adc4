/** Invalid writes to the sound store. The keys of a database must refuse these writes. */

import { version } from "./sound-store.ts";

const T = "2026-01-01T00:00:00.000Z";

export const refusedWrites: readonly (readonly [rule: string, statement: string])[] = [
  [
    "a second layout of a form (R7)",
    `INSERT INTO layouts VALUES ('lay_9', 'org_1', 'DYNAMIC_OBJECT', '{}', '{}', 'frm_1', 'L', NULL, 'DRAFT', 0, '${T}', '${T}', '')`,
  ],
  [
    "a form of a subordinate object (R10)",
    `INSERT INTO forms VALUES ('frm_9', 'org_1', 'obj_sub', 'REGULAR', 'F', 'f', 1, 0, NULL, NULL, '${T}', '${T}', '')`,
  ],
  [
    "a form of a subordinate object that says so (R10)",
    `INSERT INTO forms VALUES ('frm_9', 'org_1', 'obj_sub', 'SUBORDINATE', 'F', 'f', 1, 0, NULL, NULL, '${T}', '${T}', '')`,
  ],
  [
    "access for a mode that the form lacks (R28, R82)",
    "INSERT INTO access_role_modes VALUES ('frm_1', 'rol_1', 'CREATE', 1, 'org_1')",
  ],
  [
    "access for another organization's role (R29, R82)",
    "INSERT INTO access_role_rows VALUES ('frm_1', 'org_1', 'rol_2', 1)",
  ],
  [
    "access for another organization's member (R29, R82)",
    "INSERT INTO access_membership_rows VALUES ('frm_1', 'org_2', 'mem_2', 1)",
  ],
  ["deleting a form that is a default (R60)", "DELETE FROM forms WHERE id = 'frm_1'"],
  ["removing a type that is a default (R75)", "DELETE FROM form_types WHERE form_id = 'frm_1' AND mode = 'VIEW'"],
  ["a default of another object (R77)", "INSERT INTO form_defaults VALUES ('org_1', 'obj_other', 'VIEW', 'frm_1', 1)"],
  [
    "a default of another organization (R77)",
    "INSERT INTO form_defaults VALUES ('org_2', 'obj_2', 'VIEW', 'frm_1', 1)",
  ],
  ["an inactive default (R78)", "UPDATE form_defaults SET form_id = 'frm_2'"],
  ["an inactive default that says it is active (R78)", "UPDATE form_defaults SET form_id = 'frm_2', form_active = 0"],
  ["deactivating a default (R78)", "UPDATE forms SET is_active = 0 WHERE id = 'frm_1'"],
  ["a default without the mode (R79)", "INSERT INTO form_defaults VALUES ('org_1', 'obj_1', 'CREATE', 'frm_1', 1)"],
  ["a second default of a mode", "INSERT INTO form_defaults VALUES ('org_1', 'obj_1', 'VIEW', 'frm_1', 1)"],
  ["a second draft", version("ver_9", "lay_frm_1", 4, "DRAFT")],
  ["a second published version", version("ver_9", "lay_frm_1", 4, "PUBLISHED")],
  ["a version number used twice", version("ver_9", "lay_frm_2", 1, "PUBLISHED")],
  [
    "publishing what is invalid (R53)",
    `UPDATE layout_versions SET status = 'PUBLISHED', published_at = '${T}' WHERE id = 'ver_4'`,
  ],
  ["changing a content", "UPDATE layout_contents SET content = '{}' WHERE layout_id = 'lay_frm_1'"],
  [
    "giving a published version another content",
    "UPDATE layout_versions SET content_sha256 = (SELECT token_sha256 FROM api_tokens) WHERE id = 'ver_2'",
  ],
  ["a draft without its content", "UPDATE layout_versions SET content_sha256 = 'none' WHERE id = 'ver_3'"],
  ["forgetting a content that a version has", "DELETE FROM layout_contents WHERE layout_id = 'lay_frm_1'"],
  [
    "a content of a layout in another organization",
    "INSERT INTO layout_contents SELECT layout_id, 'org_2', token_sha256, content FROM layout_contents, api_tokens",
  ],
  [
    "an answer with a content that its layout lacks",
    "UPDATE mutations SET content_sha256 = 'none' WHERE operation = 'publishLayout'",
  ],
  [
    "making a published version a draft",
    "UPDATE layout_versions SET status = 'DRAFT', published_at = NULL WHERE id = 'ver_5'",
  ],
  ["publishing an archived version again", "UPDATE layout_versions SET status = 'PUBLISHED' WHERE id = 'ver_1'"],
  [
    "changing what a published version's validation said",
    "UPDATE layout_versions SET validation = '{}' WHERE id = 'ver_2'",
  ],
  ["deleting a published version", "DELETE FROM layout_versions WHERE id = 'ver_2'"],
  ["deleting an archived version", "DELETE FROM layout_versions WHERE id = 'ver_1'"],
  [
    "a second organization default for a target and mode",
    "INSERT INTO assignment_defaults SELECT org_id, surface, target_key, mode, 'lay_org_2' FROM assignment_defaults",
  ],
  ["a default for a mode that the layout lacks", "UPDATE assignment_defaults SET mode = 'EDIT'"],
  ["an assignment to another organization's role", "UPDATE assignments SET role_id = 'rol_2'"],
  ["archiving a form's layout", "UPDATE layouts SET status = 'ARCHIVED' WHERE id = 'lay_frm_1'"],
  ["a version of a layout in another organization", "UPDATE layout_versions SET org_id = 'org_2' WHERE id = 'ver_3'"],
  [
    "an answer in another organization than its layout",
    "UPDATE mutations SET org_id = 'org_2' WHERE operation = 'publishLayout'",
  ],
  [
    "an answer in another organization than its form",
    "UPDATE mutations SET org_id = 'org_2' WHERE operation = 'updateForm'",
  ],
  ["a public form without a token", "UPDATE forms SET is_public = 1 WHERE id = 'frm_2'"],
  ["a subordinate object without a parent", "UPDATE objects SET parent_object_id = NULL WHERE id = 'obj_sub'"],
  ["an upload of another organization's form", "UPDATE public_uploads SET org_id = 'org_2'"],
];
