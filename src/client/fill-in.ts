/** Completes the answer of an accepted write by reading what the answer leaves out. */

import { draftAmong, wholeVersion } from "../lists/versions.ts";
import type { Answer, DefaultsAnswer, FormAnswer, VersionAnswer } from "../schemas/answers.ts";
import type { Input, OperationName } from "../schemas/operations.ts";
import { readLayout, type Service } from "../service.ts";
import { publishedAs, readDefaults } from "./read-back.ts";

type Names = { moduleKey: string; objectKey: string; formId: string; layoutId: string };

/**
 * @param known the output in the answer; undefined if the answer can't be used
 * @param id the id of the record, if the answer has an id
 */
type Filler<N extends OperationName> = (
  service: Service,
  input: Input<N>,
  known: Answer<N> | undefined,
  id: string | undefined,
) => Promise<Answer<N> | undefined>;

const fillers: { [N in OperationName]?: Filler<N> } = {
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
    return known && hasAllDefaults(known, input.body) ? known : readDefaults(service, input);
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

/** Returns the output of a write, and reads what the answer lacks. See `Filler` for `known` and `id`. */
export function fillIn(
  service: Service,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  known: unknown,
  id: string | undefined,
): Promise<unknown> {
  const fill = fillers[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  return fill ? fill(service, input, known, id) : Promise.resolve(known);
}

/** Whether `known` is a sufficient output of the operation if the missing members can't be read. */
export function isEnough(name: OperationName, { body }: Readonly<Record<string, unknown>>, known: unknown): boolean {
  return (
    known !== undefined &&
    (name !== "updateFormDefaults" || hasAllDefaults(known as DefaultsAnswer, body as DefaultsAnswer))
  );
}

/** Whether the form has the members that the API document promises, but some servers leave out. */
function isWhole(form: FormAnswer): boolean {
  return form.viewLayoutId !== undefined && form.usableTypes !== undefined && form.config !== undefined;
}

function hasAllDefaults(known: DefaultsAnswer, sent: DefaultsAnswer): boolean {
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
  // If the server does not show the validation of the draft, `validation` stays undefined. An empty validation would
  // report the draft as valid.
  return { draftVersionId: draftVersion.id, draftVersion, validation: draftVersion.validation, ...known };
}

async function findVersion(
  service: Service,
  layoutId: string,
  isWanted: (version: VersionAnswer) => boolean,
): Promise<VersionAnswer | undefined> {
  return (await service.listVersions({ layoutId })).find(isWanted);
}
