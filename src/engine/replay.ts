/**
 * Same clientMutationId or Idempotency-Key and same request: the same answer, and nothing done again
 * (docs/decisions.md, "Replays").
 */

import { sha256 } from "../sha256.ts";
import { canonicalJson, isJsonObject } from "../schemas/json.ts";
import type { DraftContent } from "../schemas/draft.ts";
import type { LayoutVersion } from "../schemas/layout.ts";
import {
  deleteMutationsBefore,
  findMutation,
  insertMutation,
  type MutationKey,
  type MutationRecord,
} from "../store/mutations.ts";
import { readStored } from "../store/stored-json.ts";
import { conflict } from "./refuse.ts";
import type { World } from "./world.ts";

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export type Mutation = {
  key: MutationKey;
  /** Which of the two ids it carries: the body's comes first. */
  by: "clientMutationId" | "Idempotency-Key";
  parameters: Readonly<Record<string, string>>;
  bodySha256: string;
};

/**
 * The mutation that a request is, or undefined when it carries neither id. The scope of a clientMutationId is the
 * organization, the operation and the layout; that of an Idempotency-Key the organization, the operation and the path.
 */
export function mutationOf(
  request: { orgId: string; operation: string; parameters: Readonly<Record<string, string>>; body: unknown },
  idempotencyKey: string | undefined,
): Mutation | undefined {
  const { orgId, operation, parameters, body } = request;
  const clientMutationId = (body as { clientMutationId?: string } | undefined)?.clientMutationId;
  const by = clientMutationId === undefined ? "Idempotency-Key" : "clientMutationId";
  const id = clientMutationId ?? idempotencyKey;
  if (id === undefined) return undefined;
  // Hashed, because the answer to a deletion stays, and the id of what was deleted must not stay with it (R83).
  const scope =
    by === "clientMutationId" ? (parameters["layoutId"] ?? "") : `path:${sha256(canonicalJson(parameters))}`;
  const key = { orgId, operation, scope, clientMutationId: id };
  return { key, by, parameters, bodySha256: sha256(canonicalJson({ parameters, body })) };
}

/**
 * The answer that was given the first time, if there was one and it is still kept.
 *
 * @throws ServiceError 409 IDEMPOTENCY_CONFLICT when the id was used for another request
 */
export async function replayed(world: World, mutation: Mutation): Promise<{ answer: unknown } | undefined> {
  const found = await findMutation(world.tx, mutation.key);
  if (!found || found.created_at < oldestKept(world)) return undefined;
  if (found.body_sha256 === mutation.bodySha256) return { answer: asGiven(found, mutation.key.clientMutationId) };
  const { clientMutationId, operation } = mutation.key;
  throw conflict(
    "IDEMPOTENCY_CONFLICT",
    `the ${mutation.by} "${clientMutationId}" was used before for another request; use a new one`,
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

/** Keeps an answer, in the transaction of its effect: both are there, or neither. */
export async function remember(world: World, mutation: Mutation, answer: unknown): Promise<void> {
  await deleteMutationsBefore(world.tx, oldestKept(world));
  const told = versionIn(answer);
  await insertMutation(world.tx, mutation.key, {
    ...ownersOf(mutation, answer),
    bodySha256: mutation.bodySha256,
    response: JSON.stringify(toKeep(answer) ?? null),
    versionId: told?.version.id ?? null,
    createdAt: world.now,
  });
}

/** The version that an answer tells of with its content: the draft that was saved, or what was published. */
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

/** Contents are long, and the layout has this one already: an answer is kept without it. */
function toKeep(answer: unknown): unknown {
  const told = versionIn(answer);
  return told ? { ...(answer as object), [told.member]: { ...told.version, ...NO_CONTENT } } : answer;
}

function asGiven({ response, content }: MutationRecord, id: string): unknown {
  const kept = readStored("mutations.response", response, `the stored response ${id}`);
  const told = versionIn(kept);
  if (!told || content === null) return kept;
  const read = readStored("layout_contents.content", content, told.version.id);
  return { ...(kept as object), [told.member]: { ...told.version, ...read } };
}

/** What takes the answer along when it is deleted. The answer to its own deletion belongs to nobody. */
function ownersOf({ key: { operation }, parameters }: Mutation, answer: unknown) {
  const made = (answer as { id?: string } | undefined)?.id ?? null;
  return {
    ownerLayoutId: parameters["layoutId"] ?? (operation === "createLayout" ? made : null),
    ownerFormId:
      operation === "deleteForm" ? null : (parameters["formId"] ?? (operation === "createForm" ? made : null)),
  };
}

/** An answer from before this time is none any more, be it removed already or not. */
function oldestKept(world: World): string {
  return new Date(Date.parse(world.now) - KEPT_MS).toISOString();
}
