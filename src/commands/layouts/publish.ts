/** `formctl layouts publish`: publishes the draft. */

import { Identifier } from "../../schemas/text.ts";
import { currentVersion, diagnosticsOf, isStatusShown } from "../../lists/versions.ts";
import { localRefusal, notShown, type Service } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { type Column, printTable, UNKNOWN } from "../../terminal/table.ts";
import { layoutArgument } from "../address-arguments.ts";
import { layoutText } from "../addresses.ts";
import { findLayoutId, typedForm, wholeVersionId } from "../lookups.ts";
import { ifReadable } from "../failed-command.ts";
import { by } from "../read-input.ts";
import { defineCommand, list, option } from "../command.ts";
import { parseExpected, mutationIdOption } from "./options.ts";
import { objectOf } from "../../lists/objects.ts";
import { readSummary, readOwner } from "./layout-summary.ts";
import { publishDraft } from "./publish-draft.ts";
import { printDiagnostics } from "./validation.ts";

export default defineCommand({
  details: `Publishes the current draft; with --draft, only if the current draft has that id. An invalid draft is refused.

A staged field change that changes a type or clears values requires confirmation: --confirm-field-change confirms both effects,
--confirm-type-change and --confirm-value-clear one of them. At a terminal the command asks.`,
  examples: [
    "formctl layouts publish $(formctl layouts list --surface DASHBOARD -o name)",
    'formctl layouts publish "staffing/placement/Placement desk" --confirm-field-change d_pay',
  ],
  args: { layout: layoutArgument },
  options: {
    draft: option("--draft <id>", "Publish only if this is the current draft", by(Identifier)),
    expectPublished: option(
      "--expect-published <id>",
      "Publish only if this is the published version; none if nothing is published yet",
      parseExpected,
    ),
    confirmFieldChange: list(
      "--confirm-field-change <draft-id>",
      "Confirm all effects of this staged change; may be repeated",
      by(Identifier),
    ),
    confirmTypeChange: list(
      "--confirm-type-change <draft-id>",
      "Confirm only the type change of this staged change; may be repeated",
      by(Identifier),
    ),
    confirmValueClear: list(
      "--confirm-value-clear <draft-id>",
      "Confirm only that this staged change clears values; may be repeated",
      by(Identifier),
    ),
    clientMutationId: mutationIdOption(),
  },
  writes: true,
  async run(context, { layout, draft, expectPublished, clientMutationId, ...confirmations }) {
    const service = await context.service();
    const summary =
      "layoutId" in layout
        ? { ...(await findLayoutId(service, layout)), target: undefined, name: undefined }
        : await readSummary(service, layout);
    const { layoutId } = summary;
    const draftVersionId = (await wholeVersionId(service, layoutId, draft)) ?? (await findDraftId(service, layoutId));
    const request = {
      layoutId,
      draftVersionId,
      clientMutationId,
      expectedPublishedVersionId: await wholeVersionId(service, layoutId, expectPublished),
      confirmed: confirmations.confirmFieldChange,
      typeChanges: confirmations.confirmTypeChange,
      valueClears: confirmations.confirmValueClear,
      layout: layoutText(layout),
    };
    const published = await publishDraft(context, service, request);
    const target = published.layout?.target ?? summary.target;
    const form = await ifReadable(() => readOwner(service, { target }));
    const object = objectOf({ target });
    const name = published.layout?.name ?? summary.name;
    return { published, name, form, typed: form && object && (await typedForm(service, object, form)) };
  },
  view({ published, name, form }, terminal) {
    const { versionId, publishedVersion, validation, committedFieldDefinitions: committed = [] } = published;
    const warnings = diagnosticsOf(validation).filter(({ severity }) => severity === "warning");
    printDiagnostics(warnings, terminal);
    const what = publishedVersion?.version === undefined ? "a version" : `version ${publishedVersion.version}`;
    terminal.line(`Published ${what}${name === undefined ? "" : ` of ${visible(name)}`} (${visible(versionId)}).`);
    const columns: Column<(typeof committed)[number]>[] = [
      { title: "Field", value: ({ key }) => key },
      { title: "Done", value: ({ action }) => action },
      { title: "Staged as", value: ({ draftId }) => draftId },
      { title: "Id", value: ({ fieldDefinitionId }) => fieldDefinitionId },
    ];
    if (committed.length > 0) printTable(terminal, columns, committed, "");
    if (!form) return;
    const usable = form.usableTypes ? form.usableTypes.join(", ") || "no mode" : UNKNOWN;
    terminal.line(`The form ${visible(form.name)} can be used for: ${visible(usable)}.`);
  },
  document: ({ published }) => published,
  names: ({ published }) => [published.versionId],
  next: ({ typed }) => (typed === undefined ? [] : [`formctl forms get ${typed}`]),
});

/**
 * Returns the id of the draft. A publish request requires this id.
 *
 * @throws ServiceError 409 DRAFT_MISSING if there is no draft
 * @throws NOT_SHOWN if the server does not report which version is the draft
 */
async function findDraftId(service: Service, layoutId: string): Promise<string> {
  const versions = await service.listVersions({ layoutId });
  const draft = await currentVersion(service, layoutId, "draft", versions);
  if (draft) return draft.id;
  if (!isStatusShown(versions))
    throw notShown(`which version of the layout ${layoutId} is the draft`, "Specify its id: --draft ID");
  throw localRefusal(409, "DRAFT_MISSING", `the layout ${layoutId} has no draft to publish`);
}
