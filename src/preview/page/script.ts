/**
 * The script of the page: switches, tabs, links to blocks, and updates of a served page. The style sheet could react to
 * the switches with :has(). But a browser would then need half a minute for a plan of 100 layouts.
 */

export const SCRIPT = String.raw`
"use strict";
const content = document.getElementById("content");

/* Passes the choices of the switches to the style sheet, as attributes of their layout or of the whole page. */
function applyChoices(within) {
  for (const each of within.querySelectorAll("[data-sets] :checked")) {
    const owner = each.closest(".entry") ?? document.documentElement;
    owner.dataset[each.closest("[data-sets]").dataset.sets] = each.value;
  }
  document.documentElement.toggleAttribute("data-keys", document.getElementById("keys").checked);
}

document.addEventListener("change", (event) => {
  if (event.target.id === "keys" || event.target.closest("[data-sets]")) applyChoices(event.target.closest(".entry, .top"));
});
/* A browser may restore the switches when it loads the page again. */
applyChoices(document);

function selectTab(tab) {
  for (const each of tab.closest("[role=tablist]").querySelectorAll("[role=tab]")) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    document.getElementById(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
}

/* Opens the tabs that contain an element. */
function openTabs(element) {
  for (let panel = element.closest("[role=tabpanel]"); panel; panel = panel.parentElement.closest("[role=tabpanel]")) {
    selectTab(document.getElementById(panel.getAttribute("aria-labelledby")));
  }
}

function isVisible(element) {
  return element.closest(".pane").getClientRects().length > 0;
}

/*
 * Shows the block that a link refers to: chooses its mode and its tabs, and moves the focus to it. Problems and changes
 * are not about the version before the changes.
 */
function jump({ target, mode }, entry) {
  const found = [...entry.querySelectorAll(".pane:not([data-version=before]) [data-target]")]
    .filter((each) => each.dataset.target === target);
  const inMode = found.filter((each) => !mode || each.closest(".pane").dataset.mode === mode);
  const block = inMode.find(isVisible) ?? inMode[0] ?? found.find(isVisible) ?? found[0];
  if (!block) return;
  const pane = block.closest(".pane");
  if (!isVisible(block)) {
    const show = (name, value) => {
      const choice = entry.querySelector("[data-sets=" + name + "] input[value=" + value + "]");
      if (choice) choice.checked = true;
      applyChoices(entry);
    };
    if (entry.dataset.mode !== "ALL") show("mode", pane.dataset.mode);
    if (!isVisible(block)) show("versions", "both");
  }
  openTabs(block);
  block.scrollIntoView({ block: "center" });
  block.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) selectTab(tab);
  const link = event.target.closest("a[data-jump]");
  if (!link) return;
  event.preventDefault();
  jump({ target: link.dataset.jump, mode: link.dataset.mode }, link.closest(".entry"));
});

document.addEventListener("keydown", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (!tab) return;
  const tabs = [...tab.closest("[role=tablist]").querySelectorAll("[role=tab]")];
  const index = tabs.indexOf(tab);
  const next = {
    ArrowRight: (index + 1) % tabs.length,
    ArrowLeft: (index - 1 + tabs.length) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  selectTab(tabs[next]);
  tabs[next].focus();
});

/* A preview sends nothing, and shows what the form shows after a submission. */
document.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = event.target.querySelector(".form-foot [role=status]");
  message.textContent = message.dataset.text;
});

/* The browser reports the first invalid control, and can't report it in a closed tab. */
document.addEventListener("invalid", (event) => {
  if (event.target === event.target.form?.querySelector(":is(input, select, textarea):invalid")) openTabs(event.target);
}, true);

/* The kind of a value: a control of another kind can't take it, for example after a field was replaced. */
function kindOf(each) {
  if (each.role === "tab") return "tab";
  return ["checkbox", "radio", "file", "select-multiple"].includes(each.type) ? each.type : "text";
}

function readState() {
  const state = new Map();
  for (const each of content.querySelectorAll("[data-key]")) {
    const kind = kindOf(each);
    const value = kind === "tab" ? each.getAttribute("aria-selected") === "true"
      : kind === "checkbox" || kind === "radio" ? each.checked
      : kind === "file" ? each.files
      : kind === "select-multiple" ? [...each.selectedOptions].map((option) => option.value)
      : each.value;
    state.set(kind + " " + each.dataset.key, value);
  }
  return state;
}

function writeState(state) {
  for (const each of content.querySelectorAll("[data-key]")) {
    const kind = kindOf(each);
    const value = state.get(kind + " " + each.dataset.key);
    if (value === undefined) continue;
    if (kind === "tab") { if (value) selectTab(each); }
    else if (kind === "radio") { if (value) each.checked = true; }
    else if (kind === "checkbox") each.checked = value;
    else if (kind === "file") each.files = value;
    else if (kind === "select-multiple") for (const option of each.options) option.selected = value.includes(option.value);
    else if (each.value !== value) each.value = value;
  }
}

/* Replaces the content. Keeps typed text, modes, tabs, the focus and the scroll positions. */
function update({ title, html }) {
  const state = readState();
  const [left, top] = [scrollX, scrollY];
  const scrolled = [...content.querySelectorAll(".panes")].map(({ scrollLeft }) => scrollLeft);
  const focused = content.contains(document.activeElement) ? document.activeElement : null;
  const selection = focused && "selectionStart" in focused ? [focused.selectionStart, focused.selectionEnd] : null;
  document.title = title;
  content.innerHTML = html;
  writeState(state);
  applyChoices(content);
  for (const [index, each] of content.querySelectorAll(".panes").entries()) each.scrollLeft = scrolled[index] ?? 0;
  if (focused) {
    const { key } = focused.dataset;
    const same = key ? [...content.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)
      : focused.id ? document.getElementById(focused.id) : null;
    same?.focus({ preventScroll: true });
    if (same && selection && selection[0] !== null) same.setSelectionRange(...selection);
  }
  scrollTo(left, top);
}

if (document.documentElement.dataset.live) {
  const status = document.getElementById("status");
  let version = document.documentElement.dataset.live;
  const events = new EventSource("events");
  events.addEventListener("update", (event) => {
    status.textContent = "";
    if (event.lastEventId === version) return;
    version = event.lastEventId;
    update(JSON.parse(event.data));
    status.textContent = "Updated at " + new Date().toLocaleTimeString();
  });
  events.addEventListener("error", () => {
    status.textContent = "Not connected: formctl has stopped.";
  });
}
`;
