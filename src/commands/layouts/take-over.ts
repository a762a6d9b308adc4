/** Replacing the assignments of a layout, and where a person says so taking the default from the layout that has it. */

import type { LayoutAnswer } from "../../schemas/answers.ts";
import { assignmentsOf } from "../../lists/assignments.ts";
import { notShown, readLayout, type Service, ServiceError } from "../../service.ts";
import { accepted } from "../after-write.ts";
import type { CommandContext } from "../command.ts";

export type WantedAssignments = { organizationDefault: boolean; roles: { roleId: string; priority: number }[] };
export type Holder = { layoutId: string; layoutName: string };

/**
 * Another layout's default is cleared only for a refusal that names that layout (docs/decisions.md, "Assignments"), and
 * its roles stay. One holder may have the default for VIEW and another one for EDIT, so it is tried again for each.
 */
export async function replaceAssignments(
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
    /** Of the request that sets the assignments; a new one by default. */
    clientMutationId?: string | undefined;
  },
): Promise<{ layout: LayoutAnswer; takenFrom: Holder[] }> {
  const takenFrom: Holder[] = [];
  for (;;) {
    try {
      const body = { clientMutationId: clientMutationId ?? context.newMutationId(), ...wanted };
      return { layout: await service.replaceAssignments({ layoutId, body }), takenFrom };
    } catch (error) {
      const holder = takeOver ? holderOf(error) : undefined;
      // A holder that still holds it after it was cleared would be asked forever.
      if (!holder || takenFrom.some((one) => one.layoutId === holder.layoutId)) throw error;
      await clearDefault(context, service, holder.layoutId);
      takenFrom.push(holder);
    }
  }
}

async function clearDefault(context: CommandContext, service: Service, layoutId: string): Promise<void> {
  const layout = await readLayout(service, layoutId);
  const assigned = layout && assignmentsOf(layout);
  // The set is replaced as a whole (R96): what is not known would be lost.
  if (!assigned) throw notShown(`the assignments of the layout ${layoutId}, which is the default now`);
  const body = { clientMutationId: context.newMutationId(), ...assigned, organizationDefault: false };
  await accepted(() => service.replaceAssignments({ layoutId, body }));
}

/** The layout that has the default, as the refusal names it. */
function holderOf(error: unknown): Holder | undefined {
  if (!(error instanceof ServiceError) || error.status !== 409) return undefined;
  const { layoutId: said, layoutName } = error.body.meta ?? {};
  // Ids may be numbers.
  const layoutId = typeof said === "number" ? String(said) : said;
  if (typeof layoutId !== "string") return undefined;
  return { layoutId, layoutName: typeof layoutName === "string" ? layoutName : layoutId };
}
