/** `--target key=value`, typed once for each member. */

import { FormctlError } from "../../error.ts";
import { Target } from "../../schemas/layout.ts";
import { nearest } from "../../schemas/nearest.ts";
import { visible } from "../../terminal/escape.ts";
import { type CommandContext, list, type Option } from "../command.ts";

const MEMBERS = Object.keys(Target.shape);

export function targetOption(): Option<[member: string, value: string | null][]> {
  return list(
    "--target <key=value>",
    `Where it is shown, a member each: ${MEMBERS.join(", ")}; KEY= is null`,
    (text) => {
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (name) return [name, value === "" ? null : value];
      throw new FormctlError("USAGE", `must be KEY=VALUE, such as moduleKey=staffing, not "${text}"`);
    },
  );
}

/**
 * The target that was typed. A member that formctl does not know gets a warning where a server is the target of the command.
 *
 * @throws USAGE for such a member where a local store is the target, INVALID_VALUE when a member is named twice
 */
export function targetOf(
  members: readonly (readonly [member: string, value: string | null])[],
  { target: place, terminal }: Pick<CommandContext, "target" | "terminal">,
): Target {
  const target: Record<string, string | null> = {};
  for (const [member, value] of members) {
    if (Object.hasOwn(target, member))
      throw new FormctlError("INVALID_VALUE", `--target names ${member} twice`, "Name each member once.");
    target[member] = value;
    if (MEMBERS.includes(member)) continue;
    const near = nearest(member, MEMBERS);
    const hint = near ? `Did you mean ${near}?` : `The members are ${MEMBERS.join(", ")}.`;
    if (place.kind === "local") throw new FormctlError("USAGE", `--target has no member "${member}"`, hint);
    terminal.warn(visible(`formctl does not know the target member ${member}; the server decides. ${hint}`));
  }
  return target;
}
