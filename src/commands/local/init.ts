/** `formctl local init`: creates an empty store, or one with the demo. */

import { defineCommand, flag } from "../command.ts";
import type { DemoReport } from "./demo.ts";

export default defineCommand({
  details: "An existing store is not changed. --demo adds the example organization with forms, layouts and drafts.",
  examples: ["formctl local init --demo", "formctl local init --store ./staging.db"],
  args: {},
  options: { demo: flag("--demo", "Add the example organization Northwind Staffing") },
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
    terminal.out(`${created ? "Created the local store" : "The local store already exists"}: ${store}\n`);
    if (demo === undefined) return;
    if (demo.organization === null) terminal.out("It already contains the demo: nothing was changed.\n");
    else terminal.out(`Added the organization ${demo.organization}: ${demo.forms} forms, ${demo.layouts} layouts.\n`);
  },
  names: ({ store }) => [store],
  done: ({ store }) => ({ text: `the local store ${store} exists` }),
  next: ({ demo }) =>
    demo
      ? ["formctl forms list staffing/candidate"]
      : ["formctl local seed FILE   # organizations, objects, roles, members"],
});
