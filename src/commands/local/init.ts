/** `formctl local init`: creates an empty store, or one with the demo. */

import type { LocalService } from "../../local-service.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import type { DemoReport } from "./demo.ts";

export default defineCommand({
  details: "An existing store is not changed. --demo adds the example organization with forms, layouts and drafts.",
  examples: [
    "formctl local init --demo",
    "formctl local init --store ./staging.db",
    "formctl local init --store postgres://formctl@db.example.com/formctl",
  ],
  args: {},
  options: { demo: flag("--demo", "Add the example organization Northwind Staffing") },
  writes: "store",
  run: (context, { demo }) => initStore(context, { demo }),
  view: printStore,
  names: ({ store }) => [store],
  done: ({ store }) => ({ text: `the local store ${store} exists` }),
  next: ({ demo }) =>
    demo
      ? ["formctl forms list staffing/candidate"]
      : ["formctl local seed FILE   # organizations, objects, roles, members"],
});

export type InitializedStore = {
  store: string;
  created: boolean;
  demo?: DemoReport;
};

/**
 * Creates the local store if it does not exist.
 *
 * @param options.demo whether to add the demo
 * @param options.beforeDemo called before the demo is added. If this function throws, the demo is not added
 */
export async function initStore(
  context: CommandContext,
  { demo, beforeDemo }: { demo: boolean; beforeDemo?: (local: LocalService) => Promise<void> },
): Promise<InitializedStore> {
  const created = await context.localStore.create();
  const local = await context.local();
  const store = context.localStore.location;
  if (!demo) return { store, created };
  await beforeDemo?.(local);
  return { store, created, demo: await (await import("./demo.ts")).buildDemo(context, local) };
}

/** Prints the result of {@link initStore}. */
export function printStore({ store, created, demo }: InitializedStore, terminal: Terminal): void {
  terminal.out(`${created ? "Created the local store" : "The local store already exists"}: ${store}\n`);
  if (demo === undefined) return;
  if (demo.organization === null) terminal.out("It already contains the demo: nothing was changed.\n");
  else terminal.out(`Added the organization ${demo.organization}: ${demo.forms} forms, ${demo.layouts} layouts.\n`);
}
