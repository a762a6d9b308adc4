/** Same clientMutationId and same request: the same answer, and nothing done again (docs/decisions.md, "Replays"). */

import { createHash } from "node:crypto";
import { canonicalJson } from "../schemas/json.ts";
import { deleteMutationsBefore, findMutation, insertMutation, type MutationKey } from "../store/mutations.ts";
import { conflict } from "./refuse.ts";
import type { World } from "./world.ts";

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export type Mutation = { key: MutationKey; layoutId: string | null; bodySha256: string };

/**
 * The mutation that a request is, or undefined when it carries no clientMutationId.
 * Its scope is the organization, the operation and the layout.
 */
export function mutationOf(
  orgId: string,
  operation: string,
  parameters: Readonly<Record<string, string>>,
  body: unknown,
): Mutation | undefined {
  const clientMutationId = (body as { clientMutationId?: string } | undefined)?.clientMutationId;
  if (clientMutationId === undefined) return undefined;
  const layoutId = parameters["layoutId"] ?? null;
  return {
    key: { orgId, operation, scope: layoutId ?? "", clientMutationId },
    layoutId,
    bodySha256: createHash("sha256").update(canonicalJson({ parameters, body })).digest("hex"),
  };
}

/**
 * The answer that was given the first time, if there was one and it is still kept.
 *
 * @throws ServiceError 409 IDEMPOTENCY_CONFLICT when the id was used for another request
 */
export async function replayed(world: World, mutation: Mutation): Promise<{ answer: unknown } | undefined> {
  const found = await findMutation(world.tx, mutation.key);
  if (!found || found.created_at < oldestKept(world)) return undefined;
  if (found.body_sha256 === mutation.bodySha256) return { answer: JSON.parse(found.response) };
  const { clientMutationId, operation } = mutation.key;
  throw conflict(
    "IDEMPOTENCY_CONFLICT",
    `the clientMutationId "${clientMutationId}" was used before for another request; use a new one`,
    {
      idempotencyConflict: {
        clientMutationId,
        operation,
        layoutId: mutation.layoutId,
        firstSeenAt: found.created_at,
        reason: "BODY_MISMATCH",
      },
    },
  );
}

/** Keeps an answer, in the transaction of its effect: both are there, or neither. */
export async function remember(world: World, mutation: Mutation, answer: unknown): Promise<void> {
  await deleteMutationsBefore(world.tx, oldestKept(world));
  await insertMutation(world.tx, mutation.key, {
    ownerLayoutId: mutation.layoutId ?? (answer as { id: string }).id,
    bodySha256: mutation.bodySha256,
    response: JSON.stringify(answer),
    createdAt: world.now,
  });
}

/** An answer from before this time is none any more, be it removed already or not. */
function oldestKept(world: World): string {
  return new Date(Date.parse(world.now) - KEPT_MS).toISOString();
}
