/** Reads the effect of a write whose answer was lost or is incomplete. */

import type {
  AccessAnswer,
  Answer,
  DefaultsAnswer,
  FormAnswer,
  LayoutAnswer,
  PublishedAnswer,
  VersionAnswer,
} from "../schemas/answers.ts";
import { type Assignments, assignmentsOf, assignmentsText } from "../lists/layouts.ts";
import { listDefaultForms, listFormsNamed } from "../lists/forms.ts";
import { canonicalJson } from "../schemas/json.ts";
import type { Input, OperationName } from "../schemas/operations.ts";
import { DEFAULT_FLAG, DEFAULT_KEY, MODES } from "../schemas/words.ts";
import { type CallOptions, readLayout, type Service, ServiceError } from "../service.ts";

type ObjectPath = { moduleKey: string; objectKey: string };

/** The writes whose effect can be read, each with its reader. */
type ReadBack = {
  [N in OperationName]?: {
    /** Reads the state before the write is sent. See {@link CallOptions} for `namesakes`. */
    before?(service: Service, input: Input<N>, namesakes: CallOptions["namesakes"]): Promise<unknown>;
    /** Returns the output of the write, or undefined if no effect is visible. */
    after(service: Service, input: Input<N>, before: unknown): Promise<{ output: Answer<N> } | undefined>;
  };
};

const readers: ReadBack = {
  createForm: {
    async before(service, input, namesakes) {
      // The server refuses a creation without a name, so there is no effect to look for.
      if (typeof input.body?.name !== "string") return undefined;
      return new Set(namesakes ?? (await formsNamed(service, input)).map(({ id }) => id));
    },
    async after(service, input, before) {
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
  },
  updateForm: {
    async after(service, { moduleKey, objectKey, formId, body }) {
      const form = await service.getForm({ moduleKey, objectKey, formId });
      return hasMembers(form, body) ? { output: form } : undefined;
    },
  },
  deleteForm: {
    after: async (service, { moduleKey, objectKey, formId }) =>
      isDeleted(() => service.getForm({ moduleKey, objectKey, formId })),
  },
  updateFormDefaults: {
    async after(service, input) {
      const defaults = await readDefaults(service, input);
      const wanted = Object.entries(input.body) as [keyof DefaultsAnswer, string | null | undefined][];
      const isDone = defaults && wanted.every(([key, id]) => id === undefined || defaults[key] === id);
      return isDone ? { output: defaults } : undefined;
    },
  },
  replaceFormAccess: {
    async after(service, { moduleKey, objectKey, formId, body }) {
      const access = await service.getFormAccess({ moduleKey, objectKey, formId });
      return accessText(access) === accessText(body) ? { output: access } : undefined;
    },
  },
  updateLayout: {
    async after(service, { layoutId, body }) {
      const layout = await service.getLayout({ layoutId });
      return hasMembers(layout, body) ? { output: layout } : undefined;
    },
  },
  replaceAssignments: {
    async after(service, { layoutId, body }) {
      const layout = await service.getLayout({ layoutId });
      const shown = assignmentsOf(layout);
      return shown && assignmentsText(shown) === assignmentsText(wantedAssignments(body))
        ? { output: layout }
        : undefined;
    },
  },
  publishLayout: {
    async after(service, { layoutId, body }) {
      const version = (await service.listVersions({ layoutId })).find(({ id }) => id === body.draftVersionId);
      return version?.status === "PUBLISHED" ? { output: await publishedAs(service, layoutId, version) } : undefined;
    },
  },
  archiveLayout: {
    after: async (service, { layoutId }) => isDeleted(() => service.listVersions({ layoutId })),
  },
};

/** The reader of an operation whose name is known only at run time. */
export type Reader = {
  before?(service: Service, input: unknown, namesakes: CallOptions["namesakes"]): Promise<unknown>;
  after(service: Service, input: unknown, before: unknown): Promise<{ output: unknown } | undefined>;
};

export function readerOf(name: OperationName): Reader | undefined {
  return readers[name];
}

/** Returns the output of `publishLayout`, as far as it can be read. */
export async function publishedAs(
  service: Service,
  layoutId: string,
  version: VersionAnswer,
): Promise<PublishedAnswer> {
  const layout = await readLayout(service, layoutId);
  const known = { versionId: version.id, publishedVersion: version, validation: version.validation };
  return { ...known, ...(layout && { layout }) };
}

/**
 * Returns the defaults of an object, from the flags in the list of its forms. Returns undefined if the list lacks
 * flags.
 */
export async function readDefaults(service: Service, path: ObjectPath): Promise<DefaultsAnswer | undefined> {
  const forms = await listDefaultForms(service, path);
  if (forms.some((form) => MODES.some((mode) => form[DEFAULT_FLAG[mode]] === undefined))) return undefined;
  const holders = MODES.map((mode) => [DEFAULT_KEY[mode], forms.find((form) => form[DEFAULT_FLAG[mode]])?.id ?? null]);
  return Object.fromEntries(holders) as DefaultsAnswer;
}

const formsNamed = (service: Service, input: Input<"createForm">) =>
  listFormsNamed(service, objectPath(input), input.body.name.trim());

function objectPath({ moduleKey, objectKey }: ObjectPath): ObjectPath {
  return { moduleKey, objectKey };
}

/** Whether a record has every sent member with the same value. The order of modes does not matter. */
function hasMembers(record: FormAnswer | LayoutAnswer, sent: Readonly<Record<string, unknown>>): boolean {
  const kept = record as unknown as Record<string, unknown>;
  return Object.entries(sent).every(([member, value]) => value === undefined || same(member, kept[member], value));
}

function same(member: string, kept: unknown, sent: unknown): boolean {
  if ((member === "types" || member === "supportedModes") && Array.isArray(kept) && Array.isArray(sent))
    return sorted(kept) === sorted(sent);
  if (member === "name" && typeof sent === "string") return kept === sent.trim();
  return canonicalJson(kept ?? null) === canonicalJson(sent);
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
