/** Completes the answer of a write that was accepted: what another server leaves out is read, and never invented. */

import { draftAmong, wholeVersion } from "../lists/versions.ts";
import type { Answer, DefaultsAnswer, FormAnswer, VersionAnswer } from "../schemas/answers.ts";
import type { Input, OperationName } from "../schemas/operations.ts";
import { readLayout, type Service } from "../service.ts";
import { publishedAs, readDefaults } from "./read-back.ts";

type Names = { moduleKey: string; objectKey: string; formId: string; layoutId: string };

/**
 * The output of a write with what could be read beside it. `known` is what its answer said; undefined where it said nothing
 * that can be used.
 */
type FillIn<N extends OperationName> = (
  service: Service,
  input: Input<N>,
  known: Answer<N> | undefined,
  id: string | undefined,
) => Promise<Answer<N> | undefined>;

const FILL_IN: { [N in OperationName]?: FillIn<N> } = {
  async createForm(service, { moduleKey, objectKey }, known, id) {
    if (known && isWhole(known)) return known;
    return id === undefined
      ? undefined
      : { ...known, ...(await service.getForm({ moduleKey, objectKey, formId: id })) };
  },
  async updateForm(service, { moduleKey, objectKey, formId }, known) {
    return known && isWhole(known) ? known : { ...known, ...(await service.getForm({ moduleKey, objectKey, formId })) };
  },
  async replaceFormAccess(service, { moduleKey, objectKey, formId }, known) {
    return known ?? service.getFormAccess({ moduleKey, objectKey, formId });
  },
  async updateFormDefaults(service, input, known) {
    return known && saysAll(known, input.body) ? known : readDefaults(service, input);
  },
  async updateLayout(service, { layoutId }, known) {
    return known ?? readLayout(service, layoutId);
  },
  async replaceAssignments(service, { layoutId }, known) {
    if (known?.assignments) return known;
    const layout = await readLayout(service, layoutId);
    return layout && { ...known, ...layout };
  },
  saveDraft: savedDraft,
  restoreDraft: savedDraft,
  async publishLayout(service, { layoutId, body }, known) {
    if (known?.publishedVersion && known.validation) return known;
    const wanted = known?.versionId ?? body.draftVersionId;
    const version = await findVersion(service, layoutId, ({ id }) => id === wanted);
    if (version?.status !== "PUBLISHED") return known;
    return { ...(await publishedAs(service, layoutId, version)), ...known };
  },
};

/** @param id the record's id, where the answer says at least that */
export function fillIn(
  service: Service,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  known: unknown,
  id: string | undefined,
): Promise<unknown> {
  const fill = FILL_IN[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  return fill ? fill(service, input, known, id) : Promise.resolve(known);
}

/** Whether what an answer says is enough where nothing more can be read. */
export function isEnough(name: OperationName, { body }: Readonly<Record<string, unknown>>, known: unknown): boolean {
  return (
    known !== undefined && (name !== "updateFormDefaults" || saysAll(known as DefaultsAnswer, body as DefaultsAnswer))
  );
}

/** The members that the API document promises of a form. */
function isWhole(form: FormAnswer): boolean {
  return form.viewLayoutId !== undefined && form.usableTypes !== undefined && form.config !== undefined;
}

/** Whether an answer names each default that was changed. */
function saysAll(known: DefaultsAnswer, sent: DefaultsAnswer): boolean {
  return (Object.keys(sent) as (keyof DefaultsAnswer)[]).every((key) => known[key] !== undefined);
}

async function savedDraft(
  service: Service,
  { layoutId }: Pick<Names, "layoutId">,
  known: Answer<"saveDraft"> | undefined,
): Promise<Answer<"saveDraft"> | undefined> {
  if (known?.validation) return known;
  const listed = known
    ? await findVersion(service, layoutId, ({ id }) => id === known.draftVersionId)
    : draftAmong(await service.listVersions({ layoutId }));
  if (!listed) return known;
  const draftVersion = listed.validation ? listed : await wholeVersion(service, layoutId, listed);
  // A draft that says nothing of its state is not called valid.
  return { draftVersionId: draftVersion.id, draftVersion, validation: draftVersion.validation, ...known };
}

async function findVersion(
  service: Service,
  layoutId: string,
  isWanted: (version: VersionAnswer) => boolean,
): Promise<VersionAnswer | undefined> {
  return (await service.listVersions({ layoutId })).find(isWanted);
}
