/** `formctl layouts versions diff`: prints the differences between two versions. */

import { type Change, diffContent } from "../../schemas/content-diff.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { layoutArgument } from "../address-arguments.ts";
import { findLayoutId, findVersion } from "../lookups.ts";
import { defineCommand } from "../command.ts";
import { shownContent } from "../../lists/versions.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import { warnOfSchemaVersion } from "./version-view.ts";
import { optionalVersion } from "./options.ts";

export default defineCommand({
  details: `Matches regions by key, blocks and scripts by id, and staged fields by draftId, so that a moved item is shown as moved. The
document is the list of changes. Without A and B the command compares the newest published version with the draft.`,
  examples: [
    'formctl layouts versions diff "staffing/placement/Placement desk"',
    'formctl layouts versions diff "staffing/placement/Placement desk" 1 2 -o json --query "[?kind==\'removed\'].id"',
  ],
  args: {
    layout: layoutArgument,
    before: optionalVersion("A", "latest"),
    after: optionalVersion("B", "draft"),
  },
  options: {},
  async run(context, { layout, before, after }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const old = await shownContent(service, layoutId, await findVersion(service, layoutId, before));
    const now = await shownContent(service, layoutId, await findVersion(service, layoutId, after));
    for (const version of [old, now]) warnOfSchemaVersion(context.terminal, version);
    return diffContent(draftBody(old), draftBody(now));
  },
  view(changes: Change[], terminal) {
    if (changes.length === 0) terminal.hint("The versions have the same content.");
    terminal.out(renderDiff(changes, terminal.style));
  },
  names: (changes: Change[]) => changes.map(({ path }) => path),
});
