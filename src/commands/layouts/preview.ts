/** `formctl layouts preview`: draws a layout as its users see it. */

import { FormctlError } from "../../base/error.ts";
import { drawPreview } from "../../preview/drawing/draw.ts";
import { inMode } from "../../preview/modes.ts";
import { allProblems } from "../../preview/walk.ts";
import type { Diagnostic } from "../../schemas/diagnostic.ts";
import type { Mode } from "../../schemas/words.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { completeLayout, completing } from "../address-arguments.ts";
import { parseLayout } from "../addresses.ts";
import { argument, asText, type CommandContext, defineCommand, flag, list, option, renamed } from "../command.ts";
import { parseMode } from "../modes.ts";
import { openPageFile } from "../page-file.ts";
import { openPreview, type Previewed } from "./preview-source.ts";
import { parseVersion } from "./options.ts";
import { printDiagnostics } from "./validation.ts";

type Shown = {
  previewed: Previewed;
  ascii: boolean;
  /** The file of `--out`. */
  out: string | undefined;
  /** The page of `--open`. `isWatched` is false for a layout on the target and for standard input. */
  page: { url: string; isWatched: boolean } | undefined;
  /** Shows each change of a file, until a signal ends the program. */
  follow: ((terminal: Terminal) => Promise<void>) | undefined;
};

export default defineCommand({
  details: `Draws the regions with their blocks: labels, field keys and types, * for required fields, and each problem at its block. A
block that is not shown in all modes of the layout names its modes. The exit code is 3 if a layout has errors. The document is a
list with one preview for each layout.

SHOWN is a draft file, a file or folder of manifests, - for standard input, or a layout: its id or MODULE/OBJECT/FORM. Of a
layout, the draft is drawn, or else the published version. A draft file alone does not determine its fields: add --layout.

--open shows the layout as a form in a browser, at an address of this machine that the command prints, and updates it after each
save, until Ctrl-C. Set BROWSER=none, or add --no-browser, to open no browser. --out writes the same page into a file,
and draws nothing.`,
  examples: [
    'formctl layouts preview "staffing/candidate/Candidate profile"',
    'formctl layouts preview candidate-intake.yaml --layout "staffing/candidate/Candidate intake" --mode CREATE',
    'formctl layouts preview "staffing/placement/Placement desk" --compare latest',
    "formctl layouts preview forms --out preview.html",
  ],
  args: { shown: argument("SHOWN", "A layout; a file or folder; - is standard input", asText, "layoutOrPath") },
  options: {
    mode: option("--mode <mode>", "Draw only the blocks of one mode: CREATE, VIEW or EDIT", parseMode),
    layout: completing(
      option(
        "--layout <layout>",
        "The layout of a draft file: layout id, or MODULE/OBJECT/FORM",
        parseLayout,
        "layout",
      ),
      completeLayout,
    ),
    compare: list(
      "--compare <version>",
      "Mark the differences from a version: id, number, latest or draft; if repeated, compare two versions",
      parseVersion,
    ),
    watch: flag("--watch", "Draw again whenever a file changes; end with Ctrl-C"),
    open: flag(
      "--open",
      "Show the layout as a form in a browser, and update it whenever a file changes; end with Ctrl-C",
    ),
    noBrowser: flag("--no-browser", "With --open, print the address without opening a browser"),
    out: renamed(option("--out <file>", "Write a page that shows the layout as a form"), "--html <file>"),
    ascii: flag("--ascii", "Draw with ASCII characters only"),
    organizationFile: option("--organization-file <file>", "Organization file that lists the fields"),
  },
  async run(context, { mode, watch, open, noBrowser, out, ascii, ...request }): Promise<Shown> {
    const input = openPreview(context, request);
    if (watch && open) {
      throw new FormctlError(
        "USAGE",
        "--watch and --open can't be combined",
        "Remove --watch: --open updates the page.",
      );
    }
    if (watch) requireWatchable(context, input.path);
    const file = out === undefined ? undefined : await openPageFile(context, out);
    const read = async () => selectMode(await input.read(), mode);
    const pages = open || file ? await import("./preview-page.ts") : undefined;
    const whole = open && pages ? await pages.readOrProblems(input) : await input.read();
    const previewed = selectMode(whole, mode);
    if (pages) await file?.write(pages.pageOf(whole, mode));
    const page = open ? await pages?.openPage(context, input, whole, { mode, opensBrowser: !noBrowser }) : undefined;
    return {
      previewed,
      ascii,
      out,
      page: page && { url: page.url, isWatched: input.path !== undefined },
      follow: watch
        ? async (terminal) => {
            const { watchOnTerminal } = await import("./preview-watch.ts");
            await watchOnTerminal(context, { ...input, read }, previewed, (last) => print(last, ascii, terminal));
          }
        : page && ((terminal) => page.follow(terminal)),
    };
  },
  view({ previewed, ascii, out, page, follow }, terminal) {
    if (page) {
      terminal.line(`Preview at ${page.url}`);
      terminal.hint(`${page.isWatched ? "The page shows each save. " : ""}Stop with Ctrl-C.`);
    } else if (!follow && out === undefined) print(previewed, ascii, terminal);
    else if (!follow) printProblems(previewed, terminal);
    if (out !== undefined) terminal.hint(`Wrote the page ${visible(out)}.`);
  },
  document: ({ previewed, page }) => (page ? { url: page.url } : previewed.previews),
  names: ({ previewed, page }) => (page ? [page.url] : previewed.previews.map(({ title }) => title)),
  exitCode: ({ previewed }) => (hasErrors(previewed) ? 3 : 0),
  keepsRunning: ({ watch, open }) => watch || open,
  afterPrint: async ({ follow }, terminal) => follow?.(terminal),
});

/** @throws USAGE if the screen can't be redrawn, or there is no file to watch */
function requireWatchable({ terminal, settings }: CommandContext, path: string | undefined): void {
  if (path === undefined)
    throw new FormctlError("USAGE", "--watch needs a file or a folder", "Specify a file, or remove --watch.");
  if (!terminal.outIsTTY || settings.get("output") !== "table") {
    const reason = terminal.outIsTTY ? "can't be combined with -o" : "needs a terminal, because it redraws the screen";
    throw new FormctlError("USAGE", `--watch ${reason}`, "Remove --watch.");
  }
}

/** @throws INVALID_VALUE if no layout supports the mode */
function selectMode(previewed: Previewed, mode: Mode | undefined): Previewed {
  if (mode === undefined || previewed.previews.length === 0) return previewed;
  const previews = previewed.previews.filter(({ modes }) => modes.includes(mode));
  if (previews.length > 0) return { ...previewed, previews: previews.map((preview) => inMode(preview, mode)) };
  const modes = [...new Set(previewed.previews.flatMap((preview) => preview.modes))];
  const what = previewed.previews.length === 1 ? "the layout does" : "the layouts do";
  throw new FormctlError("INVALID_VALUE", `${what} not support ${mode}`, `Supported modes: ${modes.join(", ")}`);
}

/** Prints the drawings, the problems that belong to no drawing, and the checks that could not run. */
function print({ previews, problems, sources, notRun }: Previewed, ascii: boolean, terminal: Terminal): void {
  const { width, style } = terminal;
  terminal.out(previews.map((preview) => drawPreview(preview, { width, style, ascii })).join("\n\n"));
  if (problems.length > 0) terminal.out(`\n${renderDiagnostics(problems, sources, style, width)}`);
  printNotRun(notRun, terminal);
}

/** Prints what {@link print} prints, without the drawings: all problems, and the checks that could not run. */
function printProblems(previewed: Previewed, terminal: Terminal): void {
  printDiagnostics(problemsOf(previewed), terminal, previewed.sources);
  printNotRun(previewed.notRun, terminal);
}

function printNotRun(notRun: readonly string[], terminal: Terminal): void {
  for (const check of notRun) terminal.hint(`Not checked: ${visible(check)}.`);
}

function problemsOf({ previews, problems }: Previewed): Diagnostic[] {
  return [...problems, ...previews.flatMap(allProblems)];
}

function hasErrors(previewed: Previewed): boolean {
  return problemsOf(previewed).some(({ severity }) => severity === "error");
}
