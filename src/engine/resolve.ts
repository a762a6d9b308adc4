/** Resolves the layout that a member sees (docs/decisions.md, "Resolution"). The API has no endpoint for it. */

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
 * Of the layouts that are assigned to a role of the member, the one with the lowest priority number; of equal ones the
 * oldest. Without such a layout, the organization default. Only published layouts count, in the modes that they had
 * when they were published.
 *
 * @returns null when there is none
 * @throws ServiceError 400 when surface, target or mode is invalid; 404 when no member has the e-mail address
 */
export async function resolveLayout(tx: Tx, orgId: string, request: ResolveRequest): Promise<ResolvedLayout | null> {
  const { surface, target, mode, memberEmail } = request;
  const where = readShape(ResolveQuestion, { surface, target, mode });
  if (!where.ok) throw invalid(where.problems);
  const member = await findMembershipByEmail(tx, orgId, memberEmail);
  if (!member) throw notFound(`no member has the e-mail address ${memberEmail}`);

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

/** A mode that was added to the layout after its last publish has no published content. */
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
