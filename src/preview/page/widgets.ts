/** Renders the blocks that are not fields. Their content comes from the service, so the page shows placeholders. */

import type { Mode } from "../../schemas/words.ts";
import type { PreviewBlock } from "../model.ts";
import { type Content, html, type Html } from "./html.ts";

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
  action_bar: "Actions",
};

const LINE = html`<span class="line"></span>`;

/** Returns the placeholder of a block that is neither a field nor a container. */
export function renderWidget(block: PreviewBlock, id: string, mode: Mode): Html {
  const { type, label, columns, text } = block;
  const canEdit = mode !== "VIEW" && !block.isReadOnly && block.change?.kind !== "removed";
  switch (type) {
    case "button":
      return html`<button type="button" class="button">${label}</button>`;
    case "custom_html":
      return text === undefined ? card(block, lines(2)) : html`<p class="text-block">${text}</p>`;
    case "counter":
      return card(block, html`<p class="number" aria-hidden="true">128</p>`);
    case "relation_table":
      return card(block, [
        table(label, columns, 3),
        canEdit && html`<button type="button" class="button">Add row</button>`,
      ]);
    case "query_table":
      return card(block, table(label, columns, 4));
    case "comments":
      return card(block, [
        lines(2),
        canEdit &&
          html`<label for="${id}-control">Comment</label
            ><textarea rows="2" id="${id}-control" data-key="${id}"></textarea>`,
      ]);
    case "attachments":
      return card(
        block,
        canEdit
          ? html`<label for="${id}-control">Add files</label
              ><input type="file" multiple id="${id}-control" data-key="${id}" />`
          : lines(2),
      );
    default:
      return card(block, lines(3));
  }
}

function card({ type, label, shows }: PreviewBlock, content: Content): Html {
  const kind = NAMES[type] ?? type;
  const key = shows !== undefined && html`<p class="hint"><code>${shows}</code></p>`;
  return html`<div class="card">
    <p class="card-title">${label} <span class="quiet">${kind}</span></p>
    ${key}${content}
  </div>`;
}

/** Returns a table with the columns of the layout. If the layout sets no columns, the table has no head. */
function table(label: string, columns: readonly string[], count: number): Html {
  const cells = Array.from({ length: Math.max(columns.length, 3) }, () => LINE);
  const rows = Array.from({ length: count }, () => html`<div class="row">${cells}</div>`);
  if (columns.length === 0) return html`<div class="rows" aria-hidden="true">${rows}</div>`;
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`);
  const body = Array.from(
    { length: count },
    () =>
      html`<tr>
        ${columns.map(() => html`<td>${LINE}</td>`)}
      </tr>`,
  );
  return html`<div class="scroll">
    <table aria-label="${label}">
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody aria-hidden="true">
        ${body}
      </tbody>
    </table>
  </div>`;
}

function lines(count: number): Html {
  return html`<div class="lines" aria-hidden="true">${Array.from({ length: count }, () => LINE)}</div>`;
}
