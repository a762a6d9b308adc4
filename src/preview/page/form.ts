/** Renders a layout in one mode: regions, tabs, sections, columns and blocks. */

import type { Mode } from "../../schemas/words.ts";
import type { Preview, PreviewBlock, PreviewRegion } from "../model.ts";
import { attributes, html, type Html } from "./html.ts";
import { isGroup, renderControl } from "./controls.ts";
import { changeBadge, hiddenMarks, problemBadges } from "./marks.ts";
import { renderWidget } from "./widgets.ts";

/**
 * The largest numbers with CSS rules in style.ts:
 * - the columns of a grid
 * - the rows of a block
 * - the first row of a block
 */
export const MAX_COLUMNS = 24;
export const MAX_ROWS = 12;
export const MAX_ROW = 48;
/** The maximum width of a sidebar, in twelfths of the page. */
export const MAX_SIDE_WIDTH = 8;

type Place = {
  mode: Mode;
  /** The prefix of all ids, unique for the layout, the version and the mode. */
  prefix: string;
  /** The columns of the grid that contains the block. */
  columns: number;
};

const SUBMIT = { CREATE: "Submit", EDIT: "Save" } as const;

/** Returns a layout in a mode, with the title, the description and the submit button of its form. */
export function renderForm(preview: Preview, mode: Mode, prefix: string): Html {
  const { form } = preview;
  const regions = renderRegions(preview, mode, prefix);
  if (!form) return regions;
  const { title, description, successMessage = "Not sent, because this is a preview." } = form;
  const head =
    title !== undefined || description !== undefined
      ? html`<div class="form-head">
          ${title !== undefined && html`<h4>${title}</h4>`} ${description !== undefined && html`<p>${description}</p>`}
        </div>`
      : undefined;
  if (mode === "VIEW") return html`${head}${regions}`;
  return html`<form>
    ${head}${regions}
    <div class="form-foot">
      <button class="button submit">${SUBMIT[mode]}</button>
      <p role="status" data-text="${successMessage}"></p>
    </div>
  </form>`;
}

/** Returns the regions of a layout in a mode. Sidebars are next to the other regions. */
function renderRegions({ regions }: Preview, mode: Mode, prefix: string): Html {
  const render = (region: PreviewRegion) => renderRegion(region, { mode, prefix });
  const sides = regions.filter(({ layout }) => layout === "sidebar");
  const others = regions.filter(({ layout }) => layout !== "sidebar");
  if (sides.length === 0 || others.length === 0) return html`<div class="regions">${regions.map(render)}</div>`;
  const width = clamp(Math.max(...sides.map((side) => side.width)), MAX_SIDE_WIDTH);
  return html`<div class="with-side side-${width}">
    <div class="regions">${others.map(render)}</div>
    <div class="regions">${sides.map(render)}</div>
  </div>`;
}

function renderRegion(region: PreviewRegion, { mode, prefix }: Omit<Place, "columns">): Html {
  const { path, label, layout, blocks, problems, change } = region;
  const place = { mode, prefix, columns: clamp(region.columns, MAX_COLUMNS) };
  const id = idOf(prefix, path || "rest");
  const members = { id, "data-target": path, "aria-labelledby": `${id}-title` };
  return html`<div
    role="group"
    class="region region-${layout}${changeClass(change)}"
    tabindex="-1"
    ${attributes(members)}
  >
    <h4 id="${id}-title">${label}</h4>
    ${changeBadge(change)} ${layout === "tabs" ? renderTabs(blocks, label, id, place) : renderGrid(blocks, place)}
    ${problemBadges(problems, mode, `${id}-problems`)}
  </div>`;
}

function isShown({ modes }: PreviewBlock, { mode }: Pick<Place, "mode">): boolean {
  return modes.includes(mode);
}

function renderGrid(blocks: readonly PreviewBlock[], place: Place): Html | undefined {
  const shown = blocks.filter((block) => isShown(block, place));
  if (shown.length === 0) return html`<p class="quiet">No blocks in ${place.mode}.</p>`;
  return html`<div class="grid columns-${place.columns}">${shown.map((block) => renderBlock(block, place))}</div>`;
}

/** Renders tabs. Each tab or section has a button and a panel. Other blocks are invalid here, and precede the tabs. */
function renderTabs(blocks: readonly PreviewBlock[], title: string, id: string, place: Place): Html {
  const shown = blocks.filter((block) => isShown(block, place));
  const pages = shown.filter(({ type }) => type === "tab" || type === "section");
  const others = shown.filter((block) => !pages.includes(block));
  if (pages.length === 0) return html`${renderGrid(blocks, place)}`;
  const ids = pages.map(({ path }) => idOf(place.prefix, path));
  const tabs = pages.map((page, index) => {
    const members = {
      id: `${ids[index]}-tab`,
      "aria-controls": ids[index],
      "aria-selected": index === 0 ? "true" : "false",
      tabindex: index === 0 ? 0 : -1,
      "data-key": `tab ${keyOf(page, place)}`,
    };
    return html`<button type="button" role="tab" ${attributes(members)}>${page.label}${hiddenMarks(page)}</button>`;
  });
  const panels = pages.map((page, index) => {
    const members = {
      id: ids[index],
      "aria-labelledby": `${ids[index]}-tab`,
      "data-target": page.path,
      hidden: index > 0,
    };
    return html`<div role="tabpanel" tabindex="0" class="panel${changeClass(page.change)}" ${attributes(members)}>
      ${changeBadge(page.change)} ${renderGrid(page.children, { ...place, columns: 12 })}
      ${problemBadges(page.problems, place.mode, `${ids[index]}-problems`)}
    </div>`;
  });
  return html`${others.length > 0 ? renderGrid(others, place) : undefined}
    <div class="tabs">
      <div role="tablist" ${attributes({ "aria-label": title, id: `${id}-tabs` })}>${tabs}</div>
      ${panels}
    </div>`;
}

function renderBlock(block: PreviewBlock, place: Place): Html {
  const { type, grid, change, problems } = block;
  const id = idOf(place.prefix, block.path);
  const marks = problemBadges(problems, place.mode, `${id}-problems`);
  const classes = [
    "cell",
    `cell-${type === "field" ? "field" : isContainer(type) ? "container" : "widget"}`,
    `span-${clamp(grid.span, place.columns)}`,
    grid.start === undefined ? "" : `start-${clamp(grid.start, place.columns)}`,
    grid.row === undefined || grid.row > MAX_ROW ? "" : `row-${grid.row}`,
    grid.rowSpan > 1 ? `rows-${clamp(grid.rowSpan, MAX_ROWS)}` : "",
  ];
  const members = { id, "data-target": block.path };
  return html`<div
    class="${classes.filter(Boolean).join(" ")}${changeClass(change)}"
    tabindex="-1"
    ${attributes(members)}
  >
    ${changeBadge(change)}${renderInside(block, id, place, marks !== undefined)}${marks}
  </div>`;
}

function isContainer(type: string): boolean {
  return type === "tabs" || type === "tab" || type === "section" || type === "column";
}

function renderInside(block: PreviewBlock, id: string, place: Place, hasProblems: boolean): Html | undefined {
  const children = { ...place, columns: 12 };
  switch (block.type) {
    case "field":
      return renderField(block, id, place, hasProblems);
    case "tabs":
      return renderTabs(block.children, block.label, id, children);
    case "column":
      return renderGrid(block.children, children);
    case "tab":
    case "section": {
      const legend = block.isLabelled && html`<legend>${block.label}</legend>`;
      const name = attributes({ "aria-label": block.isLabelled ? undefined : block.label });
      return html`<fieldset ${name}>
        ${legend}
        <div class="inside">${renderGrid(block.children, children)}</div>
      </fieldset>`;
    }
    default:
      return html`${renderWidget(block, id, place.mode)}${block.children.length > 0 ? renderGrid(block.children, children) : undefined}`;
  }
}

function renderField(block: PreviewBlock, id: string, place: Place, hasProblems: boolean): Html {
  const { field, isRequired, change } = block;
  const type = field?.type;
  if (type === "HTML_SECTION")
    return html`<p class="text-block">${block.label}</p>
      ${fieldHint(block)}`;
  if (type === "SUBORDINATE_OBJECT_REFERENCE")
    return renderWidget({ ...block, type: "relation_table" }, id, place.mode);
  const isReadOnly = block.isReadOnly || place.mode === "VIEW";
  const options = field?.options ?? [];
  const control = renderControl({
    id: `${id}-control`,
    key: keyOf(block, place),
    describedBy: hasProblems ? `${id}-problems` : undefined,
    type,
    label: block.label,
    fieldKey: field?.key,
    options,
    currency: field?.currency,
    isRequired: isRequired && !isReadOnly,
    isReadOnly,
    isDisabled: change?.kind === "removed",
  });
  // Users enter nothing in VIEW, so a required field has no mark in this mode.
  const star =
    isRequired && place.mode !== "VIEW" ? html`<span class="required" aria-hidden="true"> *</span>` : undefined;
  // In VIEW every value is read-only, so a mark would add nothing.
  const lock = block.isReadOnly && place.mode !== "VIEW" ? html` <span class="read-only">Read-only</span>` : undefined;
  const name = html`${block.label}${star}`;
  const hint = fieldHint(block);
  if (isGroup({ type, options, isReadOnly })) {
    return html`<fieldset class="group">
        <legend>${name}${isRequired && !isReadOnly && html`<span class="hidden-text"> (required)</span>`}</legend>
        ${lock}${control}
      </fieldset>
      ${hint}`;
  }
  const label = html`<label for="${id}-control">${name}</label>${lock}`;
  if (type === "BOOLEAN")
    return html`<div class="check">${control}${label}</div>
      ${hint}`;
  return html`<div class="label">${label}</div>
    ${control}${hint}`;
}

const STAGED = {
  create: "A publish creates this field.",
  update: "A publish changes this field.",
  delete: "A publish deletes this field.",
} as const;

/**
 * Returns the staged change, the key and the type of a field. The page shows the key and type only with `Field keys`
 * checked.
 */
function fieldHint({ field }: PreviewBlock): Html {
  const staged = field?.staged && html`<p class="staged">${STAGED[field.staged]}</p>`;
  const type = field?.type === undefined ? "type unknown" : field.type;
  return html`${staged}
    <p class="hint">${field ? html`<code>${field.key}</code> ${type}` : "no field"}</p>`;
}

/** Returns a name for a control. After an update, the page finds the control by this name. */
function keyOf({ id, path }: PreviewBlock, { prefix }: Place): string {
  return `${prefix} ${id ?? path}`;
}

function changeClass(change: PreviewBlock["change"]): string {
  return change ? ` is-${change.kind}` : "";
}

/** Returns an id for an element. Ids in HTML must not contain white space. */
function idOf(prefix: string, path: string): string {
  return `${prefix}-${path.replaceAll(/[^\w.-]+/g, "_")}`;
}

function clamp(value: number, most: number): number {
  return Math.max(1, Math.min(most, Math.trunc(value) || 1));
}
