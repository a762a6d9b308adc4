/** Which layout a member sees (docs/decisions.md, "Resolution"). The API has no endpoint for it. */

import type { Mode } from "../schemas/form.ts";
import { type ResolvedLayout, ResolveQuestion } from "../schemas/local-requests.ts";
import { readShape } from "../schemas/shape.ts";
import { targetKey } from "../schemas/target-key.ts";
import {
  type Candidate,
  findDefaultCandidate,
  findMembershipByEmail,
  listRoleCandidates,
  type TargetMode,
} from "../store/assignments.ts";
import type { Tx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";
import { invalid, notFound } from "./refuse.ts";

export type ResolveRequest = {
  surface: string;
  target: Record<string, string>;
  mode: string;
  memberEmail: string;
};

/**
 * The layout of a surface and target that serves a mode for a member: of those assigned to a role of the member the one
 * with the lowest priority number, of equals the oldest; else the organization default. Only published layouts count,
 * for the modes that they were published for.
 *
 * @returns null when there is none
 * @throws ServiceError 400 when surface, target or mode are not such, or the target is none of the surface; 404 when nobody has the address
 */
export async function resolveLayout(tx: Tx, orgId: string, request: ResolveRequest): Promise<ResolvedLayout | null> {
  const { surface, target, mode, memberEmail } = request;
  const where = readShape(ResolveQuestion, { surface, target, mode });
  if (!where.ok) throw invalid(where.problems);
  const member = await findMembershipByEmail(tx, orgId, memberEmail);
  if (!member) throw notFound(`there is no member ${memberEmail}`);

  const targetMode: TargetMode = {
    orgId,
    surface: where.value.surface,
    targetKey: targetKey(where.value.target),
    mode: where.value.mode,
  };
  const candidates = await listRoleCandidates(tx, targetMode, member.id);
  const byRole = candidates.find((candidate) => serves(candidate, targetMode.mode));
  if (byRole) return toResolved(byRole, "ROLE");
  const fallback = await findDefaultCandidate(tx, targetMode);
  return fallback && serves(fallback, targetMode.mode) ? toResolved(fallback, "ORGANIZATION_DEFAULT") : null;
}

/** A mode that the layout was given after its last publish has no checked content yet. */
function serves(candidate: Candidate, mode: Mode): boolean {
  return readStored("layout_versions.supported_modes", candidate.supported_modes, candidate.id).includes(mode);
}

function toResolved(candidate: Candidate, reason: ResolvedLayout["reason"]): ResolvedLayout {
  return {
    layoutId: candidate.layout_id,
    layoutName: candidate.layout_name,
    versionId: candidate.id,
    reason,
  };
}
