/**
 * Describes how a layout looks to its users: its regions, its blocks with their labels and fields, and the problems and
 * changes of each block. The terminal drawing and the page both show this model.
 */

import type { Change } from "../schemas/content-diff.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { Diagnostic } from "../schemas/diagnostic.ts";
import type { Mode } from "../schemas/words.ts";

/** A diagnostic. `line` and `column` are those of the file, if the layout comes from a file. */
export type PreviewProblem = Diagnostic & { file?: string; line?: number; column?: number };

/** The field that a block shows. The name and the type are undefined if the fields of the layout are unknown. */
export type PreviewField = {
  key: string;
  name: string | undefined;
  type: string | undefined;
  options: readonly string[];
};

/** How a part differs from the compared version. `before` describes the old value, for example `"full width"`. */
export type PreviewChange = { kind: Change["kind"]; details: readonly string[] };

export type PreviewBlock = {
  /** The path in the content: `blocks[2].children[0]`. Unique in the layout. */
  path: string;
  id: string | undefined;
  type: string;
  label: string;
  field: PreviewField | undefined;
  isRequired: boolean;
  isReadOnly: boolean;
  /** The position in the grid of the region or the parent. `span` is from 1 to the number of columns. */
  grid: { span: number; start: number | undefined; rowSpan: number };
  /** The modes in which the block is shown. */
  modes: readonly Mode[];
  children: readonly PreviewBlock[];
  problems: readonly PreviewProblem[];
  change: PreviewChange | undefined;
};

export type PreviewRegion = {
  key: string;
  label: string;
  layout: "grid" | "tabs" | "stack" | "sidebar" | "dashboard_grid";
  columns: number;
  blocks: readonly PreviewBlock[];
  problems: readonly PreviewProblem[];
  change: PreviewChange | undefined;
};

export type Preview = {
  /** The name of the layout, or of the file. */
  title: string;
  surface: string | undefined;
  modes: readonly Mode[];
  regions: readonly PreviewRegion[];
  /** The problems that belong to no block and no region. */
  problems: readonly PreviewProblem[];
};

export type PreviewSource = {
  title: string;
  content: DraftContent;
  catalog: LayoutCatalog;
  problems: readonly PreviewProblem[];
  /** The content to compare with. Its removed blocks are part of the preview. */
  compareWith?: DraftContent;
};
