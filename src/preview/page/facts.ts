/** Renders facts about a plan and its layouts: consequences, notes, and required confirmations with their losses. */

import { WILL_BE_DELETED } from "../../base/losses.ts";
import type { Change } from "../../schemas/content-diff.ts";
import { html, type Html } from "./html.ts";
import { findings, otherChangeRow } from "./marks.ts";

export type PageFact =
  /** A change of something that the form does not show. */
  | { kind: "change"; change: Change }
  | { kind: "refusal" | "effect" | "unknown" | "note"; text: string }
  /** `option` confirms what `text` describes. `lost` lists what will be deleted permanently. */
  | { kind: "confirmation"; option: string; text: string; lost: readonly string[] };

type Confirmation = Extract<PageFact, { kind: "confirmation" }>;

const WORDS = { refusal: "Refusal", effect: "Effect", unknown: "Not known", note: "Note" } as const;

/** @param id the id of the heading of the confirmations */
export function renderFacts(facts: readonly PageFact[], id: string): Html | undefined {
  if (facts.length === 0) return undefined;
  const rows = facts.flatMap((fact) => {
    if (fact.kind === "confirmation") return [];
    if (fact.kind === "change") return [otherChangeRow(fact.change)];
    return [html`<li><strong class="mark mark-${fact.kind}">${WORDS[fact.kind]}</strong> ${fact.text}</li>`];
  });
  const confirmations = facts.flatMap((fact) => (fact.kind === "confirmation" ? [confirmationRow(fact)] : []));
  const list =
    rows.length > 0 &&
    html`<ul class="facts">
      ${rows}
    </ul>`;
  return html`${list}${findings(confirmations, html`<h3 id="${id}">Required confirmations</h3>`, id)}`;
}

function confirmationRow({ option, text, lost }: Confirmation): Html {
  const losses =
    lost.length > 0 &&
    html`<div class="losses">
      <p>${WILL_BE_DELETED}</p>
      <ul>
        ${lost.map((each) => html`<li>${each}</li>`)}
      </ul>
    </div>`;
  return html`<li><strong class="mark mark-warning">${option}</strong> ${text}${losses}</li>`;
}
