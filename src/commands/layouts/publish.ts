/** `formctl layouts publish`: the draft becomes the runtime version. */

import type { Diagnostic } from "../../schemas/diagnostic.ts";
import { Identifier } from "../../schemas/text.ts";
import { type Service, ServiceError } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import { table } from "../../terminal/table.ts";
import { findLayoutId, layoutText, parseLayout } from "../addresses.ts";
import { ifReadable } from "../after-write.ts";
import { by } from "../by-schema.ts";
import { argument, defineCommand, list, option } from "../command.ts";
import { typedForm } from "../typed-form.ts";
import { objectOf, readOwner } from "./layout-place.ts";
import { publishDraft } from "./publish-draft.ts";
import { printDiagnostics } from "./validation-view.ts";

export default defineCommand({
  about: "Make the draft the runtime version",
  details: `Publishes the draft that is there, or with --draft only that one. An invalid draft is refused, and nothing changes (R53).
A staged field change that clears values or changes a type needs a --confirm-field-change of its own, which confirms both; at
a terminal you are asked.`,
  examples: [
    "formctl layouts publish $(formctl layouts list --surface DASHBOARD -o name)",
    'formctl layouts publish "staffing/placement/Placement desk" --confirm-field-change d_pay',
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: {
    draft: option("--draft <id>", "Publish only if this is still the draft", by(Identifier)),
    confirmFieldChange: list(
      "--confirm-field-change <draft-id>",
      "Accept what this staged change costs; may be repeated",
      by(Identifier),
    ),
  },
  writes: true,
  async run(context, { layout, draft, confirmFieldChange }) {
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, layout);
    const draftVersionId = draft ?? (await findDraftId(service, layoutId));
    const request = { layoutId, draftVersionId, confirmed: confirmFieldChange, layout: layoutText(layout) };
    const published = await publishDraft(context, service, request);
    const form = await ifReadable(() => readOwner(service, { target: published.layout.target }));
    const object = objectOf(published.layout);
    return { published, form, typed: form && object && (await typedForm(service, object, form)) };
  },
  view({ published, form }, terminal) {
    const { publishedVersion, validation, committedFieldDefinitions: committed } = published;
    printDiagnostics(validation.warnings as Diagnostic[], terminal);
    const name = visible(published.layout.name);
    terminal.out(`Published version ${publishedVersion.version} of ${name} (${visible(published.versionId)}).\n`);
    const columns = [
      { title: "Field", value: ({ key }: (typeof committed)[number]) => key },
      { title: "Done", value: ({ action }: (typeof committed)[number]) => action },
      { title: "Staged as", value: ({ draftId }: (typeof committed)[number]) => draftId },
      { title: "Id", value: ({ fieldDefinitionId }: (typeof committed)[number]) => fieldDefinitionId },
    ];
    if (committed.length > 0) terminal.out(table(columns, committed, terminal));
    if (form)
      terminal.out(`The form ${visible(form.name)} can be used for: ${form.usableTypes.join(", ") || "nothing"}.\n`);
  },
  document: ({ published }) => published,
  names: ({ published }) => [published.versionId],
  next: ({ typed }) => (typed === undefined ? [] : [`formctl forms get ${typed}`]),
});

/** @throws ServiceError 409 DRAFT_MISSING, as the service would say it of any id */
async function findDraftId(service: Service, layoutId: string): Promise<string> {
  const versions = await service.listVersions({ layoutId });
  const draft = versions.find(({ status }) => status === "DRAFT");
  if (draft) return draft.id;
  throw new ServiceError(409, { code: "DRAFT_MISSING", message: `the layout ${layoutId} has no draft to publish` });
}
