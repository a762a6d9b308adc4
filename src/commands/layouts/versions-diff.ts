/** `formctl layouts versions diff`: what changed from one version to another. */

import { type Change, diffContent } from "../../schemas/content-diff.ts";
import { renderDiff } from "../../terminal/diff.ts";
import { findLayoutId, findVersion, parseLayout } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { shownContent } from "../../lists/versions.ts";
import { draftBody } from "../../schemas/draft-body.ts";
import { warnOfSchemaVersion } from "./schema-version.ts";
import { versionArgument } from "./version-argument.ts";

export default defineCommand({
  about: "Compare two versions",
  details: `Regions are followed by their key, blocks and scripts by their id, staged fields by their draftId, so that what was
moved is told as moved. The document is the list of changes.`,
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
    if (changes.length === 0) terminal.hint("The two versions show the same.");
    terminal.out(renderDiff(changes, terminal.style));
  },
  names: (changes: Change[]) => changes.map(({ path }) => path),
});
