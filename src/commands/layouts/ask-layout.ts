/** What `formctl layouts create` needs and was not typed: asked for where a person can be asked. */

import { FormctlError } from "../../error.ts";
import { isSurface, SURFACES, TARGET_MEMBERS } from "../../schemas/words.ts";
import type { Mode } from "../../schemas/form.ts";
import type { Target } from "../../schemas/layout.ts";
import type { CommandContext } from "../command.ts";
import { selectModes } from "../forms/mode-list.ts";

type Typed = {
  surface: string | undefined;
  supportedModes: Mode[] | undefined;
  name: string | undefined;
  target: Target;
};
type Complete = { surface: string; supportedModes: Mode[]; name: string; target: Target };

/** @throws USAGE that names every flag that is missing, where nobody can be asked */
export async function completed({ prompter }: CommandContext, typed: Typed): Promise<Complete> {
  const { surface, supportedModes, name, target } = typed;
  if (!prompter) {
    if (surface && supportedModes && name !== undefined) return { surface, supportedModes, name, target };
    const missing = [!surface && "--surface", !supportedModes && "--modes", name === undefined && "--name"];
    throw new FormctlError(
      "USAGE",
      `missing: ${missing.filter(Boolean).join(", ")}`,
      "See: formctl layouts create --help",
    );
  }
  const choices = SURFACES.map((value) => ({ name: value, value }));
  const page = surface ?? (await prompter.select("Page family:", choices));
  const members = { ...target };
  const needs = isSurface(page) ? TARGET_MEMBERS[page].needs : [];
  for (const member of needs) members[member] ??= await prompter.input(`${member} of the target:`);
  return {
    surface: page,
    supportedModes: supportedModes ?? (await selectModes(prompter)),
    name:
      name ?? (await prompter.input("Name:", { validate: (text) => (text.trim() ? undefined : "It needs a name.") })),
    target: members,
  };
}
