/** `formctl layouts get` */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { draftAmong, isStatusShown, latestAmong } from "../../lists/versions.ts";
import { readLayout, type Service } from "../../service.ts";
import { fields, UNKNOWN } from "../../terminal/table.ts";
import { parseLayout } from "../addresses.ts";
import { argument, defineCommand } from "../command.ts";
import { findPlace, type LayoutPlace } from "./layout-place.ts";
import { targetText } from "./target-text.ts";
import { printLayout, versionText } from "./layout-view.ts";

/** What is left of a layout where the server does not answer for it as a whole. */
type PartialLayout = Partial<LayoutAnswer> & { id: string; unreadable: (keyof LayoutAnswer)[] };

export default defineCommand({
  about: "Show a layout",
  details: `A server that follows the API document to the letter has no endpoint for one layout. There the command shows what can be
read in another way, and names in \`unreadable\` what can't.`,
  examples: [
    'formctl layouts get "staffing/candidate/Candidate profile"',
    'formctl layouts get "staffing/placement/Placement desk" -o json --query currentVersion.validation.state',
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {},
  async run(context, { layout: address }): Promise<{ layout: LayoutAnswer } | { part: PartialLayout }> {
    const service = await context.service();
    const place = await findPlace(service, address);
    const layout = await readLayout(service, place.layoutId);
    return layout ? { layout } : { part: await readParts(service, place) };
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
      ["not readable here", unreadable.join(", ")],
    ] as const;
    terminal.out(fields(pairs, terminal));
  },
  document: (result) => ("layout" in result ? result.layout : result.part),
});

/**
 * What the versions tell, and the form where one was named (docs/decisions.md, "Tolerance").
 *
 * @throws ServiceError 404 where the layout has no versions to list
 */
async function readParts(service: Service, place: LayoutPlace): Promise<PartialLayout> {
  const { layoutId, name, surface, modes, target } = place;
  const versions = await service.listVersions({ layoutId });
  // Versions that don't say which they are leave both unknown, and a list of none says that there is neither.
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
