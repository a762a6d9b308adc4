/** The effects of writes, and how to read them: after a lost answer, and to complete an incomplete answer. */

import type { ObjectKey } from "../lists/addresses.ts";
import type { AccessAnswer, DefaultsAnswer, FormAnswer, PublishedAnswer, VersionAnswer } from "../schemas/answers.ts";
import type { Answer } from "../schemas/operation-types.ts";
import { type Assignments, assignmentsOf, assignmentsText } from "../lists/layouts.ts";
import { listDefaultForms, listFormsNamed } from "../lists/forms.ts";
import { draftAmong, wholeVersion } from "../lists/versions.ts";
import type { Input, OperationName } from "../schemas/operations.ts";
import { hasMembers } from "../schemas/sent-members.ts";
import { DEFAULT_FLAG, DEFAULT_KEY, MODES } from "../schemas/words.ts";
import { type CallOptions, readLayout, type Service, ServiceError } from "../service.ts";

/** What the answer of a write shows. */
type Answered<T> = {
  /** The output in the answer; undefined if the answer can't be used. */
  known: T | undefined;
  /** The id of the record, if the answer has an id. */
  id: string | undefined;
};

type Effect<N extends OperationName> = {
  /** Reads the state before the write is sent. See {@link CallOptions} for `namesakes`. */
  before?(service: Service, input: Input<N>, namesakes: CallOptions["namesakes"]): Promise<unknown>;
  /**
   * Finds the effect after a lost answer. Returns the output of the write, or undefined if no effect is visible. Absent
   * if reading can't show the effect.
   */
  find?(service: Service, input: Input<N>, before: unknown): Promise<{ output: Answer<N> } | undefined>;
  /** Whether the output has all members. Absent if any output in an answer is complete. */
  isWhole?(known: Answer<N>, input: Input<N>): boolean;
  /** Reads what the answer of an accepted write leaves out. */
  complete?(service: Service, input: Input<N>, answered: Answered<Answer<N>>): Promise<Answer<N> | undefined>;
};

const effects: { [N in OperationName]?: Effect<N> } = {
  createForm: {
    async before(service, input, namesakes) {
      // The server refuses a creation without a name, so there is no effect to look for.
      if (typeof input.body?.name !== "string") return undefined;
      return new Set(namesakes ?? (await formsNamed(service, input)).map(({ id }) => id));
    },
    async find(service, input, before) {
      if (!(before instanceof Set)) return undefined;
      const others = (await formsNamed(service, input)).filter(({ id }) => !before.has(id));
      // Each record is read for the comparison, because the items of a list may lack members.
      const records = others.map(({ id: formId }) => service.getForm({ ...objectPath(input), formId }));
      const created = (await Promise.all(records)).filter((form) => hasMembers(form, input.body));
      const [only] = created;
      // If two forms match, one is from another user. The records do not show which form is from this command.
      if (!only || created.length > 1) return undefined;
      return { output: only };
    },
    isWhole: isWholeForm,
    async complete(service, input, { known, id }) {
      if (id === undefined) return undefined;
      return { ...known, ...(await service.getForm({ ...objectPath(input), formId: id })) };
    },
  },
  updateForm: {
    async find(service, { moduleKey, objectKey, formId, body }) {
      const form = await service.getForm({ moduleKey, objectKey, formId });
      return hasMembers(form, body) ? { output: form } : undefined;
    },
    isWhole: isWholeForm,
    async complete(service, { moduleKey, objectKey, formId }, { known }) {
      return { ...known, ...(await service.getForm({ moduleKey, objectKey, formId })) };
    },
  },
  deleteForm: {
    find: async (service, { moduleKey, objectKey, formId }) =>
      isDeleted(() => service.getForm({ moduleKey, objectKey, formId })),
  },
  updateFormDefaults: {
    async find(service, input) {
      const defaults = await readDefaults(service, input);
      const wanted = Object.entries(input.body) as [keyof DefaultsAnswer, string | null | undefined][];
      const isDone = defaults && wanted.every(([key, id]) => id === undefined || defaults[key] === id);
      return isDone ? { output: defaults } : undefined;
    },
    isWhole: (known, { body }) =>
      (Object.keys(body) as (keyof DefaultsAnswer)[]).every((key) => known[key] !== undefined),
    complete: readDefaults,
  },
  replaceFormAccess: {
    async find(service, { moduleKey, objectKey, formId, body }) {
      const access = await service.getFormAccess({ moduleKey, objectKey, formId });
      return accessText(access) === accessText(body) ? { output: access } : undefined;
    },
    complete: (service, { moduleKey, objectKey, formId }) => service.getFormAccess({ moduleKey, objectKey, formId }),
  },
  updateLayout: {
    async find(service, { layoutId, body }) {
      const layout = await service.getLayout({ layoutId });
      return hasMembers(layout, body) ? { output: layout } : undefined;
    },
    complete: (service, { layoutId }) => readLayout(service, layoutId),
  },
  replaceAssignments: {
    async find(service, { layoutId, body }) {
      const layout = await service.getLayout({ layoutId });
      const shown = assignmentsOf(layout);
      return shown && assignmentsText(shown) === assignmentsText(wantedAssignments(body))
        ? { output: layout }
        : undefined;
    },
    isWhole: ({ assignments }) => assignments !== undefined,
    async complete(service, { layoutId }, { known }) {
      const layout = await readLayout(service, layoutId);
      return layout && { ...known, ...layout };
    },
  },
  saveDraft: { isWhole: hasValidation, complete: savedDraft },
  restoreDraft: { isWhole: hasValidation, complete: savedDraft },
  publishLayout: {
    async find(service, { layoutId, body }) {
      const output = await publishedAs(service, layoutId, body.draftVersionId);
      return output && { output };
    },
    isWhole: ({ publishedVersion, validation }) => publishedVersion !== undefined && validation !== undefined,
    async complete(service, { layoutId, body }, { known }) {
      const published = await publishedAs(service, layoutId, known?.versionId ?? body.draftVersionId);
      return published && { ...published, ...known };
    },
  },
  archiveLayout: {
    find: async (service, { layoutId }) => isDeleted(() => service.listVersions({ layoutId })),
  },
};

/** The effect of an operation whose name is known only at run time. */
type AnyEffect = {
  before?: (service: Service, input: unknown, namesakes: CallOptions["namesakes"]) => Promise<unknown>;
  find?: (service: Service, input: unknown, before: unknown) => Promise<{ output: unknown } | undefined>;
  isWhole?: (known: unknown, input: unknown) => boolean;
  complete?: (service: Service, input: unknown, answered: Answered<unknown>) => Promise<unknown>;
};

/** Returns the effect of a write. Undefined if nothing of it can be read. */
export function effectOf(name: OperationName): AnyEffect | undefined {
  return effects[name] as AnyEffect | undefined;
}

/** Returns the output of an accepted write. Reads what the answer lacks, and returns `known` if that can't be read. */
export async function wholeOutput(
  service: Service,
  name: OperationName,
  input: unknown,
  answered: Answered<unknown>,
): Promise<unknown> {
  const { known } = answered;
  const effect = effectOf(name);
  if (!effect?.complete || (known !== undefined && (effect.isWhole?.(known, input) ?? true))) return known;
  return (await effect.complete(service, input, answered)) ?? (isEnough(name, input, known) ? known : undefined);
}

/** Whether `known` is a sufficient output of the operation if the missing members can't be read. */
export function isEnough(name: OperationName, input: unknown, known: unknown): boolean {
  if (known === undefined) return false;
  return name !== "updateFormDefaults" || effectOf(name)?.isWhole?.(known, input) === true;
}

/** Returns the output of `publishLayout`, as far as it can be read. Undefined if the version is not published. */
async function publishedAs(
  service: Service,
  layoutId: string,
  versionId: string,
): Promise<PublishedAnswer | undefined> {
  const version = await findVersion(service, layoutId, ({ id }) => id === versionId);
  if (version?.status !== "PUBLISHED") return undefined;
  const layout = await readLayout(service, layoutId);
  const known = { versionId: version.id, publishedVersion: version, validation: version.validation };
  return { ...known, ...(layout && { layout }) };
}

/**
 * Returns the defaults of an object, from the flags in the list of its forms. Returns undefined if the list lacks
 * flags.
 */
export async function readDefaults(service: Service, path: ObjectKey): Promise<DefaultsAnswer | undefined> {
  const forms = await listDefaultForms(service, path);
  if (forms.some((form) => MODES.some((mode) => form[DEFAULT_FLAG[mode]] === undefined))) return undefined;
  const holders = MODES.map((mode) => [DEFAULT_KEY[mode], forms.find((form) => form[DEFAULT_FLAG[mode]])?.id ?? null]);
  return Object.fromEntries(holders) as DefaultsAnswer;
}

const formsNamed = (service: Service, input: Input<"createForm">) =>
  listFormsNamed(service, objectPath(input), input.body.name.trim());

function objectPath({ moduleKey, objectKey }: ObjectKey): ObjectKey {
  return { moduleKey, objectKey };
}

const sorted = (words: readonly unknown[]) => words.map(String).sort().join();

function accessText({ users, roles }: AccessAnswer): string {
  const rows = [
    ...users.map(({ membershipId, types }) => `user ${membershipId} ${sorted(types)}`),
    ...roles.map(({ roleId, types }) => `role ${roleId} ${sorted(types)}`),
  ];
  return rows.sort().join("\n");
}

function wantedAssignments({
  organizationDefault = false,
  roles = [],
}: Input<"replaceAssignments">["body"]): Assignments {
  return { organizationDefault, roles: roles.map(({ roleId, priority = 0 }) => ({ roleId, priority })) };
}

/** Returns the empty output of a deletion if the record is not found. Returns undefined if the record still exists. */
async function isDeleted(read: () => Promise<unknown>): Promise<{ output: undefined } | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return { output: undefined };
    throw error;
  }
}

/** Whether the form has the members that the API document promises, but some servers leave out. */
function isWholeForm(form: FormAnswer): boolean {
  return form.viewLayoutId !== undefined && form.usableTypes !== undefined && form.config !== undefined;
}

function hasValidation({ validation }: Answer<"saveDraft">): boolean {
  return validation !== undefined;
}

async function savedDraft(
  service: Service,
  { layoutId }: Pick<Input<"saveDraft">, "layoutId">,
  { known }: Answered<Answer<"saveDraft">>,
): Promise<Answer<"saveDraft"> | undefined> {
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
