/** `formctl layouts versions get`: prints one version of a layout. */

import type { VersionAnswer } from "../../schemas/answers.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { layoutArgument } from "../address-arguments.ts";
import { layoutText } from "../addresses.ts";
import { findLayoutId, findVersion } from "../lookups.ts";
import { defineCommand, flag } from "../command.ts";
import { contentOf, hasContent, shownContent } from "../../lists/versions.ts";
import { asDraft } from "../../schemas/draft-body.ts";
import { printContent, warnOfSchemaVersion, printVersion } from "./version-view.ts";
import { versionArgument } from "./options.ts";

type Shown = { draft: DraftContent; yaml: string } | { whole: VersionAnswer; shown: VersionAnswer };

export default defineCommand({
  details: `With --as-draft the output is a file that \`formctl layouts draft push\` accepts: YAML, or JSON with -o json. Staged fields of a
published version are already applied, so the file does not stage them again.`,
  examples: [
    'formctl layouts versions get "staffing/candidate/Candidate profile" latest',
    'formctl layouts versions get "staffing/candidate/Candidate profile" 1 -o json --query "blocks[].id"',
    'formctl layouts versions get "staffing/candidate/Candidate profile" 1 --as-draft | formctl layouts draft push "staffing/candidate/Candidate profile" -',
  ],
  args: {
    layout: layoutArgument,
    version: versionArgument,
  },
  options: { asDraft: flag("--as-draft", "Print the content as a draft file") },
  async run(context, { layout, version, asDraft: isDraftWanted }): Promise<Shown> {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const listed = await findVersion(service, layoutId, version);
    if (isDraftWanted) {
      const content = await shownContent(service, layoutId, listed);
      warnOfSchemaVersion(context.terminal, content);
      const draft = asDraft(content);
      return { draft, yaml: (await import("../../documents/write-yaml.ts")).toYaml(draft) };
    }
    const whole = await service.getVersion({ layoutId, versionId: listed.id });
    warnOfSchemaVersion(context.terminal, whole);
    return { whole, shown: { ...listed, ...whole } };
  },
  view(result, terminal) {
    if ("draft" in result) {
      terminal.out(result.yaml);
      return;
    }
    const { shown } = result;
    printVersion(shown, terminal);
    printContent(contentOf(shown), terminal);
    if (!hasContent(shown)) terminal.hint("The server does not return the content of this version.");
  },
  document: (result): object => ("draft" in result ? result.draft : result.whole),
  next(result, { layout, version }) {
    if ("draft" in result || !hasContent(result.shown)) return [];
    const address = layoutText(layout);
    if (result.shown.status === "DRAFT") return [`formctl layouts edit ${address}`];
    return [
      `formctl layouts edit ${address}  # the draft, or else the latest published version`,
      `formctl layouts versions get ${address} ${version} --as-draft > draft.yaml  # this version, to push it as the draft`,
    ];
  },
});
