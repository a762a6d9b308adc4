/** The style sheet of the page. It has light and dark colours, and widths that depend on the space of each form. */

import { MAX_COLUMNS, MAX_ROW, MAX_ROWS, MAX_SIDE_WIDTH } from "./form.ts";

const numbers = (most: number) => Array.from({ length: most }, (_, index) => index + 1);

/** Classes instead of style attributes, because the content security policy allows no style attributes. */
const GRID_CLASSES = [
  ...numbers(MAX_COLUMNS).map((n) => `.columns-${n}{grid-template-columns:repeat(${n},minmax(0,1fr))}`),
  ...numbers(MAX_COLUMNS).map((n) => `.span-${n}{grid-column-end:span ${n}}`),
  ...numbers(MAX_COLUMNS).map((n) => `.start-${n}{grid-column-start:${n}}`),
  ...numbers(MAX_ROW).map((n) => `.row-${n}{grid-row-start:${n}}`),
  ...numbers(MAX_ROWS).map((n) => `.rows-${n}{grid-row-end:span ${n}}`),
].join("\n");

const SIDE_CLASSES = numbers(MAX_SIDE_WIDTH)
  .map((n) => `.side-${n}{grid-template-columns:minmax(0,${12 - n}fr) minmax(12rem,${n}fr)}`)
  .join("\n");

const HALF_SPANS = numbers(6)
  .map((n) => `.columns-12>.span-${n}`)
  .join(",");

export const STYLE = String.raw`
:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f5f8, #101318);
  --surface: light-dark(#ffffff, #191d24);
  --field: light-dark(#ffffff, #11151b);
  --flat: light-dark(#f3f5f8, #212731);
  --text: light-dark(#1a2029, #e8ebf0);
  --quiet: light-dark(#566070, #a4aebd);
  --border: light-dark(#dce1e8, #2d3541);
  --control: light-dark(#8791a1, #6d7889);
  --accent: light-dark(#1f55c9, #8ab0ff);
  --error: light-dark(#a11919, #ff9c94);
  --error-ground: light-dark(#fde9e8, #3d1a1a);
  --warning: light-dark(#7a4a00, #f3c163);
  --warning-ground: light-dark(#fdf0d5, #3a2a0c);
  --added: light-dark(#125a2b, #7fdc9c);
  --added-ground: light-dark(#def4e4, #12321d);
  --moved: light-dark(#1d4196, #9cbcff);
  --moved-ground: light-dark(#e4ecfd, #1b2a4c);
  --changed: light-dark(#5b2a9b, #ceb0ff);
  --changed-ground: light-dark(#f0e7fd, #2f2048);
  --skeleton: light-dark(#e3e7ed, #2b323d);
  --side: max(24px, (100vw - 100rem) / 2);
}
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1, h2, h3, h4, p, ul, fieldset { margin: 0; padding: 0; }
ul { list-style: none; }
fieldset { border: 0; min-width: 0; }
legend { padding: 0; }
a { color: var(--accent); text-underline-offset: 2px; }
code { font: 0.87em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.quiet { color: var(--quiet); font-weight: 400; }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.top { display: flex; flex-wrap: wrap; gap: 10px 20px; align-items: center; padding: 12px var(--side); background: var(--surface); border-bottom: 1px solid var(--border); }
.top h1 { flex: 1 1 16rem; font-size: 17px; font-weight: 650; overflow-wrap: anywhere; }
.top [role=status] { color: var(--quiet); font-size: 13px; min-width: 12rem; min-height: 1.5em; }
:root:not([data-live]) .top [role=status] { display: none; }
.switch { display: flex; align-items: center; gap: 8px; font-size: 13px; }
.switch legend { float: left; color: var(--quiet); }
.choices { display: flex; background: var(--flat); border: 1px solid var(--border); border-radius: 8px; padding: 2px; }
.choices label { position: relative; cursor: pointer; }
.choices span { display: block; padding: 3px 10px; border-radius: 6px; }
.choices input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
.choices :checked + span { background: var(--surface); box-shadow: 0 0 0 1px var(--control); font-weight: 600; }
.choices :focus-visible + span { outline: 2px solid var(--accent); outline-offset: 2px; }
.toggle { display: flex; gap: 6px; align-items: center; font-size: 13px; }

main { padding: 20px var(--side) 64px; display: grid; gap: 32px; grid-template-columns: minmax(0, 1fr); }
.index { background: var(--surface); border: 1px solid var(--border); border-radius: 12px; padding: 16px 20px; }
.index h2 { font-size: 15px; margin-bottom: 8px; }
.index li { padding: 4px 0; overflow-wrap: anywhere; }
.summary { font-weight: 600; margin-bottom: 8px; }
.entry { display: grid; gap: 14px; grid-template-columns: minmax(0, 1fr); scroll-margin-top: 12px; }
.index ~ .entry { content-visibility: auto; contain-intrinsic-size: auto 40rem; }
.entry-head { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; }
.entry-head h2 { font-size: 20px; line-height: 1.3; margin-right: auto; overflow-wrap: anywhere; }
.index .facts { margin-bottom: 8px; }
.facts li { padding: 3px 0; font-size: 14px; overflow-wrap: anywhere; }
.losses { margin: 4px 0 6px; padding: 8px 12px; background: var(--error-ground); color: var(--error); border-radius: 8px; }
.losses p { font-weight: 600; }
.losses ul { list-style: disc; padding-left: 20px; }
.notice { background: var(--error-ground); color: var(--error); border-radius: 8px; padding: 8px 12px; font-weight: 600; }
.lists { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: start; }
.lists:empty { display: none; }
.findings { background: var(--surface); border: 1px solid var(--border); border-radius: 12px; padding: 12px 16px; }
.findings :is(h2, h3) { font-size: 14px; margin-bottom: 4px; }
.findings li { padding: 3px 0; font-size: 14px; overflow-wrap: anywhere; }

.mark { display: inline-block; padding: 0 7px; border-radius: 999px; font-size: 12px; line-height: 19px; font-weight: 600; white-space: nowrap; }
.mark-error, .mark-refusal { background: var(--error-ground); color: var(--error); }
.mark-warning, .mark-unknown { background: var(--warning-ground); color: var(--warning); }
.mark-added, .mark-create { background: var(--added-ground); color: var(--added); }
.mark-removed, .mark-delete { background: var(--error-ground); color: var(--error); }
.mark-moved, .mark-effect { background: var(--moved-ground); color: var(--moved); }
.mark-note { background: var(--skeleton); color: var(--text); }
h2 > .mark { vertical-align: middle; }
.mark-changed, .mark-update { background: var(--changed-ground); color: var(--changed); }
.badge { font-size: 13px; margin-bottom: 6px; color: var(--quiet); overflow-wrap: anywhere; }
.cell .badge .mark { padding: 0; }
.problems { font-size: 13px; margin-top: 6px; display: grid; gap: 4px; }
.problems li { overflow-wrap: anywhere; }
.problem-error { color: var(--error); }
.problem-warning { color: var(--warning); }

.view { container: view / inline-size; }
.panes { display: flex; flex-wrap: wrap; gap: 24px; align-items: flex-start; }
.pane { flex: 1 1 22rem; min-width: 0; max-width: 100%; container-type: inline-size; }
.pane > h3 { font-size: 13px; font-weight: 600; color: var(--quiet); margin-bottom: 8px; text-transform: none; }
.pane[data-version] { flex-basis: 100%; }
:root:is([data-width=phone], [data-width=tablet]) .panes { justify-content: center; }
:root:is([data-width=phone], [data-width=tablet]) .pane { box-sizing: content-box; padding: 14px; border: 1px solid var(--control); border-radius: 24px; }
:root[data-width=phone] .pane { flex: 0 0 min(390px, 100% - 30px); }
:root[data-width=tablet] .pane { flex: 0 0 min(768px, 100% - 30px); }
:root[data-width=desktop] .panes { overflow-x: auto; flex-wrap: nowrap; padding: 3px; }
:root[data-width=desktop] .pane { flex: 0 0 1200px; }
.entry[data-mode=CREATE] .pane:not([data-mode=CREATE]),
.entry[data-mode=VIEW] .pane:not([data-mode=VIEW]),
.entry[data-mode=EDIT] .pane:not([data-mode=EDIT]),
.entry[data-versions=before] .pane[data-version=after],
.entry[data-versions=after] .pane[data-version=before] { display: none; }

.form-head { margin-bottom: 16px; overflow-wrap: anywhere; }
.form-foot [role=status] { color: var(--added); font-weight: 550; overflow-wrap: anywhere; }
.form-head h4 { font-size: 22px; line-height: 1.3; }
.form-foot { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin-top: 16px; }
.regions { display: grid; gap: 16px; grid-template-columns: minmax(0, 1fr); align-content: start; container-type: inline-size; }
.with-side { display: grid; gap: 16px; grid-template-columns: minmax(0, 1fr); }
.region { background: var(--surface); border: 1px solid var(--border); border-radius: 12px; padding: 18px 20px 20px; }
.region > h4 { font-size: 15px; font-weight: 650; margin-bottom: 12px; overflow-wrap: anywhere; }
.grid { display: grid; gap: 16px 20px; align-items: start; }
.grid.columns-1 > * { grid-column: 1 / -1; }
${GRID_CLASSES}
.cell { min-width: 0; border-radius: 8px; }
.cell-container { container-type: inline-size; }
.region-dashboard_grid > .grid { grid-auto-rows: minmax(76px, auto); }
.region-dashboard_grid > .grid > .cell { align-self: stretch; display: grid; }
.cell fieldset:not(.group) { border: 1px solid var(--border); border-radius: 10px; padding: 14px 16px 16px; }
.cell fieldset:not(.group) > legend { font-weight: 600; font-size: 14px; padding: 0 6px; margin-left: -6px; }
.group > legend, .label, .check { font-weight: 550; font-size: 14px; }
.label, .group > legend { margin-bottom: 4px; display: flex; gap: 8px; align-items: baseline; }
.label label { overflow-wrap: anywhere; }
.required { color: var(--error); }
.read-only { font-size: 12px; font-weight: 500; color: var(--quiet); border: 1px solid var(--border); border-radius: 999px; padding: 0 7px; white-space: nowrap; }
.staged { color: var(--moved); font-size: 12px; margin-top: 3px; }
.hint { display: none; color: var(--quiet); font-size: 12px; margin-top: 3px; overflow-wrap: anywhere; }
:root[data-keys] .hint { display: block; }
input, select, textarea, button { font: inherit; color: inherit; }
.pane :is(input:not([type=checkbox]), select, textarea) { display: block; width: 100%; padding: 7px 10px; background: var(--field); color: var(--text); border: 1px solid var(--control); border-radius: 8px; }
.pane :is(input:not([type=checkbox]), select:not([multiple])) { height: 40px; }
.pane textarea { resize: vertical; }
.money { position: relative; }
.money > input { padding-right: 60px; }
.money > span { position: absolute; inset: 0 12px auto auto; line-height: 40px; font-size: 13px; color: var(--quiet); pointer-events: none; }
.pane :is(input, textarea):read-only:not([type=checkbox], [type=file]), .pane :disabled { background: var(--flat); border-color: var(--border); }
.pane input[type=file] { padding: 5px; }
.pane input[type=file]::file-selector-button { font: inherit; color: inherit; background: var(--flat); border: 1px solid var(--border); border-radius: 6px; padding: 2px 10px; margin-right: 10px; }
::placeholder { color: var(--quiet); opacity: 1; }
input[type=checkbox] { width: 17px; height: 17px; margin: 0; accent-color: var(--accent); flex: none; }
.check { display: flex; gap: 9px; align-items: center; min-height: 40px; padding-top: 22px; box-sizing: content-box; }
.chips { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { display: flex; gap: 7px; align-items: center; padding: 5px 11px; min-height: 40px; border: 1px solid var(--control); border-radius: 8px; font-size: 14px; font-weight: 400; overflow-wrap: anywhere; }
.text-block { color: var(--quiet); }
.button { background: var(--flat); border: 1px solid var(--control); border-radius: 8px; padding: 6px 14px; font-weight: 550; cursor: pointer; }
.submit { background: var(--accent); border-color: var(--accent); color: var(--surface); padding: 8px 20px; }

.tabs [role=tablist] { display: flex; flex-wrap: wrap; gap: 2px; border-bottom: 1px solid var(--border); margin-bottom: 16px; }
.tabs [role=tab] { background: none; border: 0; border-bottom: 2px solid transparent; padding: 7px 12px; margin-bottom: -1px; font-size: 14px; font-weight: 550; color: var(--quiet); cursor: pointer; border-radius: 6px 6px 0 0; }
.tabs [role=tab][aria-selected=true] { color: var(--accent); border-bottom-color: var(--accent); }
.panel { container-type: inline-size; border-radius: 6px; }

.card { border: 1px solid var(--border); border-radius: 10px; padding: 12px 14px; display: grid; gap: 10px; align-content: start; justify-items: start; grid-template-columns: minmax(0, 1fr); }
.card > :is(.rows, .lines, textarea, input) { width: 100%; }
.card-title { font-weight: 600; font-size: 14px; overflow-wrap: anywhere; }
.card-title .quiet { font-size: 12px; margin-left: 4px; }
.card > label { font-size: 13px; font-weight: 550; margin-bottom: -6px; }
.scroll { overflow-x: auto; width: 100%; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 7px 12px 7px 0; border-bottom: 1px solid var(--border); min-width: 5rem; }
th { color: var(--quiet); font-weight: 600; }
.number { font-size: 32px; line-height: 1.1; font-weight: 650; }
.lines, .rows { display: grid; gap: 9px; }
.row { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 14px; padding-bottom: 9px; border-bottom: 1px solid var(--border); }
.line { display: block; height: 9px; border-radius: 5px; background: var(--skeleton); }
.lines .line:last-child:not(:only-child) { width: 62%; }

.is-added, .is-removed, .is-moved, .is-changed { position: relative; }
:is(.cell, .panel):is(.is-added, .is-removed, .is-moved, .is-changed) { box-shadow: 0 0 0 5px var(--mark-ground); background: var(--mark-ground); }
:is(.is-added, .is-removed, .is-moved, .is-changed)::before { content: ""; position: absolute; inset: -5px auto -5px -5px; width: 3px; background: var(--mark); }
.region:is(.is-added, .is-removed, .is-moved, .is-changed) { overflow: clip; }
.region:is(.is-added, .is-removed, .is-moved, .is-changed)::before { inset: 0 auto 0 0; }
.is-added { --mark: var(--added); --mark-ground: var(--added-ground); }
.is-removed { --mark: var(--error); --mark-ground: var(--error-ground); }
.is-moved { --mark: var(--moved); --mark-ground: var(--moved-ground); }
.is-changed { --mark: var(--changed); --mark-ground: var(--changed-ground); }
:is(.cell, .panel):is(.is-added, .is-removed, .is-moved, .is-changed) :is(.badge, .quiet, .hint, .staged, th, .read-only, .text-block, .check, ::placeholder) { color: var(--text); }
.is-removed > :is(.label, .check) label, .is-removed legend, .is-removed .card-title, .region.is-removed > h4 { text-decoration: line-through; }
.cell:focus, .region:focus, .panel:focus, .entry:focus { outline: 3px solid var(--accent); outline-offset: 4px; }

/* A comparison shows the columns of the layout also in blocks that would otherwise be too narrow for them. */
.pane[data-version] :is(.regions, .cell-container, .panel) { container-type: normal; }
.pane[data-version] .grid { column-gap: clamp(8px, 2%, 20px); }
@container view (width >= 72rem) {
  :root[data-width=full] .entry[data-versions=both] .panes { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); }
  :root[data-width=full] .entry[data-versions=both] .pane { zoom: 0.8; }
}
@container (width >= 52rem) {
${SIDE_CLASSES}
}
@container (width < 44rem) {
  .columns-12 { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .columns-12 > * { grid-column: 1 / -1; grid-row-start: auto; }
  :is(${HALF_SPANS}) { grid-column: auto / span 1; }
}
@container (width < 26rem) { .grid > .cell { grid-column: 1 / -1; grid-row-start: auto; } }
@media (max-width: 40rem) { :root { --side: 14px; } .region { padding-inline: 14px; } }
@media print { .switch, .top .toggle, .form-foot { display: none; } }
`;
