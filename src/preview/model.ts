/**
 * Describes how users see a layout: regions, blocks with labels and fields, problems and changes. The terminal drawing
 * and the HTML page show this model. `build.ts` creates the model.
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
  /** The currency of a CURRENCY field. Undefined for other fields, and if the currency is unknown. */
  currency: string | undefined;
  /** What a publish does to the field. Undefined if the layout stages no change of the field. */
  staged: "create" | "update" | "delete" | undefined;
};

/**
 * How a region or a block differs from the compared version. A part that was moved and changed is `moved`. `details`
 * has a text for each difference, for example `label: "Notes" → "Remarks"`. It is empty for added and removed parts.
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
  /**
   * The first of these texts that is known: the label of the block, the name of its field, the key of what it shows,
   * words for its type.
   */
  label: string;
  /** False if the label is only words for the type. Then users see no label. */
  isLabelled: boolean;
  field: PreviewField | undefined;
  /** The key of what a block without a field shows: a component, a widget, a query, a relation. */
  shows: string | undefined;
  /** The columns of a table. Empty for other blocks, and if the layout does not set the columns. */
  columns: readonly string[];
  /** The text of a `custom_html` block, without tags. */
  text: string | undefined;
  isRequired: boolean;
  isReadOnly: boolean;
  /**
   * The position in the grid of the region or the parent. `span` is from 1 to the number of columns. `start` and `row`
   * count from 1. They are undefined if the block takes the next free position. The grid in a block has 12 columns.
   */
  grid: { span: number; start: number | undefined; row: number | undefined; rowSpan: number };
  /** The modes in which the block is shown. The layout, all parents and the block have these modes. */
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
  /**
   * The number of columns of the grid. A stack, tabs and a sidebar have 1 column, because their blocks take the whole
   * width.
   */
  columns: number;
  /** The width of the region in twelfths of the whole layout, from 1 to 12. Only a sidebar has less than 12. */
  width: number;
  /** In the order in which users see them. */
  blocks: readonly PreviewBlock[];
  problems: readonly PreviewProblem[];
  change: PreviewChange | undefined;
};

/** The texts of a form. A text is undefined if the form does not have it, or it is unknown. */
export type FormTexts = Readonly<Record<"title" | "description" | "successMessage", string | undefined>>;

export type Preview = {
  /** The name of the layout, or of the file. */
  title: string;
  /** The file or the version that is shown, such as `draft.yaml` or `version 2 (published)`. */
  origin: string | undefined;
  /** The version with which the layout is compared, such as `version 1 (archived)`. Undefined without a comparison. */
  comparedWith: string | undefined;
  surface: string | undefined;
  /** The texts of the form that owns the layout. Undefined if no form owns it, or the form is unknown. */
  form: FormTexts | undefined;
  /** The modes of the layout. If the layout's modes are unknown, the modes with at least one block. */
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
  /** The form that owns the layout. Undefined if no form owns it, or the form is unknown. */
  form?: { config?: Readonly<Record<string, unknown>> | null | undefined } | undefined;
  problems: readonly PreviewProblem[];
  /** The content to compare with, and its name. The preview contains the removed regions and blocks of that content. */
  compareWith?: { content: DraftContent; name: string } | undefined;
};
