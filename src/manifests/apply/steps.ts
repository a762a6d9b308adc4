/** A planned step as a call of the service: with the ids that earlier steps of its resource have made. */

import { DEFAULT_KEY } from "../../schemas/words.ts";
import type { Input } from "../../schemas/operations.ts";
import { notShown, type Service, ServiceError, unconfirmedImpacts } from "../../service.ts";
import { createForm, createLayout } from "./creations.ts";
import { sameDraft, untouchedDraft } from "./first-draft.ts";
import { mutationId } from "./mutation-id.ts";
import type { PlannedResource, StepRequest } from "../plan/planned.ts";
import { isGone } from "./present.ts";
import { withExpectation } from "./expectations.ts";
import type { Ids, Known, StepContext } from "./step-context.ts";

type Requests = { [S in StepRequest as S["operation"]]: S };
type Senders = { [N in keyof Requests]: (context: StepContext, request: Requests[N]) => Promise<Ids> };

const senders: Senders = {
  async createForm(context, request) {
    const { id: formId, viewLayoutId: layoutId } = await createForm(context, request);
    if (layoutId === undefined) return { formId };
    return { formId, layoutId, ...(await firstDraft(context.service, layoutId)) };
  },
  async updateForm({ service, resource, known, intend }, { body }) {
    await intend("");
    await service.updateForm({ ...formPath(resource, known), body });
    return {};
  },
  async createLayout(context, request) {
    const { id } = await createLayout(context, request);
    return { layoutId: id, ...(await firstDraft(context.service, id)) };
  },
  async updateLayout({ service, resource, known, intend }, { body }) {
    await intend("");
    await service.updateLayout({ layoutId: layoutOf(resource, known), body });
    return {};
  },
  async saveDraft({ service, resource, known, expectations, validations, intend }, { content, replaces }) {
    const layoutId = layoutOf(resource, known);
    if (known.first === null && known.draft === undefined) {
      return { draftVersionId: await sameDraft(service, layoutId, content) };
    }
    const expected = known.draft === undefined ? (known.first ?? replaces) : known.draft;
    const published = known.published ?? publishedBefore(resource);
    const saved = await withExpectation(expectations, "expectedDraftVersionId", expected, async (expectation) => {
      const body = { ...expectation, ...content, schemaVersion: 1 as const };
      // The same content over another published version is another draft, also where both times there was none before; over
      // another draft it is one too, also where the service has refused to hear which.
      const clientMutationId = mutationId("saveDraft", layoutId, body, [published ?? null, expected ?? null]);
      await intend(clientMutationId);
      return service.saveDraft({ layoutId, body: { clientMutationId, ...body } });
    });
    if (saved.validation) validations.set(saved.draftVersionId, saved.validation);
    return { draftVersionId: saved.draftVersionId };
  },
  async publishLayout({ service, resource, known, expectations, intend }, request) {
    const layoutId = layoutOf(resource, known);
    const draftVersionId = request.draft ?? known.draft;
    if (draftVersionId == null) throw new Error(`${resource.address} has no draft to publish`);
    // A confirmation of a change is one of all that it does: the type and the values go together.
    const confirmFieldChanges = request.confirmFieldChanges.map((draftId) => ({
      draftId,
      confirmTypeChange: true,
      confirmValueClear: true,
    }));
    const expected = known.published ?? request.published;
    const done = await withExpectation(expectations, "expectedPublishedVersionId", expected, async (expectation) => {
      const body = { ...expectation, draftVersionId, confirmFieldChanges };
      const clientMutationId = mutationId("publishLayout", layoutId, body, expected);
      await intend(clientMutationId);
      return service.publishLayout({ layoutId, body: { clientMutationId, ...body } }).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        const needsConfirmation = unconfirmedImpacts(error, request.confirmFieldChanges).length > 0;
        throw needsConfirmation ? error.reworded({ needsConfirmation }) : error;
      });
    });
    return { versionId: done.versionId };
  },
  async replaceFormAccess({ service, resource, known, intend }, { body }) {
    await intend("");
    await service.replaceFormAccess({ ...formPath(resource, known), body });
    return {};
  },
  async replaceAssignments({ service, resource, known, run, intend }, { organizationDefault, roles }) {
    const layoutId = layoutOf(resource, known);
    const body = { organizationDefault, roles };
    // No version changes with the assignments: what was set, taken back by somebody and is set again now is told apart
    // from the first time by the run alone. Twice the same set has no other effect than once.
    const clientMutationId = mutationId("replaceAssignments", layoutId, body, run);
    await intend(clientMutationId);
    await service.replaceAssignments({ layoutId, body: { clientMutationId, ...body } });
    return {};
  },
  async updateFormDefaults({ service, resource, known, intend }, { take, leave }) {
    const { formId, ...object } = formPath(resource, known);
    const body = Object.fromEntries([
      ...take.map((mode) => [DEFAULT_KEY[mode], formId]),
      ...leave.map((mode) => [DEFAULT_KEY[mode], null]),
    ]) as Input<"updateFormDefaults">["body"];
    await intend("");
    await service.updateFormDefaults({ ...object, body });
    return {};
  },
  async deleteForm({ service, resource, known, intend }) {
    await intend("");
    try {
      await service.deleteForm(formPath(resource, known));
    } catch (error) {
      // Somebody else was faster: it is gone, as it should be.
      if (!isGone(error)) throw error;
    }
    return {};
  },
};

/** Sends it. @returns the ids of what was made @throws whatever the service throws */
export function sendStep(context: StepContext, request: StepRequest): Promise<Ids> {
  return (senders[request.operation] as (context: StepContext, request: StepRequest) => Promise<Ids>)(context, request);
}

/** What is known of a resource after a step has made these. */
export function knownAfter(known: Known, { operation }: StepRequest, ids: Ids): Known {
  const { formId, layoutId, firstDraftId, draftVersionId, versionId } = ids;
  const first = firstDraftId === "" ? null : firstDraftId;
  switch (operation) {
    case "createForm":
      return { ...known, formId, layoutId, first };
    case "createLayout":
      return { ...known, layoutId, first };
    case "saveDraft":
      return { ...known, draft: draftVersionId };
    case "publishLayout":
      return { ...known, draft: null, published: versionId };
    default:
      return known;
  }
}

/** As an id among others; empty where somebody else has been at it. `isOld` as `untouchedDraft` has it. */
export async function firstDraft(
  service: Service,
  layoutId: string,
  isOld?: boolean,
): Promise<{ firstDraftId?: string }> {
  const first = await untouchedDraft(service, layoutId, isOld);
  return first === undefined ? {} : { firstDraftId: first ?? "" };
}

/** The version that the plan has found published. */
function publishedBefore({ steps, read }: PlannedResource): string | null {
  const publish = steps.map(({ request }) => request).find((request) => request.operation === "publishLayout");
  // Where nothing is to be published, all that was read says what the draft is saved over.
  return publish && publish.published !== undefined ? publish.published : read;
}

export function formPath({ address, object, formId }: PlannedResource, known: Known) {
  const id = known.formId ?? formId;
  if (!object || id === undefined) throw new Error(`${address} has no form yet`);
  return { ...object, formId: id };
}

/** @throws NOT_SHOWN where a server has created a form and does not say which layout it owns */
export function layoutOf({ address, layoutId }: PlannedResource, known: Known): string {
  const id = known.layoutId ?? layoutId;
  if (id === undefined) throw notShown(`the layout of ${address}`);
  return id;
}
