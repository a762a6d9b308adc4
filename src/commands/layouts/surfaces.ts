/** `formctl layouts surfaces` */

import { FormctlError } from "../../error.ts";
import type { SurfaceAnswer, SurfacesAnswer } from "../../schemas/answers.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand, optionalArgument } from "../command.ts";
import { typedSurface } from "./surface-option.ts";

export default defineCommand({
  about: "List page families with their default regions",
  details: `The list is the target's own. A server may have surfaces that formctl does not know: they are listed, and can be typed wherever
a command takes a surface, with a warning. A local store has those that formctl knows. What a server does not report of a
surface is empty.`,
  examples: ["formctl layouts surfaces", "formctl layouts surfaces DASHBOARD -o yaml --query surfaces[].regions[]"],
  args: { surface: optionalArgument("SURFACE", "Only this one", (text) => text) },
  options: {},
  async run(context, { surface }) {
    const wanted = typedSurface(context, surface, "SURFACE");
    const service = await context.service();
    const definitions = await service.getSurfaceDefinitions({ query: wanted === undefined ? {} : { surface: wanted } });
    if (wanted !== undefined && definitions.surfaces.length === 0) {
      throw new FormctlError("NOT_FOUND", `the server has no surface ${wanted}`, "List them: formctl layouts surfaces");
    }
    return definitions;
  },
  view({ surfaces }: SurfacesAnswer, terminal) {
    const columns = [
      { title: "Surface", value: ({ surface }: SurfaceAnswer) => surface },
      { title: "Modes", value: ({ supportedModes }: SurfaceAnswer) => supportedModes?.join(", ") },
      { title: "Default regions", value: regionsText, shrink: true },
    ];
    printTable(terminal, columns, surfaces, "The service has no surface.");
  },
  names: ({ surfaces }: SurfacesAnswer) => surfaces.map(({ surface }) => surface),
});

/** `main (grid, 12), sidebar (sidebar, 4)` */
function regionsText({ regions }: SurfaceAnswer): string | undefined {
  return regions
    ?.map(({ key, layout, columns }) => `${key} (${[layout, columns].filter((part) => part != null).join(", ")})`)
    .join(", ");
}
