/** Creates a form or a layout once: two runs that create the same one derive the same key, and get the same record. */

import { sha256 } from "../../sha256.ts";
import { FormctlError } from "../../error.ts";
import { wholeForm } from "../../lists/forms.ts";
import type { FormAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import { canonicalJson } from "../../schemas/json.ts";
import { localRefusal, readLayout, type Service, ServiceError } from "../../service.ts";
import { AmbiguousNames } from "../current/read-errors.ts";
import { type CreateRequest, hasMembers, type Lookup, openLookup } from "./lookup.ts";
import { type OptionalMember, sendWithOptional } from "./optional-members.ts";

export type CreateContext = {
  service: Service;
  address: string;
  /** A later step works on the record, and shows whether it exists. */
  isUsedLater: boolean;
  refusedMembers: Set<OptionalMember>;
  sleep: (milliseconds: number) => Promise<void>;
  /**
   * Set if the service refused the request before and the run waited: another user may have created the record
   * meanwhile.
   */
  lookup: Lookup | undefined;
  /** Writes the journal entry of a request that carries this key. */
  recordIntent: (key: string) => Promise<void>;
};

export function createForm(
  context: CreateContext,
  { object, body }: CreateRequest & { operation: "createForm" },
): Promise<FormAnswer> {
  const { service } = context;
  return createOnce<FormAnswer>(context, {
    operation: "createForm",
    identity: { ...object, name: body.name },
    send: (idempotencyKey, onReplay) => service.createForm({ ...object, body }, { idempotencyKey, onReplay }),
    readName: async ({ id }) => (await service.getForm({ ...object, formId: id })).name,
    async named(lookup) {
      const forms = await lookup.formsNamed(object, body.name);
      return Promise.all(forms.map((form) => wholeForm(service, object, form)));
    },
    sent: { types: body.types },
  });
}

export function createLayout(
  context: CreateContext,
  { body }: CreateRequest & { operation: "createLayout" },
): Promise<LayoutAnswer> {
  const { service, refusedMembers } = context;
  const { surface, target, name } = body;
  return createOnce<LayoutAnswer>(context, {
    operation: "createLayout",
    identity: { surface, target, name },
    // Sent once: a server may not know the mutation id of a new layout, and would create a second one.
    send: (key, onReplay) =>
      sendWithOptional(refusedMembers, "clientMutationId", key, (id) =>
        service.createLayout({ body: { ...body, ...id } }, { isOnce: true, onReplay }),
      ),
    async readName({ id: layoutId }) {
      const layout = await readLayout(service, layoutId);
      // A server that does not show layouts shows their versions.
      if (!layout) await service.listVersions({ layoutId });
      return layout?.name;
    },
    named: (lookup) => lookup.layoutsNamed(body),
    sent: { supportedModes: body.supportedModes },
  });
}

type Creation<T> = {
  operation: "createForm" | "createLayout";
  /** What identifies the record: the object, or the surface and target, and the name. */
  identity: unknown;
  send: (key: string, onReplay: () => void) => Promise<T>;
  /**
   * The current name of a record. Throws NOT_FOUND where it does not exist; undefined where the server does not show
   * it.
   */
  readName: (record: T) => Promise<string | undefined>;
  /** The records of this identity; undefined where the server lists none. */
  named: (lookup: Lookup) => Promise<readonly T[] | undefined>;
  /** The members by which a record that another user created is compared. */
  sent: Readonly<Record<string, unknown>>;
};

/** No server stores so many responses for records that were deleted or renamed. */
const MAX_KEYS = 10;

/**
 * The key depends on the identity alone. The service may have a stored response under it, for a record that was deleted
 * or renamed since. Then the next key depends on the id of that record too. Only a response that is proven to be a
 * stored one leads to the next key: a new record that can't be read may be late, and another request would create a
 * second one.
 *
 * @throws OUTCOME_UNKNOWN where the record can't be read and no later step shows it; ServiceError 409 where another
 *   user created it with other content; AmbiguousNames where several exist
 */
async function createOnce<T extends { id: string; name?: string | undefined }>(
  context: CreateContext,
  creation: Creation<T>,
): Promise<T> {
  const { operation, identity, send } = creation;
  const existing = context.lookup && createdByOthers(context, creation, (await creation.named(context.lookup)) ?? []);
  if (existing) return existing;
  const used: string[] = [];
  while (used.length < MAX_KEYS) {
    const key = mutationId(operation, identity, null, used);
    await context.recordIntent(key);
    const response = { isStored: false };
    let record: T;
    try {
      record = await send(key, () => void (response.isStored = true));
    } catch (error) {
      const firstSeenAt = otherUse(error);
      if (firstSeenAt === undefined || (await exists(context.service, creation))) throw error;
      used.push(firstSeenAt);
      continue;
    }
    const presence = await readPresence(context, creation, record);
    if (presence === "present") return record;
    if (!response.isStored) {
      if (presence === "notFound" && context.isUsedLater) return record;
      throw unconfirmed(operation, record.id, presence);
    }
    used.push(record.id);
  }
  throw unconfirmed(operation, used.join(", "), "notFound");
}

/** The record that another user created while this run waited, if it has the content that this run would send. */
function createdByOthers<T extends { id: string }>(
  { address }: CreateContext,
  { sent }: Creation<T>,
  found: readonly T[],
): T | undefined {
  const [one, another] = found;
  if (!one) return undefined;
  const ids = found.map(({ id }) => id);
  if (another) {
    const message = `${ids.length} records that may be ${address} were created after the plan was created: ${ids.join(", ")}`;
    throw new AmbiguousNames([{ address, message, ids }]);
  }
  if (hasMembers(one, sent)) return one;
  const message = `another user created ${address} with different content after the plan was created: ${one.id}`;
  throw localRefusal(409, "MADE_MEANWHILE", message, "Run apply again: it updates the existing one.");
}

/** Whether a record of this identity exists, which another user created after the plan was created. */
async function exists<T>(service: Service, { named }: Creation<T>): Promise<boolean> {
  const found = await named(openLookup(service)).catch(() => undefined);
  return found === undefined || found.length > 0;
}

/** When the key was used for another request. Undefined: the error has another reason. */
function otherUse(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== "IDEMPOTENCY_CONFLICT") return undefined;
  return `other request ${error.body.idempotencyConflict?.firstSeenAt ?? ""}`;
}

/** `notFound`: the record was deleted, or the server does not show it yet. */
type Presence = "present" | "renamed" | "notFound";

/** Pauses before each read: a replica of the server may receive the new record a moment later. */
const READ_PAUSES_MS = [0, 500, 2_000];

/** After any other error than NOT_FOUND the record counts as present: its creation was acknowledged. */
async function readPresence<T extends { name?: string | undefined }>(
  { sleep }: CreateContext,
  { readName }: Creation<T>,
  record: T,
): Promise<Presence> {
  for (const pause of READ_PAUSES_MS) {
    if (pause > 0) await sleep(pause);
    try {
      const name = await readName(record);
      return name === undefined || name === record.name ? "present" : "renamed";
    } catch (error) {
      if (!isNotFound(error)) return "present";
    }
  }
  return "notFound";
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 404 || error.code === "NOT_FOUND");
}

function unconfirmed(operation: string, ids: string, presence: Presence): FormctlError {
  const what = presence === "renamed" ? "has another name" : "can't be found";
  return new FormctlError(
    "OUTCOME_UNKNOWN",
    `the service answered ${operation} with ${ids}, which ${what}`,
    "Check the current state before you try again: formctl plan",
    undefined,
  );
}

/**
 * The id by which a service recognizes a write: the same for the same write, from every run and machine.
 *
 * @param subject what is written to, or what identifies the new record
 * @param content all that is sent
 * @param replaced what the write replaces: the same content over something else is another write
 * @returns 51 characters, valid as a clientMutationId and as an Idempotency-Key
 */
export function mutationId(operation: string, subject: unknown, content: unknown, replaced: unknown): string {
  const text = canonicalJson([operation, subject, content, replaced ?? null]);
  return `formctl-${sha256(text, "base64url")}`;
}
