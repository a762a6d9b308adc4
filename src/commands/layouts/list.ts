/** `formctl layouts list`: prints the layouts of the organization. */

import { layoutsNotListed } from "../../lists/layouts.ts";
import type { LayoutAnswer } from "../../schemas/answers.ts";
import { asDocumented } from "../../schemas/words.ts";
import { notShown, ServiceError } from "../../service.ts";
import { stateOf } from "../../lists/versions.ts";
import { withProgress } from "../../terminal/progress.ts";
import { type CellValue, printTable } from "../../terminal/table.ts";
import { objectOption } from "../address-arguments.ts";
import { defineCommand, option } from "../command.ts";
import { parseMode } from "../modes.ts";
import { watchOptions } from "../watch-options.ts";
import { typedSurface } from "./options.ts";
import { targetText } from "./layout-view.ts";

/**
 * Returns the number of the published version, or its id if the number is unknown. Null if nothing is published.
 * Undefined if the server does not report the published version.
 */
function publishedCell({ currentVersion, currentVersionId }: LayoutAnswer): CellValue {
  return currentVersion?.version ?? currentVersion?.id ?? currentVersionId ?? noneOf(currentVersion, currentVersionId);
}

/** Returns the state of the draft, or `yes` if only its existence is known. */
function draftCell({ latestDraftVersion, latestDraftVersionId, status }: LayoutAnswer): CellValue {
  const state = stateOf(latestDraftVersion?.validation);
  if (state !== undefined) return state;
  if (latestDraftVersion || latestDraftVersionId || status === "DRAFT") return "yes";
  return noneOf(latestDraftVersion, latestDraftVersionId);
}

function noneOf(...members: (object | string | null | undefined)[]): null | undefined {
  return members.includes(null) ? null : undefined;
}

/**
 * Checks that the server returns the member of the filter.
 *
 * @throws NOT_SHOWN if a layout lacks the member. It is then unknown whether the layout matches
 */
function requireShown(layouts: readonly LayoutAnswer[], member: "surface" | "supportedModes" | "target"): void {
  const [first, ...others] = layouts.filter((layout) => layout[member] === undefined);
  if (!first) return;
  const more = others.length === 0 ? "" : `, and of ${others.length} more`;
  throw notShown(`the ${member} of the layout ${first.id}${more}`, "List all layouts: formctl layouts list");
}

export default defineCommand({
  details: `Archived layouts are not listed. A filter fails if the server does not report the filtered member for every layout: list
all layouts instead.`,
  examples: [
    "formctl layouts list",
    "formctl layouts list --object staffing/candidate -o name",
    "formctl layouts list --surface CONTRACTOR --mode VIEW",
  ],
  args: {},
  options: {
    surface: option("--surface <surface>", "Only layouts of this surface (page family)"),
    mode: option("--mode <mode>", "Only layouts with this mode: CREATE, VIEW or EDIT", parseMode),
    object: objectOption("--object <module/object>", "Only layouts of this object"),
    ...watchOptions,
  },
  watches: true,
  async run(context, { surface, mode, object }) {
    const wanted = typedSurface(context, surface, "--surface");
    const service = await context.service();
    let layouts: LayoutAnswer[];
    try {
      const query = { ...(wanted !== undefined && { surface: wanted }), ...(mode && { mode }), ...object };
      layouts = await withProgress(context.terminal, { label: "Reading layouts" }, () =>
        service.listLayouts({ query: asDocumented(query) }),
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.status !== 404 && error.status !== 405)) throw error;
      throw layoutsNotListed("Specify a layout by its form, such as staffing/candidate/NAME, or by its id.");
    }
    if (wanted !== undefined) requireShown(layouts, "surface");
    if (mode) requireShown(layouts, "supportedModes");
    if (object) requireShown(layouts, "target");
    return layouts;
  },
  view(layouts: LayoutAnswer[], terminal) {
    const columns = [
      { title: "Name", value: ({ name }: LayoutAnswer) => name, essential: true },
      { title: "Id", value: ({ id }: LayoutAnswer) => id, id: true, yields: true },
      { title: "Surface", value: (layout: LayoutAnswer) => layout.surface, yields: "late" },
      {
        title: "Target",
        value: ({ target }: LayoutAnswer) => target && (targetText(target) || null),
        shrink: true,
        yields: true,
      },
      {
        title: "Modes",
        value: ({ supportedModes }: LayoutAnswer) => supportedModes?.join(", "),
        shrink: true,
        yields: true,
      },
      { title: "Published", value: publishedCell, align: "right" },
      { title: "Draft", value: draftCell },
    ] as const;
    printTable(terminal, columns, layouts, "No layout matches.");
  },
});
