/** The rules of form access: which members and roles may use a form in dashboards (R13). */

import type { AccessMatrix, Mode } from "../schemas/form.ts";
import type { Output, ParsedInput } from "../schemas/operations.ts";
import type { ShapeProblem } from "../schemas/shape.ts";
import { type AccessRow, findGrantees, listAccess, replaceAccess, type GranteeKind } from "../store/form-access.ts";
import { invalid } from "./refuse.ts";
import type { PathRecords, Rules, RuleContext } from "./rule.ts";

export const formAccessRules = { getFormAccess, replaceFormAccess } satisfies Partial<Rules>;

/** Returns the access rows of a form in the order in which they were set (R70). */
async function getFormAccess(
  { tx }: RuleContext,
  { formId }: ParsedInput<"getFormAccess">,
): Promise<Output<"getFormAccess">> {
  const [users, roles] = await Promise.all([listAccess(tx, "membership", formId), listAccess(tx, "role", formId)]);
  return {
    users: users.map(({ granteeId, types }) => ({ membershipId: granteeId, types })),
    roles: roles.map(({ granteeId, types }) => ({ roleId: granteeId, types })),
  };
}

/**
 * Replaces all access rows of a form. If both lists of the body are empty, no row remains (R80, R81).
 *
 * @throws ServiceError 400 for each member or role that does not belong to the organization (R29)
 * @throws ServiceError 400 for each mode that the form does not support (R28, R82)
 */
async function replaceFormAccess(
  context: RuleContext & PathRecords<"replaceFormAccess">,
  { body }: ParsedInput<"replaceFormAccess">,
): Promise<Output<"replaceFormAccess">> {
  const { tx, form, parts } = context;
  const users = body.users.map(({ membershipId, types }) => ({ granteeId: membershipId, types }));
  const roles = body.roles.map(({ roleId, types }) => ({ granteeId: roleId, types }));
  const problems = await Promise.all([
    problemsOf(context, "membership", users, parts.types),
    problemsOf(context, "role", roles, parts.types),
  ]).then((all) => all.flat());
  if (problems.length > 0) throw invalid(problems);
  await replaceAccess(tx, "membership", form, users);
  await replaceAccess(tx, "role", form, roles);
  return body satisfies AccessMatrix;
}

const WORDS = {
  membership: { list: "users", id: "membershipId", unknown: "is not the id of a member of the organization" },
  role: { list: "roles", id: "roleId", unknown: "is not the id of a role of the organization" },
} as const satisfies Record<GranteeKind, object>;

async function problemsOf(
  { tx }: RuleContext,
  subject: GranteeKind,
  rows: readonly AccessRow[],
  supported: readonly Mode[],
): Promise<ShapeProblem[]> {
  const { list, id, unknown } = WORDS[subject];
  const known = await findGrantees(
    tx,
    subject,
    rows.map((row) => row.granteeId),
  );
  return rows.flatMap((row, index) => {
    const problems: ShapeProblem[] = [];
    if (!known.has(row.granteeId)) problems.push({ path: `${list}[${index}].${id}`, message: unknown });
    row.types.forEach((mode, position) => {
      if (supported.includes(mode)) return;
      problems.push({
        path: `${list}[${index}].types[${position}]`,
        message: `is not a mode of the form. Modes of the form: ${supported.join(", ")}`,
      });
    });
    return problems;
  });
}
