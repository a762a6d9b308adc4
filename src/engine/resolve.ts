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
import type { OrgTx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";
import { invalid, notFound } from "./refuse.ts";

export type ResolveRequest = {
  surface: string;
  target: Record<string, string>;
  mode: string;
  memberEmail: string;
};

/**
 * Returns the published layout that a member sees. A layout counts only if it has the mode now and had the mode at the
 * publish. The first of these layouts that counts is returned:
 * - Of the layouts assigned to the member's roles, the layout with the lowest priority number. Of equal numbers, the
 *   oldest layout.
 * - The organization default.
 *
 * @returns null if no layout counts
 * @throws ServiceError 400 if surface, target or mode is invalid
 * @throws ServiceError 404 if no member has the e-mail address
 */
export async function resolveLayout(tx: OrgTx, request: ResolveRequest): Promise<ResolvedLayout | null> {
  const { surface, target, mode, memberEmail } = request;
  const where = readShape(ResolveQuestion, { surface, target, mode });
  if (!where.ok) throw invalid(where.problems);
  const member = await findMembershipByEmail(tx, memberEmail);
  if (!member) throw notFound(`no member has the e-mail address ${memberEmail}`);

  const targetMode: TargetMode = {
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

/** Whether the published version has the mode. A mode that was added later has no published content. */
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
