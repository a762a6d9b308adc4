/** Renders a layout as `formctl layouts preview` does. Loaded when a program renders a layout. */

import { FormctlError } from "../base/error.ts";
import { buildPreview } from "../preview/build.ts";
import { drawPreview } from "../preview/drawing/draw.ts";
import { inMode } from "../preview/modes.ts";
import { renderPage } from "../preview/page/page.ts";
import { catalogOf } from "../schemas/catalog.ts";
import type { Diagnostic } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { Surface, Target } from "../schemas/layout.ts";
import type { OrganizationView } from "../schemas/organization.ts";
import type { Mode, ModeWord } from "../schemas/words.ts";
import { coloured, plain } from "../terminal/style.ts";
import { type LayoutContent, readLayoutContent } from "./layout-content.ts";

export type RenderOptions = {
  /** The heading. Default: Layout. */
  title?: string;
  /** The modes of the layout. Default: the modes with at least one block. */
  modes?: readonly ModeWord[];
  /** Renders only the blocks of this mode. Default: all modes. */
  mode?: Mode;
  /** The organization with the fields and scripts, such as a result of `LocalService.show`. Without it, fields are not checked. */
  organization?: OrganizationView;
  /** The object whose form has the layout. */
  object?: { moduleKey: string; objectKey: string };
  /** The surface of a layout that no form owns. Default: DYNAMIC_OBJECT with `object`, else unknown. */
  surface?: Surface;
  target?: Target;
  /** The form that owns the layout, for its texts. */
  form?: { config?: Readonly<Record<string, unknown>> | null | undefined };
  /** Marks the differences from this content. */
  compareWith?: { content: LayoutContent; name: string };
  /** The width of the text in columns. Default: 80. */
  width?: number;
  /** Draws the text with ASCII characters only. Default: false. */
  ascii?: boolean;
  /** Whether the text has the color codes of terminals. Default: false. */
  color?: boolean;
};

export type RenderedLayout = {
  /** A page that shows the layout as a form. It loads no other files. */
  html: string;
  /** A drawing of the layout for a terminal. */
  text: string;
  /** The problems of the layout, which both show. */
  problems: Diagnostic[];
};

/** @throws INVALID_VALUE if a content is invalid, or the layout does not support the mode */
export function renderLayout(given: LayoutContent, options: RenderOptions): RenderedLayout {
  const {
    title = "Layout",
    mode,
    object,
    surface = object && "DYNAMIC_OBJECT",
    form,
    compareWith,
    width = 80,
    ascii = false,
    color = false,
  } = options;
  const content = readLayoutContent(given);
  const catalog = catalogOf(
    { surface, target: { ...options.target, ...object }, modes: options.modes },
    options.organization,
  );
  const problems = checkDraft(content, catalog);
  const whole = buildPreview({
    title,
    content,
    catalog,
    form,
    problems,
    ...(compareWith && { compareWith: { ...compareWith, content: readLayoutContent(compareWith.content) } }),
  });
  if (mode !== undefined && !whole.modes.includes(mode)) {
    throw new FormctlError(
      "INVALID_VALUE",
      `the layout does not support ${mode}`,
      `Supported modes: ${whole.modes.join(", ")}`,
    );
  }
  const preview = mode === undefined ? whole : inMode(whole, mode);
  return {
    html: renderPage({ title: "Layout preview", entries: [{ title, preview, mode }] }),
    text: drawPreview(preview, { width, ascii, style: color ? coloured : plain }),
    problems,
  };
}
