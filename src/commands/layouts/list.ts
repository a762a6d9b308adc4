/** `formctl layouts list` */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { Surface } from "../../schemas/layout.ts";
import { ServiceError } from "../../service.ts";
import { stateOf } from "../../lists/versions.ts";
import { type CellValue, printTable } from "../../terminal/table.ts";
import { AddressError, parseObject } from "../addresses.ts";
import { by } from "../by-schema.ts";
import { defineCommand, option } from "../command.ts";
import { parseMode } from "../forms/mode-list.ts";
import { targetText } from "./target-text.ts";

/** The number of the published version; null where nothing is published, undefined where the server does not say. */
function publishedCell({ currentVersion, currentVersionId }: LayoutAnswer): CellValue {
  return currentVersion?.version ?? currentVersion?.id ?? currentVersionId ?? noneOf(currentVersion, currentVersionId);
}

/** The state of the draft, or at least that there is one. */
function draftCell({ latestDraftVersion, latestDraftVersionId, status }: LayoutAnswer): CellValue {
  const state = stateOf(latestDraftVersion?.validation);
  if (state !== undefined) return state;
  if (latestDraftVersion || latestDraftVersionId || status === "DRAFT") return "yes";
  return noneOf(latestDraftVersion, latestDraftVersionId);
}

function noneOf(...members: (object | string | null | undefined)[]): null | undefined {
  return members.includes(null) ? null : undefined;
}

export default defineCommand({
  about: "List layouts, oldest first",
  details: "Archived layouts are hidden.",
  examples: [
    "formctl layouts list",
    "formctl layouts list --object staffing/candidate -o name",
    "formctl layouts list --surface CONTRACTOR --mode VIEW",
  ],
  args: {},
  options: {
    surface: option("--surface <surface>", "Only layouts of this page family", by(Surface)),
    mode: option("--mode <mode>", "Only layouts that serve this mode: CREATE, VIEW or EDIT", parseMode),
    object: option("--object <module/object>", "Only layouts of this object", parseObject),
  },
  async run(context, { surface, mode, object }) {
    const service = await context.service();
    try {
      return await service.listLayouts({ query: { ...(surface && { surface }), ...(mode && { mode }), ...object } });
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.status !== 404 && error.status !== 405)) throw error;
      throw new AddressError(
        "missing",
        "this server does not list layouts",
        "Name a layout by its form, such as staffing/candidate/NAME, or by its id.",
      );
    }
  },
  view(layouts: LayoutAnswer[], terminal) {
    const columns = [
      { title: "Name", value: ({ name }: LayoutAnswer) => name },
      { title: "Id", value: ({ id }: LayoutAnswer) => id, whole: true },
      { title: "Surface", value: (layout: LayoutAnswer) => layout.surface },
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
    printTable(terminal, columns, layouts, "There is no such layout.");
  },
});
