/** Renders the blocks that are not fields. Their content comes from the service, so the page shows placeholders. */

import type { Mode } from "../../schemas/words.ts";
import type { PreviewBlock } from "../model.ts";
import { html, type Html } from "./html.ts";

const NAMES: Readonly<Record<string, string>> = {
  builtin: "Built-in component",
  custom_html: "Custom HTML",
  dashboard_widget: "Widget",
  relation_table: "Related records",
  query_table: "Records of a saved query",
  attachments: "Attachments",
  comments: "Comments",
  tasks: "Tasks",
  counter: "Counter",
};

const LINE = html`<span class="line"></span>`;

/** Returns the placeholder of a block that is neither a field nor a container. */
export function renderWidget(block: PreviewBlock, id: string, mode: Mode): Html {
  const { type } = block;
  const label = block.label || block.id || NAMES[type] || type;
  const canEdit = mode !== "VIEW" && !block.isReadOnly;
  switch (type) {
    case "button":
      return html`<button type="button" class="button">${label}</button>`;
    case "action_bar":
      return html`<div class="bar" role="group" aria-label="${label}"><span class="quiet">${label}</span></div>`;
    case "counter":
      return card(label, NAMES[type], html`<p class="number" aria-hidden="true">128</p>`);
    case "relation_table":
      return card(label, NAMES[type], html`${rows(3)}${canEdit ? html`<button type="button" class="button">Add row</button>` : undefined}`);
    case "query_table":
      return card(label, NAMES[type], rows(4));
    case "tasks":
      return card(label, NAMES[type], lines(3));
    case "comments":
      return card(
        label,
        NAMES[type],
        html`${lines(2)}${canEdit ? html`<label class="comment" for="${id}-control">Comment</label><textarea rows="2" id="${id}-control" data-key="${id}"></textarea>` : undefined}`,
      );
    case "attachments":
      return card(
        label,
        NAMES[type],
        canEdit
          ? html`<label class="comment" for="${id}-control">Add files</label><input type="file" multiple id="${id}-control" data-key="${id}">`
          : lines(2),
      );
    default:
      return card(label, NAMES[type] ?? type, lines(3));
  }
}

function card(label: string, kind: string | undefined, content: Html): Html {
  return html`<div class="card"><p class="card-title">${label} <span class="quiet">${kind}</span></p>${content}</div>`;
}

function rows(count: number): Html {
  const row = html`<div class="row">${LINE}${LINE}${LINE}</div>`;
  return html`<div class="rows" aria-hidden="true">${Array.from({ length: count }, () => row)}</div>`;
}

function lines(count: number): Html {
  return html`<div class="lines" aria-hidden="true">${Array.from({ length: count }, () => LINE)}</div>`;
}
