/** Renders a page that shows layouts as forms. The page is one HTML document and loads no other files. */

import { sha256 } from "../../base/sha256.ts";
import { MODES, type Mode } from "../../schemas/words.ts";
import type { Preview, PreviewProblem } from "../model.ts";
import { allBlocks } from "../walk.ts";
import { type PageFact, renderFacts } from "./facts.ts";
import { renderForm } from "./form.ts";
import { attributes, html, type Html, trusted } from "./html.ts";
import { changeList, countBadges, countMarks, otherProblemList, problemList } from "./marks.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

export type PreviewPage = {
  /** The heading of the page, such as `Layout preview`. */
  title: string;
  /** A sentence about all layouts, such as the counts of a plan. */
  summary?: string;
  /** Facts about all layouts. */
  facts?: readonly PageFact[];
  /** Explains why the forms are not current. It is shown as an error. */
  notice?: string;
  /** The problems that belong to none of the layouts. */
  problems?: readonly PreviewProblem[];
  entries: readonly PageEntry[];
};

/** One layout of the page. */
export type PageEntry = {
  title: string;
  /** The action of a plan on the layout. */
  action?: "create" | "update" | "delete" | undefined;
  /** Facts that precede the form, such as the consequences of a plan. */
  facts?: readonly PageFact[];
  /** The layout. Undefined if only the facts are shown. */
  preview?: Preview | undefined;
  /** The layout before the changes that `preview` marks. The page shows the two layouts next to each other. */
  before?: Preview | undefined;
  /** The mode that is shown first. Default: the first mode of the layout. */
  mode?: Mode | undefined;
};

/**
 * After this number of characters, the page leaves out further forms. Otherwise a browser could not show a plan of many
 * layouts.
 */
const MAX_CHARACTERS = 10_000_000;

// The content security policy contains the hashes of `STYLE` and `SCRIPT`. So the templates must add no white space
// inside these elements.
const STYLE_ELEMENT = trusted(`<style>${STYLE}</style>`);
const SCRIPT_ELEMENT = trusted(`<script type="module">${SCRIPT}</script>`);

/**
 * Returns the page as one HTML document.
 *
 * @param live the version of the content, if a server updates the page. Undefined for a file
 */
export function renderPage(page: PreviewPage, live?: string): string {
  const document = html`<!doctype html>
    <html lang="en" ${attributes({ "data-live": live, "data-width": "full" })}>
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy(live !== undefined)}" />
        <meta name="referrer" content="no-referrer" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${documentTitle(page)}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header class="top">
          <h1 id="title">${page.title}</h1>
          <p id="status" role="status"></p>
          ${toolbar()}
        </header>
        <main id="content">${trusted(renderContent(page))}</main>
        ${SCRIPT_ELEMENT}
      </body>
    </html> `;
  return document.text;
}

/** Returns the title of the browser's tab. The title of a single layout precedes the title of the page. */
export function documentTitle({ title, entries: [first, ...others] }: PreviewPage): string {
  return first && others.length === 0 ? `${first.title} · ${title}` : title;
}

/**
 * Returns the content security policy. It allows only the style sheet and the script of the page. A served page may
 * also connect to its server.
 */
export function contentPolicy(isLive: boolean): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${sha256(STYLE, "base64")}'`,
    `script-src 'sha256-${sha256(SCRIPT, "base64")}'`,
    ...(isLive ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Returns the part of the page that an update replaces. */
export function renderContent(page: PreviewPage): string {
  const { summary, notice, problems = [], entries } = page;
  const parts: string[] = [];
  let size = 0;
  for (const [index, entry] of entries.entries()) {
    const isFull = size > MAX_CHARACTERS && entry.preview !== undefined;
    const { text } = renderEntry(isFull ? withoutForm(entry) : entry, index);
    size += text.length;
    parts.push(text);
  }
  const index = entries.length > 1 || summary !== undefined ? renderIndex(page) : undefined;
  const alert = notice !== undefined && html`<p class="notice">${notice}</p>`;
  return html`${alert}${otherProblemList(problems)}${index}${parts.map(trusted)}`.text;
}

function withoutForm({ preview: _preview, before: _before, ...entry }: PageEntry): PageEntry {
  const text = "The form is not shown, because the page has too many layouts.";
  return { ...entry, facts: [...(entry.facts ?? []), { kind: "note", text }] };
}

function renderIndex({ summary, facts = [], entries }: PreviewPage): Html {
  const rows = entries.map(({ title, action, preview }, index) => {
    const counts = preview && countBadges(countMarks(preview));
    return html`<li>${action && actionMark(action)} <a href="#entry-${index}">${title}</a>${counts}</li>`;
  });
  return html`<nav class="index" aria-labelledby="index-title">
    <h2 id="index-title">Layouts</h2>
    ${summary !== undefined && html`<p class="summary">${summary}</p>`} ${renderFacts(facts, "facts")}
    <ul>
      ${rows}
    </ul>
  </nav>`;
}

function actionMark(action: NonNullable<PageEntry["action"]>): Html {
  return html`<strong class="mark mark-${action}">${action}</strong>`;
}

function renderEntry(entry: PageEntry, index: number): Html {
  const { title, action, facts = [], preview, before } = entry;
  const id = `entry-${index}`;
  const modes = MODES.filter((mode) => [preview, before].some((each) => each?.modes.includes(mode)));
  const first = modes.find((mode) => mode === entry.mode) ?? modes[0];
  const choices = preview && [
    modes.length > 1 &&
      choice({ id: `${id}-mode`, name: "Mode", sets: "mode", checked: first }, [
        ...modes.map((mode): Choice => [mode, mode]),
        ["ALL", "All"],
      ]),
    before &&
      choice({ id: `${id}-version`, name: "Version", sets: "versions", checked: "both" }, [
        ["both", "Both"],
        ["before", "Before"],
        ["after", "After"],
      ]),
  ];
  const members = {
    id,
    "aria-labelledby": `${id}-title`,
    "data-mode": first,
    "data-versions": before && "both",
  };
  return html`<article class="entry" tabindex="-1" ${attributes(members)}>
    <div class="entry-head">
      <h2 id="${id}-title">${action && actionMark(action)} ${title}</h2>
      ${choices}
    </div>
    ${renderFacts(facts, `${id}-confirmations`)}
    ${preview && html`<div class="lists">${problemList(preview, id)}${changeList(preview, id)}</div>`}
    ${
      preview &&
      html`<div class="view">
        <div class="panes">${modes.map((mode) => panesOf({ preview, before }, mode, id))}</div>
      </div>`
    }
  </article>`;
}

type Versions = { preview: Preview; before: Preview | undefined };

/** Returns the form of a mode. With `before`, returns the old and the new form. */
function panesOf({ preview, before }: Versions, mode: Mode, entry: string): Html {
  const id = `${entry}-${mode}`;
  const label = `${entry}-title`;
  if (!before) return pane(preview, mode, { id, label });
  return html`${pane(before, mode, { id: `${id}-before`, label, title: `${mode}, before`, version: "before" })}
  ${pane(preview, mode, { id: `${id}-after`, label, title: `${mode}, after`, version: "after" })}`;
}

type PaneOptions = { id: string; label: string; title?: string; version?: string };

function pane(preview: Preview, mode: Mode, { id, label, title = mode, version }: PaneOptions): Html {
  const note = noteOf(preview, mode);
  const content = preview.modes.includes(mode)
    ? renderForm(preview, mode, id)
    : html`<p class="quiet">The layout does not have this mode.</p>`;
  return html`<section
    class="pane"
    ${attributes({ "data-mode": mode, "data-version": version, "aria-labelledby": `${label} ${id}-title` })}
  >
    <h3 id="${id}-title">${title}${note !== undefined && html` <span class="quiet">${note}</span>`}</h3>
    ${content}
  </section>`;
}

function noteOf({ regions }: Preview, mode: Mode): string | undefined {
  if (mode === "VIEW") return "with sample values";
  const blocks = regions.flatMap((region) => allBlocks(region.blocks));
  return blocks.some(({ isRequired, modes }) => isRequired && modes.includes(mode)) ? "* required" : undefined;
}

function toolbar(): Html {
  return html`${choice({ id: "width", name: "Width", sets: "width", checked: "full" }, [
      ["phone", "Phone"],
      ["tablet", "Tablet"],
      ["desktop", "Desktop"],
      ["full", "Window"],
    ])}
    ${choice({ id: "theme", name: "Colors", sets: "theme", checked: "system" }, [
      ["system", "System"],
      ["light", "Light"],
      ["dark", "Dark"],
    ])} <label class="toggle"><input type="checkbox" id="keys" /> Field keys</label>`;
}

type Choice = readonly [value: string, label: string];
type ChoiceOptions = {
  id: string;
  name: string;
  /** The data attribute that the script sets to the chosen value, on the layout or on the whole page. */
  sets: "mode" | "versions" | "width" | "theme";
  checked: string | undefined;
};

/** Returns a group of radio buttons that looks like a switch. */
function choice({ id, name, sets, checked }: ChoiceOptions, choices: readonly Choice[]): Html {
  const inputs = choices.map(([value, label]) => {
    const members = { name: id, value, id: `${id}-${value}`, "data-key": `${id} ${value}`, checked: value === checked };
    return html`<label><input type="radio" ${attributes(members)} /><span>${label}</span></label>`;
  });
  return html`<fieldset class="switch" data-sets="${sets}">
    <legend>${name}</legend>
    <div class="choices">${inputs}</div>
  </fieldset>`;
}
