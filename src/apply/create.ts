/**
 * Creates a form or a layout exactly once. Two runs that create the same record send the same idempotency key. So both
 * runs get the same record.
 */

import { FormctlError } from "../base/error.ts";
import { derivedId } from "../mutation-ids.ts";
import { wholeForm } from "../lists/forms.ts";
import type { FormAnswer, LayoutAnswer } from "../schemas/answers.ts";
import { hasMembers } from "../schemas/sent-members.ts";
import { type CallOptions, localRefusal, readBack, readLayout, type Service, ServiceError } from "../service.ts";
import { AmbiguousNames } from "../state/match.ts";
import { type CreateRequest, type Lookup, openLookup } from "./lookup.ts";

export type CreateContext = {
  service: Service;
  address: string;
  /**
   * Whether a later step of the plan uses the record. With such a step, a new record that can't be found counts as
   * created. If the record does not exist, the later step fails.
   */
  isUsedLater: boolean;
  sleep: (milliseconds: number) => Promise<void>;
  /**
   * Finds records by name before a creation is sent again, because another user may have created the record during the
   * wait after a 429.
   */
  lookup: () => Lookup;
  /** Finds forms in lists that are at most five seconds old (`RECENT_MS` in step-runner.ts). */
  recentForms: () => Pick<Lookup, "formsNamed">;
  /** Writes the journal entry of the request with this key. */
  recordIntent: (key: string) => Promise<void>;
};

export function createForm(
  context: CreateContext,
  { object, body }: CreateRequest & { operation: "createForm" },
): Promise<FormAnswer> {
  const { service } = context;
  return createOnce<FormAnswer>(context, {
    operation: "createForm",
    identity: identityOfForm({ object, body }),
    async send(idempotencyKey, options) {
      const named = await context
        .recentForms()
        .formsNamed(object, body.name)
        .catch(() => undefined);
      const namesakes = named && { namesakes: named.map(({ id }) => id) };
      return service.createForm({ ...object, body }, { idempotencyKey, ...namesakes, ...options });
    },
    readName: async ({ id }) => (await service.getForm({ ...object, formId: id })).name,
    async named(lookup) {
      const forms = await lookup.formsNamed(object, body.name);
      return Promise.all(forms.map((form) => wholeForm(service, object, form)));
    },
    sent: { types: body.types },
  });
}

function identityOfForm({ object, body }: Pick<CreateRequest & { operation: "createForm" }, "object" | "body">) {
  return { ...object, name: body.name };
}

/**
 * Returns the Idempotency-Key that is sent first. Another key is sent only if the service already knows the first key.
 */
export function keyOfCreation(request: CreateRequest & { operation: "createForm" }): string {
  return mutationId("createForm", identityOfForm(request), null, []);
}

export function createLayout(
  context: CreateContext,
  { body }: CreateRequest & { operation: "createLayout" },
): Promise<LayoutAnswer> {
  const { service } = context;
  const { surface, target, name } = body;
  return createOnce<LayoutAnswer>(context, {
    operation: "createLayout",
    identity: { surface, target, name },
    // Not retried. A server that does not recognize the mutation id of a new layout would create a second layout.
    send: (clientMutationId, options) =>
      service.createLayout(
        { body: { ...body, clientMutationId } },
        { isOnce: true, mayOmit: ["clientMutationId"], ...options },
      ),
    async readName({ id: layoutId }) {
      const layout = await readLayout(service, layoutId);
      // Some servers do not show layouts by id. Then `listVersions` throws NOT_FOUND if the layout does not exist.
      if (!layout) await service.listVersions({ layoutId });
      return layout?.name;
    },
    named: (lookup) => lookup.layoutsNamed(body),
    sent: { supportedModes: body.supportedModes },
  });
}

type Creation<T> = {
  operation: "createForm" | "createLayout";
  /**
   * The members that identify the record. A form has an object and a name. A layout has a surface, a target and a name.
   */
  identity: unknown;
  send: (key: string, options: Required<Pick<CallOptions, "onReplay" | "beforeRepeat">>) => Promise<T>;
  /**
   * Returns the current name of a record. Undefined if the server does not show the name.
   *
   * @throws NOT_FOUND if the record does not exist
   */
  readName: (record: T) => Promise<string | undefined>;
  /** Returns the existing records with this identity. Undefined if the server can't list such records. */
  named: (lookup: Lookup) => Promise<readonly T[] | undefined>;
  /** The sent members. They are compared with the members of a record from another user. */
  sent: Readonly<Record<string, unknown>>;
};

/**
 * The maximum number of keys to try. No server is expected to store this many responses for deleted or renamed records.
 */
const MAX_KEYS = 10;

/**
 * Creates a record under an idempotency key that depends on its identity alone. The next key is tried in two cases:
 *
 * - The service returns a stored response, and the record in this response was deleted or renamed. The next key also
 *   depends on the id of that record.
 * - The service reports an earlier, different request with this key, and no record of this identity exists. The next
 *   key also depends on the time of that request.
 *
 * To detect the first case, formctl reads the record and compares its name. The read is skipped if the service reports
 * a new response. In the second case, formctl looks for records of this identity by name.
 *
 * Some services do not report whether a response is stored. The record may then be new, and not readable yet. No
 * further key is tried in this case, because it could create a second record.
 *
 * @throws OUTCOME_UNKNOWN if `MAX_KEYS` keys were tried
 * @throws OUTCOME_UNKNOWN if the response may be new, and the record has another name or can't be found. With
 *   `isUsedLater`, a record that can't be found is returned
 * @throws ServiceError 409 if another user created the record with different content
 * @throws AmbiguousNames if several records exist
 */
async function createOnce<T extends { id: string; name?: string | undefined }>(
  context: CreateContext,
  creation: Creation<T>,
): Promise<T> {
  const { operation, identity, send } = creation;
  const used: string[] = [];
  while (used.length < MAX_KEYS) {
    const key = mutationId(operation, identity, null, used);
    await context.recordIntent(key);
    const response: { isStored?: boolean; existing?: T | undefined } = {};
    let record: T;
    try {
      record = await send(key, {
        onReplay: (isReplay) => void (response.isStored = isReplay),
        async beforeRepeat() {
          const found = (await creation.named(context.lookup())) ?? [];
          response.existing = createdByOthers(context, creation, found);
          if (!response.existing) await context.recordIntent(key);
          return response.existing;
        },
      });
    } catch (error) {
      const firstSeenAt = otherUse(error);
      if (firstSeenAt === undefined || (await exists(context.service, creation))) throw error;
      used.push(firstSeenAt);
      continue;
    }
    if (response.isStored === false || response.existing) return record;
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

/**
 * Returns the record that another user created during the wait. Undefined if there is none.
 *
 * @throws ServiceError 409 if the content of the record differs from `sent`
 * @throws AmbiguousNames if there are several records
 */
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
  if (hasMembers(one, sent, "ignore")) return one;
  const message = `another user created ${address} with different content after the plan was created: ${one.id}`;
  throw localRefusal(409, "MADE_MEANWHILE", message, "Run apply again: it updates the existing one.");
}

/**
 * Whether another user created a record of this identity after the plan was created. True also if the records can't be
 * read. Otherwise the caller could create a second record.
 */
async function exists<T>(service: Service, { named }: Creation<T>): Promise<boolean> {
  const found = await named(openLookup(service)).catch(() => undefined);
  return found === undefined || found.length > 0;
}

/**
 * Returns a text for the next key. The text contains the time of an earlier, different request with the same key.
 * Undefined if the error does not report such a request.
 */
function otherUse(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== "IDEMPOTENCY_CONFLICT") return undefined;
  return `other request ${error.body.idempotencyConflict?.firstSeenAt ?? ""}`;
}

/** `notFound`: the record was deleted, or the server does not show it yet. */
type Presence = "present" | "renamed" | "notFound";

/**
 * Reads a new record to check that it exists. After any error except NOT_FOUND, the record counts as present. The
 * service has acknowledged its creation.
 */
async function readPresence<T extends { name?: string | undefined }>(
  { sleep }: CreateContext,
  { readName }: Creation<T>,
  record: T,
): Promise<Presence> {
  const read = async (): Promise<Presence | undefined> => {
    try {
      const name = await readName(record);
      return name === undefined || name === record.name ? "present" : "renamed";
    } catch (error) {
      return isNotFound(error) ? undefined : "present";
    }
  };
  return (await readBack(read, sleep)) ?? "notFound";
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
 * Returns the id by which a service recognizes a repeated write. The same write has the same id in every run and on
 * every machine.
 *
 * @param subject the changed resource, or the identity of the new record
 * @param content everything that is sent
 * @param replaced the state that the write replaces. The same content over another state is another write
 * @returns 51 characters, valid as a clientMutationId and as an Idempotency-Key
 */
export function mutationId(operation: string, subject: unknown, content: unknown, replaced: unknown): string {
  return derivedId([operation, subject, content, replaced ?? null]);
}
