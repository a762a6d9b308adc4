/** `formctl layouts versions diff`: prints the differences between two versions. */

import { type Change, diffContent } from "../../schemas/content-diff.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { parseLayout } from "../addresses.ts";
import { findLayoutId, findVersion } from "../lookups.ts";
import { argument, defineCommand } from "../command.ts";
import { shownContent } from "../../lists/versions.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import { warnOfSchemaVersion } from "./version-view.ts";
import { versionArgument } from "./options.ts";

export default defineCommand({
  details: `Matches regions by key, blocks and scripts by id, and staged fields by draftId, so that a moved item is shown as moved. The
document is the list of changes.`,
  examples: [
    'formctl layouts versions diff "staffing/placement/Placement desk" latest draft',
    'formctl layouts versions diff "staffing/placement/Placement desk" 1 2 -o json --query "[?kind==\'removed\'].id"',
  ],
  args: {
    layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout),
    before: versionArgument("A"),
    after: versionArgument("B"),
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
