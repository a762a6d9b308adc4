/** `formctl layouts list` */

import { type Layout, Surface } from "../../schemas/layout.ts";
import { ServiceError } from "../../service.ts";
import { printTable } from "../../terminal/table.ts";
import { AddressError, parseObject } from "../addresses.ts";
import { by } from "../by-schema.ts";
import { defineCommand, option } from "../command.ts";
import { parseMode } from "../forms/mode-list.ts";
import { targetText } from "./target-text.ts";

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
  view(layouts: Layout[], terminal) {
    const columns = [
      { title: "Name", value: ({ name }: Layout) => name },
      { title: "Id", value: ({ id }: Layout) => id, whole: true },
      { title: "Surface", value: (layout: Layout) => layout.surface },
      { title: "Target", value: ({ target }: Layout) => targetText(target) || null, shrink: true, yields: true },
      { title: "Modes", value: ({ supportedModes }: Layout) => supportedModes.join(", "), shrink: true, yields: true },
      { title: "Published", value: ({ currentVersion }: Layout) => currentVersion?.version, align: "right" },
      { title: "Draft", value: ({ latestDraftVersion }: Layout) => latestDraftVersion?.validation.state },
    ] as const;
    printTable(terminal, columns, layouts, "There is no such layout.");
  },
});
