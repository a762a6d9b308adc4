/** `--target key=value`, typed once for each member. */

import { Target } from "../../schemas/layout.ts";
import { nearest } from "../../schemas/nearest.ts";
import { InvalidValue, list, type Option, UsageError } from "../command.ts";

type Member = keyof Target;
const MEMBERS = Object.keys(Target.shape) as Member[];

export function targetOption(): Option<[Member, string | null][]> {
  return list(
    "--target <key=value>",
    `Where it is shown, a member each: ${MEMBERS.join(", ")}; KEY= is null`,
    (text) => {
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (!name) throw new UsageError(`must be KEY=VALUE, such as moduleKey=staffing, not "${text}"`);
      const member = MEMBERS.find((one) => one === name);
      if (member) return [member, value === "" ? null : value];
      const near = nearest(name, MEMBERS);
      throw new UsageError(
        `has no member "${name}"`,
        near ? `Did you mean ${near}?` : `The members are ${MEMBERS.join(", ")}.`,
      );
    },
  );
}

/** @throws InvalidValue when a member is named twice */
export function targetOf(
  members: readonly (readonly [Member, string | null])[],
): Partial<Record<Member, string | null>> {
  const target: Partial<Record<Member, string | null>> = {};
  for (const [member, value] of members) {
    if (target[member] !== undefined)
      throw new InvalidValue(`--target names ${member} twice`, "Name each member once.");
    target[member] = value;
  }
  return target;
}
