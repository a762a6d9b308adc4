/** `formctl local init`: creates an empty store, or one with the demo. */

import { rememberDraft, type SavedDraft } from "../../config/saved-drafts.ts";
import type { LocalService } from "../../local-service.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import type { DemoReport } from "./demo.ts";
import { intoOption, prepareExamples, printExamples, refuseIntoAlone, type WrittenExamples } from "./example-files.ts";

export default defineCommand({
  details: `An existing store is not changed. --demo adds the example organization with forms, layouts and drafts. --into also writes the
example files: drafts, manifests, migrations, pipelines and a program. An existing file is not changed.`,
  examples: [
    "formctl local init --demo",
    "formctl local init --demo --into examples",
    "formctl local init --store ./staging.db",
    "formctl local init --store postgres://formctl@db.example.com/formctl",
  ],
  args: {},
  options: { demo: flag("--demo", "Add the example organization Northwind Staffing"), into: intoOption },
  writes: "store",
  run(context, { demo, into }) {
    refuseIntoAlone({ demo, into });
    return initStore(context, { demo, into });
  },
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
  examples?: WrittenExamples;
};

/**
 * Creates the local store if it does not exist.
 *
 * @param options.demo whether to add the demo
 * @param options.into the folder for the example files, if the demo is added
 * @param options.beforeDemo called before the demo is added. If this function throws, the demo is not added
 */
export async function initStore(
  context: CommandContext,
  {
    demo,
    into,
    beforeDemo,
  }: { demo: boolean; into: string | undefined; beforeDemo?: (local: LocalService) => Promise<void> },
): Promise<InitializedStore> {
  const writeExamples = into === undefined ? undefined : await prepareExamples(context, into);
  const created = await context.localStore.create();
  const local = await context.local();
  const store = context.localStore.location;
  if (!demo) return { store, created };
  await beforeDemo?.(local);
  const { buildDemo } = await import("./demo.ts");
  const drafts: SavedDraft[] = [];
  const report = await buildDemo(context, local, (draft) => drafts.push(draft));
  // Otherwise the first push of the user over a draft of the demo would need --allow-replace.
  for (const draft of drafts) await rememberDraft(context.settings.savedDraftsPath, draft, context);
  return { store, created, demo: report, ...(writeExamples && { examples: await writeExamples() }) };
}

/** Prints the result of {@link initStore}. */
export function printStore({ store, created, demo, examples }: InitializedStore, terminal: Terminal): void {
  terminal.line(`${created ? "Created the local store" : "The local store already exists"}: ${store}`);
  if (demo === undefined) return;
  if (demo.organization === null) terminal.line("It already contains the demo: nothing was changed.");
  else terminal.line(`Added the organization ${demo.organization}: ${demo.forms} forms, ${demo.layouts} layouts.`);
  if (examples) printExamples(examples, terminal);
}
