/** `formctl layouts get`: prints one layout. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { draftAmong, isStatusShown, latestAmong } from "../../lists/versions.ts";
import { readLayout, type Service } from "../../service.ts";
import { fields, UNKNOWN } from "../../terminal/table.ts";
import { layoutArgument } from "../address-arguments.ts";
import { defineCommand } from "../command.ts";
import { type LayoutSummary, readSummary } from "./layout-summary.ts";
import { targetText, printLayout, versionText } from "./layout-view.ts";

/** The readable members of a layout, for a server without an endpoint for one layout. */
type PartialLayout = Partial<LayoutAnswer> & { id: string; unreadable: (keyof LayoutAnswer)[] };

export default defineCommand({
  details: `The documented API has no endpoint for one layout. On a server without one, the command shows what other endpoints report
and lists the other members in \`unreadable\`.`,
  examples: [
    'formctl layouts get "staffing/candidate/Candidate profile"',
    'formctl layouts get "staffing/placement/Placement desk" -o json --query currentVersion.validation.state',
  ],
  args: { layout: layoutArgument },
  options: {},
  async run(context, { layout: address }): Promise<{ layout: LayoutAnswer } | { part: PartialLayout }> {
    const service = await context.service();
    const summary = await readSummary(service, address);
    const layout = await readLayout(service, summary.layoutId);
    return layout ? { layout } : { part: await readParts(service, summary) };
  },
  view(result, terminal) {
    if ("layout" in result) {
      printLayout(result.layout, terminal);
      return;
    }
    const { id, name, supportedModes, target, surface, currentVersion, latestDraftVersion, unreadable } = result.part;
    const pairs = [
      ["id", id],
      ["name", name],
      ["surface", surface],
      ["modes", supportedModes?.join(", ")],
      ["target", target && targetText(target)],
      ["published", currentVersion === undefined ? UNKNOWN : versionText(currentVersion)],
      ["draft", latestDraftVersion === undefined ? UNKNOWN : versionText(latestDraftVersion)],
      ["not readable", unreadable.join(", ")],
    ] as const;
    terminal.out(fields(pairs, terminal));
  },
  document: (result) => ("layout" in result ? result.layout : result.part),
});

/**
 * Reads the parts of a layout from its versions and its form (docs/decisions.md, "Tolerance").
 *
 * @throws ServiceError 404 if the layout does not exist
 */
async function readParts(service: Service, summary: LayoutSummary): Promise<PartialLayout> {
  const { layoutId, name, surface, modes, target } = summary;
  const versions = await service.listVersions({ layoutId });
  // If the server reports no statuses, the published version and the draft are unknown. If the list is empty, neither
  // exists.
  const isKnown = isStatusShown(versions);
  const currentVersion = isKnown ? (latestAmong(versions) ?? null) : undefined;
  const latestDraftVersion = isKnown ? (draftAmong(versions) ?? null) : undefined;
  const known = {
    id: layoutId,
    ...(name !== undefined && { name }),
    ...(surface !== undefined && { surface }),
    ...(modes && { supportedModes: [...modes] }),
    ...(target && { target }),
    ...(currentVersion !== undefined && { currentVersionId: currentVersion?.id ?? null, currentVersion }),
    ...(latestDraftVersion !== undefined && {
      latestDraftVersionId: latestDraftVersion?.id ?? null,
      latestDraftVersion,
    }),
  };
  return { ...known, unreadable: MEMBERS.filter((member) => !(member in known)) };
}

const MEMBERS = [
  "name",
  "surface",
  "supportedModes",
  "target",
  "metadata",
  "status",
  "currentVersion",
  "latestDraftVersion",
  "assignments",
  "createdAt",
  "updatedAt",
] as const satisfies (keyof LayoutAnswer)[];
