/**
 * Replays stored responses. A repeated request with the same clientMutationId or Idempotency-Key gets the first
 * response. It has no further effect (docs/decisions.md, "Replays").
 */

import { sha256 } from "../base/sha256.ts";
import { canonicalJson, isJsonObject } from "../schemas/json.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { LayoutVersion } from "../schemas/layout.ts";
import {
  deleteMutation,
  deleteMutationsBefore,
  findMutation,
  insertMutation,
  type MutationKey,
  type MutationRecord,
} from "../store/mutations.ts";
import { readStored } from "../store/stored-json.ts";
import { conflict } from "./refuse.ts";
import type { RuleContext } from "./rule.ts";

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export type Mutation = {
  key: MutationKey;
  /** The kind of id that identifies the mutation. If a request has both ids, the clientMutationId is used. */
  by: "clientMutationId" | "Idempotency-Key";
  parameters: Readonly<Record<string, string>>;
  bodySha256: string;
};

/**
 * Returns the mutation of a request. Returns undefined for a request with neither a clientMutationId nor an
 * Idempotency-Key. A clientMutationId identifies a request within the organization, the operation and the layout. An
 * Idempotency-Key identifies a request within the organization, the operation and the path.
 */
export function mutationFrom(
  request: { orgId: string; operation: string; parameters: Readonly<Record<string, string>>; body: unknown },
  idempotencyKey: string | undefined,
): Mutation | undefined {
  const { orgId, operation, parameters, body } = request;
  const clientMutationId = (body as { clientMutationId?: string } | undefined)?.clientMutationId;
  const by = clientMutationId === undefined ? "Idempotency-Key" : "clientMutationId";
  const id = clientMutationId ?? idempotencyKey;
  if (id === undefined) return undefined;
  // The path is hashed, because it contains the id of the record. After a deletion the response stays in the store, but
  // the id must not stay (R83).
  const scope =
    by === "clientMutationId" ? (parameters["layoutId"] ?? "") : `path:${sha256(canonicalJson(parameters))}`;
  const key = { orgId, operation, scope, clientMutationId: id };
  return { key, by, parameters, bodySha256: sha256(canonicalJson({ parameters, body })) };
}

/**
 * Returns the stored response of the first request. Deletes an expired response, so that its id can be used again.
 *
 * @throws ServiceError 409 IDEMPOTENCY_CONFLICT if the id was used for a different request
 */
export async function findStoredResponse(
  context: RuleContext,
  mutation: Mutation,
): Promise<{ answer: unknown } | undefined> {
  const found = await findMutation(context.tx, mutation.key);
  if (!found) return undefined;
  if (found.created_at < expiryLimit(context)) {
    await deleteMutation(context.tx, mutation.key);
    return undefined;
  }
  if (found.body_sha256 === mutation.bodySha256) return { answer: readResponse(found, mutation.key.clientMutationId) };
  const { clientMutationId, operation } = mutation.key;
  throw conflict(
    "IDEMPOTENCY_CONFLICT",
    `the ${mutation.by} "${clientMutationId}" was already used for a different request. Use a new id`,
    {
      idempotencyConflict: {
        clientMutationId,
        operation,
        layoutId: mutation.parameters["layoutId"] ?? null,
        firstSeenAt: found.created_at,
        reason: "BODY_MISMATCH",
      },
    },
  );
}

/** Deletes the expired responses of the organization. */
export async function deleteExpiredResponses(context: RuleContext): Promise<void> {
  await deleteMutationsBefore(context.tx, expiryLimit(context));
}

/** Stores the response to a write in the transaction of that write. */
export async function storeResponse(context: RuleContext, mutation: Mutation, answer: unknown): Promise<void> {
  const embedded = versionIn(answer);
  const contentSha256 = embedded ? context.contentHashes.get(embedded.version.id) : null;
  if (contentSha256 === undefined) throw new Error("the rule has not named the content of the version in its result");
  await insertMutation(context.tx, mutation.key, {
    ...ownersOf(mutation, answer),
    bodySha256: mutation.bodySha256,
    response: JSON.stringify(withoutContent(answer) ?? null),
    contentSha256,
    createdAt: context.now,
  });
}

/**
 * Returns the version that a response includes together with its content. This is the saved draft or the published
 * version. `member` is the name of the response member with this version.
 */
function versionIn(answer: unknown): { member: string; version: LayoutVersion } | undefined {
  if (!isJsonObject(answer)) return undefined;
  const member = ["draftVersion", "publishedVersion"].find((name) => isJsonObject(answer[name]));
  return member === undefined ? undefined : { member, version: answer[member] as LayoutVersion };
}

const NO_CONTENT = {
  schemaVersion: undefined,
  regions: undefined,
  blocks: undefined,
  stagedFieldDefinitions: undefined,
  scriptBindings: undefined,
  metadata: undefined,
} satisfies Record<keyof DraftContent, undefined>;

/**
 * Returns the response without the content of its version. The content is long, and is already stored with the layout.
 */
function withoutContent(answer: unknown): unknown {
  const embedded = versionIn(answer);
  return embedded ? { ...(answer as object), [embedded.member]: { ...embedded.version, ...NO_CONTENT } } : answer;
}

function readResponse({ response, content }: MutationRecord, id: string): unknown {
  const stored = readStored("mutations.response", response, `the stored response ${id}`);
  const embedded = versionIn(stored);
  if (!embedded || content === null) return stored;
  const read = readStored("layout_contents.content", content, embedded.version.id);
  return { ...(stored as object), [embedded.member]: { ...embedded.version, ...read } };
}

/**
 * Returns the ids of the layout and the form that own a stored response. When an owner is deleted, the response is
 * deleted too. The response to the deletion of a form has no owner, so it can still be replayed.
 */
function ownersOf({ key: { operation }, parameters }: Mutation, answer: unknown) {
  const made = (answer as { id?: string } | undefined)?.id ?? null;
  return {
    ownerLayoutId: parameters["layoutId"] ?? (operation === "createLayout" ? made : null),
    ownerFormId:
      operation === "deleteForm" ? null : (parameters["formId"] ?? (operation === "createForm" ? made : null)),
  };
}

/** A response that was stored earlier than the returned time is not replayed. It may still be in the store. */
function expiryLimit(context: RuleContext): string {
  return new Date(Date.parse(context.now) - RETENTION_MS).toISOString();
}
