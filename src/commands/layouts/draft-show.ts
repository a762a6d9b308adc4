/** `formctl layouts draft show`: prints the draft as a document that `draft push` accepts. */

import { shownContent } from "../../lists/versions.ts";
import { isInvalid } from "../../schemas/error-body.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { VersionAnswer } from "../../schemas/answers.ts";
import { layoutArgument } from "../address-arguments.ts";
import { layoutText } from "../addresses.ts";
import { findLayoutId, findVersion } from "../lookups.ts";
import { defineCommand } from "../command.ts";
import { printContent, warnOfSchemaVersion, printVersion } from "./version-view.ts";
import { draftBody } from "../../schemas/draft-body.ts";

type ShownDraft = VersionAnswer & DraftContent;

export default defineCommand({
  details: `With -o yaml or -o json the output is a file that \`formctl layouts draft push\` accepts. The command fails
if the server does not report which version is the draft, or does not return its content.`,
  examples: [
    'formctl layouts draft show "staffing/placement/Placement desk"',
    'formctl layouts draft show "staffing/placement/Placement desk" -o yaml',
  ],
  args: { layout: layoutArgument },
  options: {},
  async run(context, { layout }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const draft = await shownContent(service, layoutId, await findVersion(service, layoutId, "draft"));
    warnOfSchemaVersion(context.terminal, draft);
    return draft;
  },
  view(draft: ShownDraft, terminal) {
    printVersion(draft, terminal);
    printContent(draft, terminal);
  },
  document: (draft: ShownDraft) => draftBody(draft),
  names: ({ id }: ShownDraft) => [id],
  next: ({ validation }: ShownDraft, { layout }) => [
    `formctl layouts edit ${layoutText(layout)}`,
    ...(isInvalid(validation) ? [] : [`formctl layouts publish ${layoutText(layout)}`]),
  ],
});
