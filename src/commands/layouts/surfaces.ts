/** `formctl layouts surfaces`: prints the surfaces with their regions. */

import { FormctlError } from "../../base/error.ts";
import type { SurfaceAnswer, SurfacesAnswer } from "../../schemas/answers.ts";
import { asDocumented } from "../../schemas/words.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand, optionalArgument } from "../command.ts";
import { typedSurface } from "./options.ts";

export default defineCommand({
  details: `Lists the surfaces of the target. A server may have surfaces that formctl does not know: other commands accept them with a
warning. Values that a server does not report are empty.`,
  examples: ["formctl layouts surfaces", "formctl layouts surfaces DASHBOARD -o yaml --query surfaces[].regions[]"],
  args: { surface: optionalArgument("SURFACE", "Only this surface", (text) => text) },
  options: {},
  async run(context, { surface }) {
    const wanted = typedSurface(context, surface, "SURFACE");
    const service = await context.service();
    const definitions = await service.getSurfaceDefinitions({
      query: asDocumented(wanted === undefined ? {} : { surface: wanted }),
    });
    if (wanted !== undefined && definitions.surfaces.length === 0) {
      throw new FormctlError(
        "NOT_FOUND",
        `the surface ${wanted} does not exist on the server`,
        "List the surfaces: formctl layouts surfaces",
      );
    }
    return definitions;
  },
  view({ surfaces }: SurfacesAnswer, terminal) {
    const columns = [
      { title: "Surface", value: ({ surface }: SurfaceAnswer) => surface },
      { title: "Modes", value: ({ supportedModes }: SurfaceAnswer) => supportedModes?.join(", ") },
      { title: "Default regions", value: regionsText, wraps: true },
    ];
    printTable(terminal, columns, surfaces, "The service has no surfaces.");
  },
  names: ({ surfaces }: SurfacesAnswer) => surfaces.map(({ surface }) => surface),
});

/** Returns the regions as text, such as `main (grid, 12), sidebar (sidebar, 4)`. */
function regionsText({ regions }: SurfaceAnswer): string | undefined {
  return regions
    ?.map(({ key, layout, columns }) => `${key} (${[layout, columns].filter((part) => part != null).join(", ")})`)
    .join(", ");
}
