/** `formctl local init`: an empty store, or one with the demo's organization. */

import { defineCommand, flag } from "../command.ts";
import type { DemoReport } from "./demo.ts";

export default defineCommand({
  about: "Create the local store",
  details:
    "A store that exists is left as it is. With --demo it gets the organization of the example: forms, layouts, drafts.",
  examples: ["formctl local init --demo", "formctl local init --store ./staging.db"],
  args: {},
  options: { demo: flag("--demo", "Fill it with the example organization Northwind Staffing") },
  writes: "store",
  async run(context, { demo }) {
    const created = await context.localStore.create();
    const local = await context.local();
    const report: DemoReport | undefined = demo
      ? await (await import("./demo.ts")).buildDemo(context, local)
      : undefined;
    return { store: context.localStore.location, created, ...(report && { demo: report }) };
  },
  view({ store, created, demo }, terminal) {
    terminal.out(`${created ? "Created" : "There is already"} a local store: ${store}\n`);
    if (demo === undefined) return;
    if (demo.organization === null) terminal.out("It holds the demo already: nothing was changed.\n");
    else terminal.out(`Added the organization ${demo.organization}: ${demo.forms} forms, ${demo.layouts} layouts.\n`);
  },
  names: ({ store }) => [store],
  done: ({ store }) => ({ text: `there is a local store at ${store}` }),
  next: ({ demo }) =>
    demo
      ? ["formctl forms list staffing/candidate"]
      : ["formctl local seed FILE   # organizations, objects, roles, members"],
});
