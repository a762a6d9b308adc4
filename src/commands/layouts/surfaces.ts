/** `formctl layouts surfaces` */

import type { SurfaceAnswer, SurfacesAnswer } from "../../schemas/answers.ts";
import { Surface } from "../../schemas/layout.ts";
import { printTable } from "../../terminal/table.ts";
import { by } from "../by-schema.ts";
import { defineCommand, optionalArgument } from "../command.ts";

export default defineCommand({
  about: "List page families with their default regions",
  examples: ["formctl layouts surfaces", "formctl layouts surfaces DASHBOARD -o yaml --query surfaces[].regions[]"],
  args: { surface: optionalArgument("SURFACE", "Only this one", by(Surface)) },
  options: {},
  async run(context, { surface }) {
    const service = await context.service();
    return service.getSurfaceDefinitions({ query: surface ? { surface } : {} });
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
