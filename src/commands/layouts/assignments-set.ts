/** `formctl layouts assignments set`: replaces the assignments of a layout (R96). */

import { FormctlError } from "../../base/error.ts";
import type { AssignmentAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import { readLayout, unlessForbidden, notShown, type Service, ServiceError } from "../../service.ts";
import { AssignmentFile } from "../../schemas/layout-schema.ts";
import { isDefault, assignmentsOf } from "../../lists/layouts.ts";
import { visible } from "../../terminal/escape.ts";
import { layoutArgument } from "../address-arguments.ts";
import { findLayoutId } from "../lookups.ts";
import { asText, defineCommand, flag, list, option, type CommandContext } from "../command.ts";
import { locatedRefusal, readBody } from "../read-input.ts";
import { printAssignments, subjectText } from "./assignment-view.ts";
import { mayOmitId, mutationIdOption } from "./options.ts";
import { readRoles, roleIdOf } from "../local-names.ts";
import { accepted } from "../failed-command.ts";

export default defineCommand({
  details: `The options specify the whole set: other roles lose their assignment, and without --default the layout is no longer the
organization default. --no-default alone removes all assignments. If several layouts apply to a member of a local store, the role
with the lowest priority decides; the API does not document the order of other servers.

FILE contains {organizationDefault, roles: [{roleId, priority}]}.`,
  examples: [
    "formctl layouts assignments set $(formctl layouts list --surface ORGANIZATION -o name) --default --role Recruiter=5",
    "formctl layouts assignments set $(formctl layouts list --surface ORGANIZATION -o name) --no-default",
  ],
  args: { layout: layoutArgument },
  options: {
    default: flag("--default", "Make the layout the organization default of its surface and target"),
    noDefault: flag("--no-default", "Don't make it the organization default"),
    role: list(
      "--role <role=priority>",
      "Role by id, key or name, and its priority (default 0); may be repeated",
      parseRole,
      "role",
    ),
    file: option("-f, --file <file>", "Read the set from a YAML or JSON file; - is standard input", asText, "file"),
    takeOver: flag("--take-over", "Clear the default of the layout that has it now"),
    clientMutationId: mutationIdOption("the request that sets the assignments"),
  },
  atLeastOneOf: [["default", "noDefault", "role", "file"]],
  writes: true,
  async run(context, { layout: address, file, takeOver, clientMutationId, ...typed }) {
    const isTyped = typed.default || typed.noDefault || typed.role.length > 0;
    if (isTyped && file !== undefined) {
      throw new FormctlError(
        "USAGE",
        "--file and the options that specify assignments can't be combined",
        "Specify them either with --default, --no-default and --role, or with --file FILE.",
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
    return { layout, takenFrom, roles, removed: removedAssignments(before, layout.assignments ?? before) };
  },
  view({ layout, takenFrom, roles, removed }, terminal) {
    for (const { layoutId, layoutName } of takenFrom)
      terminal.warn(`${visible(layoutName)} (${visible(layoutId)}) is no longer the organization default.`);
    for (const row of removed) terminal.warn(`No longer assigned: ${visible(subjectText(row, roles))}`);
    if (layout.assignments) printAssignments(layout.assignments, roles, terminal);
    else terminal.line("Replaced the assignments. The server does not return them.");
  },
  document: ({ layout }) => layout,
  names: ({ layout }) => [layout.id],
});

/** Parses `Recruiter=5`. A role name may contain `=`, so only the last `=` is a separator. */
function parseRole(text: string): { role: string; priority: number } {
  const [, role = text, digits = "0"] = /^(.*)=(-?\d{1,10})$/s.exec(text) ?? [];
  if (!role.trim() || /=\s*$/.test(role))
    throw new FormctlError("USAGE", `must be ROLE=PRIORITY, such as Recruiter=5, not "${text}"`);
  return { role, priority: Number(digits) };
}

/**
 * Returns the id of a role.
 *
 * @throws USAGE if {@link roleIdOf} fails, and the text contains `=`. For `Recruiter=high`, the error states that the
 *   priority must be a number
 * @throws the errors of {@link roleIdOf} for other texts
 */
function namedRoleId(roles: Parameters<typeof roleIdOf>[0], named: string): string {
  try {
    return roleIdOf(roles, named);
  } catch (error) {
    const [, role, digits] = /^(.*)=(.*)$/s.exec(named) ?? [];
    if (role === undefined) throw error;
    throw new FormctlError(
      "USAGE",
      `the priority must be a whole number of at most ten digits, not "${digits}"`,
      `Example: --role ${role}=5`,
    );
  }
}

/** Returns the rows unchanged. @throws USAGE if a role is repeated, even under different names */
function onceEach<Row extends { roleId: string }>(rows: Row[]): Row[] {
  const ids = rows.map(({ roleId }) => roleId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new FormctlError("USAGE", `--role specifies ${twice} twice`, "Specify each role once.");
  return rows;
}

/**
 * Returns the assignments in `before` whose subject has no assignment in `after`. The subject is a role or the
 * organization default.
 */
function removedAssignments(
  before: readonly AssignmentAnswer[],
  after: readonly AssignmentAnswer[],
): AssignmentAnswer[] {
  const subject = (row: AssignmentAnswer) => (isDefault(row) ? "" : row.roleId);
  const kept = new Set(after.map(subject));
  return before.filter((row) => !kept.has(subject(row)));
}

type WantedAssignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };
type Holder = { layoutId: string; layoutName: string };

/**
 * Sends the assignments. The service may refuse them because another layout is the default. With `takeOver`, the other
 * layout then stops being the default, but keeps its roles. The assignments are sent again (docs/decisions.md,
 * "Assignments"). The service may refuse them once more, because VIEW and EDIT may have different default layouts.
 */
async function replaceAssignments(
  context: CommandContext,
  service: Service,
  {
    layoutId,
    wanted,
    takeOver,
    clientMutationId,
  }: {
    layoutId: string;
    wanted: WantedAssignments;
    takeOver: boolean;
    /** The id of the request that sets the assignments. By default, a new id. */
    clientMutationId?: string | undefined;
  },
): Promise<{ layout: LayoutAnswer; takenFrom: Holder[] }> {
  const takenFrom: Holder[] = [];
  for (;;) {
    try {
      const body = { clientMutationId: clientMutationId ?? context.newMutationId(), ...wanted };
      const options = mayOmitId(clientMutationId !== undefined);
      return { layout: await service.replaceAssignments({ layoutId, body }, options), takenFrom };
    } catch (error) {
      const holder = takeOver ? holderOf(error) : undefined;
      // Ends the loop if a server names the same layout again.
      if (!holder || takenFrom.some((one) => one.layoutId === holder.layoutId)) throw error;
      await clearDefault(context, service, holder.layoutId);
      takenFrom.push(holder);
    }
  }
}

async function clearDefault(context: CommandContext, service: Service, layoutId: string): Promise<void> {
  const layout = await readLayout(service, layoutId);
  const assigned = layout && assignmentsOf(layout);
  // Assignments are replaced as a whole (R96), so unknown assignments would be deleted.
  if (!assigned) throw notShown(`the assignments of the layout ${layoutId}, which is the default now`);
  const body = { clientMutationId: context.newMutationId(), ...assigned, organizationDefault: false };
  await accepted(() => service.replaceAssignments({ layoutId, body }, mayOmitId(false)));
}

/** Returns the layout that is the default, according to the refusal. */
function holderOf(error: unknown): Holder | undefined {
  if (!(error instanceof ServiceError) || error.status !== 409) return undefined;
  const { layoutId: said, layoutName } = error.body.meta ?? {};
  // Some servers have numbers as ids.
  const layoutId = typeof said === "number" ? String(said) : said;
  if (typeof layoutId !== "string") return undefined;
  return { layoutId, layoutName: typeof layoutName === "string" ? layoutName : layoutId };
}
