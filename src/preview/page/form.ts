/** Renders a layout in one mode, as its users meet it: regions, tabs, sections, columns and blocks. */

import type { Mode } from "../../schemas/words.ts";
import type { Preview, PreviewBlock, PreviewRegion } from "../model.ts";
import { attributes, html, type Html } from "./html.ts";
import { isGroup, renderControl } from "./controls.ts";
import { blockTarget, changeBadge, hiddenMarks, problemBadges, regionTarget } from "./marks.ts";
import { renderWidget } from "./widgets.ts";

/** The most columns and spans for which the style sheet has rules. */
export const MAX_COLUMNS = 24;
export const MAX_ROWS = 12;

type Place = {
  mode: Mode;
  /** The start of all ids, unique for the layout, the version and the mode. */
  prefix: string;
  /** The columns of the grid that contains the block. */
  columns: number;
};

/** Returns the regions of a layout in a mode. Sidebars are next to the other regions. */
export function renderForm(preview: Preview, mode: Mode, prefix: string): Html {
  const sides = preview.regions.filter(({ layout }) => layout === "sidebar");
  const others = preview.regions.filter(({ layout }) => layout !== "sidebar");
  const place = { mode, prefix };
  const main = others.map((region) => renderRegion(region, place));
  if (sides.length === 0) return html`<div class="regions">${main}</div>`;
  const side = sides.map((region) => renderRegion(region, place));
  if (others.length === 0) return html`<div class="regions">${side}</div>`;
  return html`<div class="with-side"><div class="regions">${main}</div><div class="regions">${side}</div></div>`;
}

function renderRegion(region: PreviewRegion, { mode, prefix }: Omit<Place, "columns">): Html {
  const { key, label, layout, columns, blocks, problems, change } = region;
  const place = { mode, prefix, columns: layout === "stack" || layout === "sidebar" ? 1 : gridColumns(columns) };
  const target = regionTarget(region);
  const id = idOf(prefix, target);
  const title = label || key;
  return html`<div role="group" class="region region-${layout}${changeClass(change)}" tabindex="-1"${attributes({ id, "data-target": target, "aria-labelledby": `${id}-title` })}>
<h4 id="${id}-title">${title}</h4>
${changeBadge(change)}
${layout === "tabs" ? renderTabs(blocks, title, id, place) : renderGrid(blocks, place)}
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

/** Renders tabs. Tabs and sections are the pages; other blocks, which are not allowed here, precede them. */
function renderTabs(blocks: readonly PreviewBlock[], title: string, id: string, place: Place): Html {
  const shown = blocks.filter((block) => isShown(block, place));
  const pages = shown.filter(({ type }) => type === "tab" || type === "section");
  const others = shown.filter((block) => !pages.includes(block));
  if (pages.length === 0) return html`${renderGrid(blocks, place)}`;
  const ids = pages.map((page) => idOf(place.prefix, blockTarget(page)));
  const tabs = pages.map((page, index) => {
    const members = {
      id: `${ids[index]}-tab`,
      "aria-controls": ids[index],
      "aria-selected": index === 0 ? "true" : "false",
      tabindex: index === 0 ? 0 : -1,
      "data-key": `tab ${keyOf(page, place)}`,
    };
    return html`<button type="button" role="tab"${attributes(members)}>${labelOf(page)}${hiddenMarks(page)}</button>`;
  });
  const panels = pages.map((page, index) => {
    const members = {
      id: ids[index],
      "aria-labelledby": `${ids[index]}-tab`,
      "data-target": blockTarget(page),
      hidden: index > 0,
    };
    return html`<div role="tabpanel" tabindex="0" class="panel${changeClass(page.change)}"${attributes(members)}>
${changeBadge(page.change)}
${renderGrid(page.children, { ...place, columns: 12 })}
${problemBadges(page.problems, place.mode, `${ids[index]}-problems`)}
</div>`;
  });
  return html`${others.length > 0 ? renderGrid(others, place) : undefined}<div class="tabs">
<div role="tablist"${attributes({ "aria-label": title, id: `${id}-tabs` })}>${tabs}</div>
${panels}
</div>`;
}

function renderBlock(block: PreviewBlock, place: Place): Html {
  const { type, grid, change, problems } = block;
  const target = blockTarget(block);
  const id = idOf(place.prefix, target);
  const marks = problemBadges(problems, place.mode, `${id}-problems`);
  const classes = [
    "cell",
    `cell-${type === "field" ? "field" : isContainer(type) ? "container" : "widget"}`,
    `span-${clamp(grid.span, place.columns)}`,
    grid.start === undefined ? "" : `start-${clamp(grid.start, place.columns)}`,
    grid.rowSpan > 1 ? `rows-${clamp(grid.rowSpan, MAX_ROWS)}` : "",
  ];
  const members = { id, "data-target": target };
  return html`<div class="${classes.filter(Boolean).join(" ")}${changeClass(change)}" tabindex="-1"${attributes(members)}>
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
      return renderTabs(block.children, labelOf(block), id, children);
    case "column":
      return renderGrid(block.children, children);
    case "tab":
    case "section": {
      const legend = block.label === "" ? undefined : html`<legend>${block.label}</legend>`;
      const name = attributes({ "aria-label": block.label === "" ? "Section without label" : undefined });
      return html`<fieldset${name}>${legend}<div class="inside">${renderGrid(block.children, children)}</div></fieldset>`;
    }
    default:
      return html`${renderWidget(block, id, place.mode)}${block.children.length > 0 ? renderGrid(block.children, children) : undefined}`;
  }
}

function renderField(block: PreviewBlock, id: string, place: Place, hasProblems: boolean): Html {
  const { field, isRequired, change } = block;
  const type = field?.type;
  if (type === "HTML_SECTION") return html`<p class="text-block">${labelOf(block)}</p>${fieldHint(block)}`;
  if (type === "SUBORDINATE_OBJECT_REFERENCE") return renderWidget({ ...block, type: "relation_table" }, id, place.mode);
  const isReadOnly = block.isReadOnly || place.mode === "VIEW";
  const options = field?.options ?? [];
  const control = renderControl({
    id: `${id}-control`,
    key: keyOf(block, place),
    describedBy: hasProblems ? `${id}-problems` : undefined,
    type,
    options,
    isRequired: isRequired && !isReadOnly,
    isReadOnly,
    isDisabled: change?.kind === "removed",
  });
  const star = isRequired ? html`<span class="required" aria-hidden="true"> *</span>` : undefined;
  // In VIEW every value is read-only, so a mark would add nothing.
  const lock = block.isReadOnly && place.mode !== "VIEW" ? html` <span class="read-only">Read-only</span>` : undefined;
  const name = html`${labelOf(block)}${star}`;
  const hint = fieldHint(block);
  if (isGroup({ type, options, isReadOnly })) {
    return html`<fieldset class="group"><legend>${name}</legend>${lock}${control}</fieldset>${hint}`;
  }
  const label = html`<label for="${id}-control">${name}</label>${lock}`;
  if (type === "BOOLEAN") return html`<div class="check">${control}${label}</div>${hint}`;
  return html`<div class="label">${label}</div>${control}${hint}`;
}

/** Returns the key and the type of a field, which the page shows on request. */
function fieldHint({ field }: PreviewBlock): Html {
  const type = field?.type === undefined ? "type unknown" : field.type;
  return html`<p class="hint">${field ? html`<code>${field.key}</code> ${type}` : "no field"}</p>`;
}

function labelOf({ label, field, id, type }: PreviewBlock): string {
  return label || field?.name || field?.key || id || type;
}

/** Returns the name by which the page finds a control again after an update. */
function keyOf({ id, path }: PreviewBlock, { prefix }: Place): string {
  return `${prefix} ${id ?? path}`;
}

function changeClass(change: PreviewBlock["change"]): string {
  return change ? ` is-${change.kind}` : "";
}

/** Returns an id for an element. Ids in HTML must not contain white space. */
function idOf(prefix: string, target: string): string {
  return `${prefix}-${target.replaceAll(/[^\w.-]+/g, "_")}`;
}

function gridColumns(columns: number): number {
  return clamp(columns, MAX_COLUMNS);
}

function clamp(value: number, most: number): number {
  return Math.max(1, Math.min(most, Math.trunc(value) || 1));
}
