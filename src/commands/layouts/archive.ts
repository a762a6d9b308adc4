/** `formctl layouts archive`: archives a layout permanently. */

import type { FormAnswer } from "../../schemas/answers.ts";
import { localRefusal, readLayout, type Service, unlessForbidden } from "../../service.ts";
import { currentVersion, isStatusShown } from "../../lists/versions.ts";
import { visible } from "../../terminal/escape.ts";
import { layoutArgument } from "../address-arguments.ts";
import { formText } from "../addresses.ts";
import { defineCommand, flag } from "../command.ts";
import { objectOf } from "../../lists/objects.ts";
import { type LayoutSummary, readOwner, readSummary } from "./layout-summary.ts";
import { plural } from "../../base/plural.ts";

export default defineCommand({
  details: `This can't be undone: the layout, its versions and its draft can no longer be read, and its assignments are removed. The
layout of a form can't be archived: change or delete the form instead. A server may have another rule; --force sends the
request anyway.`,
  examples: [
    "formctl layouts archive $(formctl layouts list --surface DASHBOARD -o name) --allow-delete",
    "formctl layouts archive $(formctl layouts list --surface DASHBOARD -o name) --dry-run",
  ],
  args: { layout: layoutArgument },
  options: {
    allowDelete: flag("--allow-delete", "Confirm the archiving; --yes does not"),
    force: flag("--force", "Send the request even for the layout of a form"),
  },
  writes: true,
  async run(context, { layout: address, force }) {
    const service = await context.service();
    const summary = await readSummary(service, address);
    const { layoutId } = summary;
    if (!force) await refuseOwned(service, summary);
    const name = summary.name ?? layoutId;
    await context.consent({
      question: `Archive the layout "${visible(name)}"?`,
      lost: await lossOf(service, layoutId),
      flag: "--allow-delete",
    });
    await service.archiveLayout({ layoutId });
    return { id: layoutId, name, status: "ARCHIVED" };
  },
  view({ id, name }, terminal) {
    terminal.line(`Archived ${visible(name)} (${visible(id)}).`);
  },
});

/** Refuses to archive the layout of a form, without sending the request. @throws ServiceError 409 LAYOUT_FORM_OWNED */
async function refuseOwned(service: Service, summary: LayoutSummary): Promise<void> {
  const object = objectOf(summary);
  if (!object || typeof summary.target?.["formId"] !== "string") return;
  const form: FormAnswer | undefined = summary.form ?? (await readOwner(service, summary));
  const owner = formText({ ...object, form: form?.name ?? summary.target["formId"] });
  throw localRefusal(
    409,
    "LAYOUT_FORM_OWNED",
    `the layout belongs to a form and is deleted with the form: formctl forms delete ${owner}`,
  );
}

/** Returns the data that can't be read after the layout is archived, as far as this data is known. */
async function lossOf(service: Service, layoutId: string): Promise<string[]> {
  const versions = await unlessForbidden(() => service.listVersions({ layoutId }));
  if (!versions) return ["its versions, its draft and its assignments; this token may not read them"];
  if (!isStatusShown(versions)) return [plural(versions.length, "version")];
  const published = versions.filter(({ status }) => status !== "DRAFT").length;
  const assignments = (await readLayout(service, layoutId))?.assignments?.length ?? 0;
  const lost = [published > 0 && plural(published, "version")];
  if (await currentVersion(service, layoutId, "draft", versions)) lost.push("the draft");
  if (assignments > 0) lost.push(plural(assignments, "assignment"));
  return lost.filter((line) => line !== false);
}
