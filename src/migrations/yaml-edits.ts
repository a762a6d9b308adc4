/** Applies the edits of a migration in YAML. */

import { FormctlError } from "../base/error.ts";
import type { Block, DraftContent } from "../schemas/draft.ts";
import { isJsonObject, sameJson } from "../schemas/json.ts";
import { parsePath, type PathStep } from "../schemas/path.ts";
import type { FormMembers } from "./definition.ts";
import {
  addRegion,
  addSection,
  type BlockSelector,
  moveBlocks,
  type NewSection,
  removeBlocks,
  renameField,
  replaceBlocks,
} from "./edits.ts";
import type { EditOperation, MigrationEdit } from "./migration-schema.ts";

type Input<O extends EditOperation> = NonNullable<MigrationEdit[O]>;

const LAYOUT_EDITS: {
  [O in Exclude<EditOperation, "setForm">]: (content: DraftContent, input: Input<O>) => DraftContent;
} = {
  renameField: (content, { from, to }) => renameField(content, from, to),
  replaceBlocks: (content, { where, with: blocks }) => replaceBlocks(content, selector(where), blocks),
  removeBlocks: (content, { where }) => removeBlocks(content, selector(where)),
  addRegion: (content, { region, before }) => addRegion(content, region, before === undefined ? {} : { before }),
  addSection: (content, section) => addSection(content, section as NewSection),
  moveBlocks: (content, { where, region, into = "" }) =>
    moveBlocks(content, selector(where), region === undefined ? { into } : { region }),
  setMember(content, { where, member, value }) {
    const path = parsePath(member);
    const set = (before: DraftContent) =>
      replaceBlocks(before, selector(where), (block) => withMember(block, path, value) as Block);
    // `set` does not search inside a block that it changes. The next call finds nothing to change in the block itself,
    // and searches inside. So the loop reaches nested blocks.
    let [before, after] = [content, set(content)];
    while (after !== before) [before, after] = [after, set(after)];
    return after;
  },
};

export const editsLayouts = (edit: MigrationEdit): boolean => edit.setForm === undefined;
export const editsForms = (edit: MigrationEdit): boolean => edit.setForm !== undefined;

/** Returns the content after an edit. Returns the same object if nothing changes, or if the edit is about forms. */
export function editLayout(edit: MigrationEdit, content: DraftContent): DraftContent {
  const operation = Object.keys(LAYOUT_EDITS).find((name) => edit[name as EditOperation] !== undefined);
  if (operation === undefined) return content;
  const apply = LAYOUT_EDITS[operation as keyof typeof LAYOUT_EDITS] as (
    content: DraftContent,
    input: unknown,
  ) => DraftContent;
  return apply(content, edit[operation as EditOperation]);
}

/** Returns the form after an edit. Returns the same object if nothing changes, or if the edit is about layouts. */
export function editForm({ setForm }: MigrationEdit, form: FormMembers): FormMembers {
  if (setForm === undefined) return form;
  return withMember(form, parsePath(setForm.member), setForm.value) as FormMembers;
}

/** Returns `where` as a selector. No member has the value undefined, although the type of the schema permits it. */
function selector(where: Input<"removeBlocks">["where"]): BlockSelector {
  return where as BlockSelector;
}

/**
 * Returns a copy of an object with a member set, or removed if the value is undefined. Returns the same object if
 * nothing changes. Missing objects on the path are created.
 *
 * @throws MIGRATION_INVALID if a part of the path is not an object
 */
function withMember(value: unknown, path: readonly PathStep[], wanted: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return wanted;
  if (value === undefined && wanted === undefined) return value;
  if (typeof name === "number" || (value !== undefined && !isJsonObject(value))) {
    throw new FormctlError(
      "MIGRATION_INVALID",
      `the member "${String(name)}" can't be set: its parent is not an object`,
    );
  }
  const before = value?.[name];
  const after = withMember(before, rest, wanted);
  if (sameJson(before, after)) return value;
  const { [name]: _former, ...others } = value ?? {};
  return after === undefined ? others : { ...value, [name]: after };
}
