/**
 * Describes how a layout looks to its users: its regions, its blocks with their labels and fields, and the problems and
 * changes of each block. The terminal drawing and the page both show this model. `build.ts` creates it.
 */

import type { Change } from "../schemas/content-diff.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { Diagnostic } from "../schemas/diagnostic.ts";
import type { Mode } from "../schemas/words.ts";

/**
 * A diagnostic. `path` is a path in the content. `file`, `line` and `column` are present if the layout comes from a
 * file.
 */
export type PreviewProblem = Diagnostic & { file?: string; line?: number; column?: number };

/** The field that a block shows. The name and the type are undefined if the fields of the layout are unknown. */
export type PreviewField = {
  key: string;
  name: string | undefined;
  type: string | undefined;
  options: readonly string[];
  /** What a publish does to the field, if the layout stages a change of it. */
  staged: "create" | "update" | "delete" | undefined;
};

/**
 * How a region or a block differs from the compared version. A part that was moved and changed is `moved`. `details`
 * has a text for each difference, for example `label: "Notes" → "Remarks"`; it is empty for added and removed parts.
 */
export type PreviewChange = { kind: Change["kind"]; details: readonly string[] };

export type PreviewBlock = {
  /**
   * The path in the content, such as `blocks[2].children[0]`. For a removed block, `removed:` and the path in the
   * compared content. Unique in the layout.
   */
  path: string;
  id: string | undefined;
  type: string;
  /** The label of the block, else the name of its field, else the key of what it shows, else words for its type. */
  label: string;
  /** False if the label is only words for the type, so that users see no label. */
  isLabelled: boolean;
  field: PreviewField | undefined;
  /** The key of what a block without a field shows: a component, a widget, a query, a relation. */
  shows: string | undefined;
  /** The columns of a table. Empty for other blocks, and if the layout does not set them. */
  columns: readonly string[];
  /** The text of a `custom_html` block, without tags. */
  text: string | undefined;
  isRequired: boolean;
  isReadOnly: boolean;
  /**
   * The position in the grid of the region or the parent: `span` is from 1 to the number of columns. `start` and `row`
   * count from 1, and are undefined if the block takes the next free position. The grid in a block has 12 columns.
   */
  grid: { span: number; start: number | undefined; row: number | undefined; rowSpan: number };
  /** The modes in which the block is shown: those that the layout, all parents and the block have in common. */
  modes: readonly Mode[];
  /** In the order in which users see them. */
  children: readonly PreviewBlock[];
  problems: readonly PreviewProblem[];
  change: PreviewChange | undefined;
};

export type PreviewRegion = {
  /**
   * The path in the content, such as `regions[0]`. For a removed region, `removed:` and the path in the compared
   * content.
   */
  path: string;
  key: string;
  label: string;
  layout: "grid" | "tabs" | "stack" | "sidebar" | "dashboard_grid";
  /** The columns of its grid. A stack, tabs and a sidebar have one, because their blocks take the whole width. */
  columns: number;
  /** The share of the page that the region takes, from 1 to 12. Less than 12 only for a sidebar. */
  width: number;
  /** In the order in which users see them. */
  blocks: readonly PreviewBlock[];
  problems: readonly PreviewProblem[];
  change: PreviewChange | undefined;
};

export type Preview = {
  /** The name of the layout, or of the file. */
  title: string;
  /** The file or the version that is shown, such as `draft.yaml` or `version 2 (published)`. */
  origin: string | undefined;
  /** The version with which the layout is compared, such as `version 1 (archived)`. Undefined without a comparison. */
  comparedWith: string | undefined;
  surface: string | undefined;
  /** The modes of the layout. If they are unknown, the modes in which at least one block is shown. */
  modes: readonly Mode[];
  /** In the order in which users see them. Blocks that belong to no region are in a last region with the key "". */
  regions: readonly PreviewRegion[];
  /** The problems that belong to no block and no region. */
  problems: readonly PreviewProblem[];
  /** The changes that belong to no block and no region: staged fields, scripts, metadata. */
  changes: readonly Change[];
};

export type PreviewSource = {
  title: string;
  origin?: string | undefined;
  content: DraftContent;
  catalog: LayoutCatalog;
  problems: readonly PreviewProblem[];
  /** The content to compare with, and its name. Its removed regions and blocks are part of the preview. */
  compareWith?: { content: DraftContent; name: string } | undefined;
};
