/** `formctl layouts archive`: a layout is hidden from then on, for good. */

import type { FormAnswer } from "../../schemas/answers.ts";
import { localRefusal, readLayout, type Service, unlessForbidden } from "../../service.ts";
import { isStatusShown } from "../../lists/versions.ts";
import { visible } from "../../terminal/escape.ts";
import { formText, parseLayout } from "../addresses.ts";
import { argument, defineCommand, flag } from "../command.ts";
import { findPlace, type LayoutPlace, objectOf, readOwner } from "./layout-place.ts";

export default defineCommand({
  about: "Archive a layout: it is hidden from then on",
  details: `There is no way back: the layout, its versions and its draft can't be read any more, and its assignments end. The layout
of a form is not archived: change or delete the form instead (R98). Another server may see that in another way, so --force
sends the request all the same.`,
  examples: [
    "formctl layouts archive $(formctl layouts list --surface DASHBOARD -o name) --allow-delete",
    "formctl layouts archive $(formctl layouts list --surface DASHBOARD -o name) --dry-run",
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {
    allowDelete: flag("--allow-delete", "Confirm the loss; --yes does not"),
    force: flag("--force", "Send the request for the layout of a form too"),
  },
  writes: true,
  async run(context, { layout: address, force }) {
    const service = await context.service();
    const place = await findPlace(service, address);
    const { layoutId } = place;
    if (!force) await refuseOwned(service, place);
    const name = place.name ?? layoutId;
    await context.consent({
      question: `Archive the layout "${visible(name)}"?`,
      lost: await lossOf(service, layoutId),
      flag: "--allow-delete",
    });
    await service.archiveLayout({ layoutId });
    return { id: layoutId, name, status: "ARCHIVED" };
  },
  view({ id, name }, terminal) {
    terminal.out(`Archived ${visible(name)} (${visible(id)}).\n`);
  },
});

/** @throws ServiceError 409 LAYOUT_FORM_OWNED before anything is sent */
async function refuseOwned(service: Service, place: LayoutPlace): Promise<void> {
  const object = objectOf(place);
  if (!object || typeof place.target?.["formId"] !== "string") return;
  const form: FormAnswer | undefined = place.form ?? (await readOwner(service, place));
  const owner = formText({ ...object, form: form?.name ?? place.target["formId"] });
  throw localRefusal(
    409,
    "LAYOUT_FORM_OWNED",
    `the layout belongs to a form and is deleted with the form: formctl forms delete ${owner}`,
  );
}

/** What can't be read any more afterwards, as far as it can be told before. */
async function lossOf(service: Service, layoutId: string): Promise<string[]> {
  const versions = await unlessForbidden(() => service.listVersions({ layoutId }));
  if (!versions) return ["its versions, its draft and its assignments; this token may not read them"];
  if (!isStatusShown(versions)) return [plural(versions.length, "version")];
  const published = versions.filter(({ status }) => status !== "DRAFT").length;
  const assignments = (await readLayout(service, layoutId))?.assignments?.length ?? 0;
  const lost = [published > 0 && plural(published, "version")];
  if (versions.length > published) lost.push("the draft");
  if (assignments > 0) lost.push(plural(assignments, "assignment"));
  return lost.filter((line) => line !== false);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
