/** `formctl layouts assignments set`: who sees a layout of the organization, all of it at once. */

import { FormctlError } from "../../error.ts";
import type { AssignmentAnswer } from "../../schemas/answers.ts";
import { readLayout, unlessForbidden } from "../../service.ts";
import { AssignmentFile } from "../../schemas/layout.ts";
import { isDefault } from "../../lists/assignments.ts";
import { visible } from "../../terminal/escape.ts";
import { findLayoutId, parseLayout } from "../addresses.ts";
import { argument, defineCommand, flag, list, option } from "../command.ts";
import { locatedRefusal, readBody } from "../read-body.ts";
import { printAssignments, subjectText } from "./assignment-view.ts";
import { mutationIdOption } from "./mutation-id-option.ts";
import { readRoles, roleIdOf } from "./roles.ts";
import { replaceAssignments, type WantedAssignments } from "./take-over.ts";

export default defineCommand({
  about: "Replace the assignments of a layout",
  details: `What you name is the whole set (R96): a role that is not named is not assigned any more, and without --default the layout is
no organization default. In a local store a member sees, of several layouts, the one whose role has the lowest priority; the
API does not document the order of other servers. --no-default alone leaves the layout without assignments. FILE holds {organizationDefault, roles: [{roleId, priority}]}.`,
  examples: [
    "formctl layouts assignments set $(formctl layouts list --surface ORGANIZATION -o name) --default --role Recruiter=5",
    "formctl layouts assignments set $(formctl layouts list --surface ORGANIZATION -o name) --no-default",
  ],
  args: { layout: argument("LAYOUT", "Layout id", parseLayout) },
  options: {
    default: flag("--default", "It is the organization default of its surface and target"),
    noDefault: flag("--no-default", "It is not"),
    role: list("--role <role=priority>", "A role by id, key or name, and its priority (0 where left out)", parseRole),
    file: option("-f, --file <file>", "Read the set from a YAML or JSON file; - is standard input"),
    takeOver: flag("--take-over", "Take the default from the layout that has it"),
    clientMutationId: mutationIdOption("the request that sets the assignments"),
  },
  writes: true,
  async run(context, { layout: address, file, takeOver, clientMutationId, ...typed }) {
    const isTyped = typed.default || typed.noDefault || typed.role.length > 0;
    if (isTyped === (file !== undefined)) {
      throw new FormctlError(
        "USAGE",
        isTyped ? "-f and the options that name the set contradict each other" : "no set is named",
        "Name it with --default, --no-default and --role, or with -f FILE.",
      );
    }
    const roles = await readRoles(context);
    const source = file === undefined ? undefined : await readBody(context, file, AssignmentFile);
    const wanted: WantedAssignments = source?.value ?? {
      organizationDefault: typed.default,
      roles: onceEach(typed.role.map(({ role, priority }) => ({ roleId: namedRoleId(roles, role), priority }))),
    };
    const service = await context.service();
    const { layoutId } = await findLayoutId(service, address);
    const before = (await unlessForbidden(() => readLayout(service, layoutId)))?.assignments ?? [];
    const send = () => replaceAssignments(context, service, { layoutId, wanted, takeOver, clientMutationId });
    const { layout, takenFrom } = await (source ? locatedRefusal(source.document, send) : send());
    return { layout, takenFrom, roles, ended: endedBy(before, layout.assignments ?? before) };
  },
  view({ layout, takenFrom, roles, ended }, terminal) {
    for (const { layoutId, layoutName } of takenFrom)
      terminal.warn(`${visible(layoutName)} (${visible(layoutId)}) is not the organization default any more.`);
    for (const row of ended) terminal.warn(`Not assigned any more: ${visible(subjectText(row, roles))}`);
    if (layout.assignments) printAssignments(layout.assignments, roles, terminal);
    else terminal.out("The assignments were replaced. The server does not show them.\n");
  },
  document: ({ layout }) => layout,
  names: ({ layout }) => [layout.id],
});

/** `Recruiter=5`; a name may hold `=`, so the last one splits. */
function parseRole(text: string): { role: string; priority: number } {
  const [, role = text, digits = "0"] = /^(.*)=(-?\d{1,10})$/s.exec(text) ?? [];
  if (!role.trim() || /=\s*$/.test(role))
    throw new FormctlError("USAGE", `must be ROLE=PRIORITY, such as Recruiter=5, not "${text}"`);
  return { role, priority: Number(digits) };
}

/** @throws USAGE where what stands behind `=` was meant to be a priority: it was taken for a part of the name */
function namedRoleId(roles: Parameters<typeof roleIdOf>[0], named: string): string {
  try {
    return roleIdOf(roles, named);
  } catch (error) {
    const [, role, digits] = /^(.*)=(.*)$/s.exec(named) ?? [];
    if (role === undefined) throw error;
    throw new FormctlError(
      "USAGE",
      `the priority must be a whole number of at most ten digits, not "${digits}"`,
      `Such as: --role ${role}=5`,
    );
  }
}

/** @throws INVALID_VALUE where a role is named twice, by its id or in different words */
function onceEach<Row extends { roleId: string }>(rows: Row[]): Row[] {
  const ids = rows.map(({ roleId }) => roleId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new FormctlError("INVALID_VALUE", `--role: the role ${twice} is listed twice`, "Name each role once.");
  return rows;
}

/** The assignments that were there before and have no successor. */
function endedBy(before: readonly AssignmentAnswer[], after: readonly AssignmentAnswer[]): AssignmentAnswer[] {
  const subject = (row: AssignmentAnswer) => (isDefault(row) ? "" : row.roleId);
  const kept = new Set(after.map(subject));
  return before.filter((row) => !kept.has(subject(row)));
}
