/**
 * Lists and publishes versions. A publish applies the staged field changes of the draft in the same transaction (R52,
 * R91).
 */

import { type Validation, toValidation } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { FieldChangeImpact } from "../schemas/error-body.ts";
import type { ParsedInput } from "../schemas/operations.ts";
import type { LayoutCatalog } from "../schemas/catalog.ts";
import type { ServiceError } from "../service.ts";
import { type LayoutRecord, updateLayout } from "../store/layouts.ts";
import {
  archivePublished,
  findDraft,
  insertContent,
  listVersions,
  publishDraft,
  updateDraftValidation,
  type VersionHead,
  type VersionRecord,
} from "../store/versions.ts";
import { commitStagedFields } from "./commit-fields.ts";
import { readCatalog } from "./catalog.ts";
import { contentOf, layoutOf, readState, toLayoutVersion } from "./layout-records.ts";
import { conflict, invalid } from "./refuse.ts";
import { readStagedChanges, type StagedChange } from "./field-change-impacts.ts";
import { storedContent, storedValidation } from "./stored-draft.ts";
import { verdictToStore } from "./stored-verdict.ts";
import { checkContent, validVerdict } from "./verdict.ts";
import type { Rule, Rules } from "./rule.ts";

export const versionRules = {
  publishLayout: (context, input) => publishLayout(context, input),

  /** Returns all versions with their contents, including the draft, newest first (R93). */
  async listVersions({ tx }, { layoutId }) {
    return (await listVersions(tx, layoutId)).map((version) => toLayoutVersion(version));
  },

  /** Returns one version, which can be the draft, with its content (R94). */
  async getVersion({ records }) {
    return toLayoutVersion((await records).version);
  },
} satisfies Partial<Rules>;

type PublishBody = ParsedInput<"publishLayout">["body"];

/**
 * Publishes the draft with the given id. The published version keeps this id. The previously published version is
 * archived.
 *
 * @throws ServiceError 409 DRAFT_MISSING if the layout has no draft
 * @throws ServiceError 409 DRAFT_STALE if the given draft is not the current draft
 * @throws ServiceError 409 DRAFT_STALE if the published version is not the version that the request expects
 * @throws ServiceError 400 if the body confirms a change that is not staged
 * @throws ServiceError 409 DRAFT_INVALID with a new validation (R53)
 * @throws ServiceError 409 FIELD_CHANGES_UNCONFIRMED with the impacts (R92)
 */
const publishLayout: Rule<"publishLayout"> = async (context, { body }) => {
  const { tx, layout } = context;
  const [found, state, catalog] = await Promise.all([
    findDraft(tx, layout.id),
    readState(tx, layout.id),
    readCatalog(tx, layout),
  ]);
  const draft = requireNamedDraft(found, state.heads, body);
  const content = contentOf(draft);
  refuseUnknownConfirmations(content, body);

  const { modes } = state;
  const known = { ...catalog, modes };
  const validation = toValidation(checkDraft(content, known));
  if (validation.errors.length > 0) {
    // Fields or modes may have changed since the save of the draft. Therefore the new validation is stored despite the
    // refusal.
    context.afterRefusal((later) => updateDraftValidation(later, draft, storedValidation(validation)));
    throw invalidDraft(validation);
  }
  const changes = await readStagedChanges(tx, layout, content, known);
  refuseUnconfirmed(changes, body);

  const committed = await commitStagedFields(context, layout, content, changes);
  const isChanged = committed.fields.length > 0;
  // Applied staged changes alter the fields. Therefore the published content is validated again with the new fields.
  const knownAfter = isChanged ? { ...(await readCatalog(tx, layout)), modes } : known;
  const publishedValidation = isChanged ? validateCommitted(committed.content, knownAfter) : validation;
  // Without staged fields, the content of the draft is published unchanged. It is not stored again.
  const rewritten = committed.content === content ? undefined : storedContent(committed.content);
  const version: VersionRecord = {
    ...draft,
    status: "PUBLISHED",
    supported_modes: JSON.stringify(modes),
    ...rewritten,
    ...storedValidation(publishedValidation),
    published_at: context.now,
  };
  await archivePublished(tx, layout.id);
  // The draft may have had staged changes of which none was applied. In this case the content without these changes has
  // not been checked yet.
  const judge = isChanged || content.stagedFieldDefinitions.length === 0 ? validVerdict : checkContent;
  const verdict = verdictToStore(layout, knownAfter, judge(committed.content, modes, knownAfter));
  if (rewritten) await insertContent(tx, version);
  await publishDraft(tx, { ...version, verdict });
  const active: LayoutRecord = { ...layout, status: "ACTIVE", updated_at: context.now };
  await updateLayout(tx, active);
  context.contentHashes.set(version.id, version.content_sha256);
  return {
    versionId: version.id,
    publishedVersion: toLayoutVersion(version, rewritten ? undefined : content),
    layout: layoutOf(active, { ...state, heads: [version] }),
    validation: publishedValidation,
    committedFieldDefinitions: committed.fields,
  };
};

function requireNamedDraft(
  draft: VersionRecord | undefined,
  heads: readonly VersionHead[],
  body: PublishBody,
): VersionRecord {
  if (!draft) {
    throw conflict("DRAFT_MISSING", "the layout has no draft to publish. Save a draft, or restore a version");
  }
  const meta = { currentDraftVersionId: draft.id };
  if (draft.id !== body.draftVersionId) {
    const message = `${body.draftVersionId} is not the current draft. Review the current draft ${draft.id}, then publish it`;
    throw conflict("DRAFT_STALE", message, { meta });
  }
  if (body.expectedPublishedVersionId === undefined) return draft;
  const currentPublishedVersionId = heads.find(({ status }) => status === "PUBLISHED")?.id ?? null;
  if (currentPublishedVersionId === body.expectedPublishedVersionId) return draft;
  const message = "another version was published than the request expects. Review it, then publish again";
  throw conflict("DRAFT_STALE", message, { meta: { ...meta, currentPublishedVersionId } });
}

function refuseUnknownConfirmations(content: DraftContent, { confirmFieldChanges }: PublishBody): void {
  const staged = new Set(content.stagedFieldDefinitions.map((item) => item.draftId));
  const problems = confirmFieldChanges.flatMap(({ draftId }, index) =>
    staged.has(draftId)
      ? []
      : [{ path: `confirmFieldChanges[${index}].draftId`, message: "is not the draftId of a staged field" }],
  );
  if (problems.length > 0) throw invalid(problems);
}

function refuseUnconfirmed(changes: readonly StagedChange[], { confirmFieldChanges }: PublishBody): void {
  const confirmations = new Map(confirmFieldChanges.map((item) => [item.draftId, item]));
  const impacts = changes
    .filter(({ staged, requires }) => requires.some((member) => !confirmations.get(staged.draftId)?.[member]))
    .map(({ staged, field, reasons, referencedByLayouts, requires }): FieldChangeImpact => ({
      draftId: staged.draftId,
      fieldKey: field?.key ?? staged.key ?? "",
      action: staged.action,
      reasons,
      valueCount: field?.valueCount ?? 0,
      referencedByLayouts,
      requires,
    }));
  if (impacts.length === 0) return;
  const named = impacts.map(({ fieldKey }) => fieldKey).join(", ");
  throw conflict("FIELD_CHANGES_UNCONFIRMED", `these field changes must be confirmed: ${named}`, { impacts });
}

/** @throws ServiceError 409 DRAFT_INVALID when a staged field change makes the content invalid */
function validateCommitted(content: DraftContent, known: LayoutCatalog): Validation {
  const validation = toValidation(checkDraft(content, known));
  if (validation.errors.length > 0) throw invalidDraft(validation);
  return validation;
}

function invalidDraft(validation: Validation): ServiceError {
  const { errors } = validation;
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  return conflict("DRAFT_INVALID", `the draft has ${count} and can't be published: ${errors[0]?.message}`, {
    validation,
    errors: errors.map(({ message }) => ({ message })),
  });
}
