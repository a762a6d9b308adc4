/** Options and arguments that several layout commands share. */

import { FormctlError, hasCode } from "../../error.ts";
import { Surface, Target } from "../../schemas/layout.ts";
import { isIdentifier } from "../../schemas/words.ts";
import { nearest } from "../../nearest.ts";
import { ClientMutationId, Identifier } from "../../schemas/text.ts";
import { isSurface, SURFACES } from "../../schemas/words.ts";
import { visible } from "../../terminal/escape.ts";
import { type Argument, argument, type CommandContext, list, type Option, option, type Parse } from "../command.ts";
import { by, valueBy } from "../read-input.ts";

/** A version of the layout: see `findVersion`. */
export function versionArgument(name: string): Argument<string> {
  return argument(name, "Version id or number, latest (the newest published) or draft", (text) => {
    if (!isIdentifier(text))
      throw new FormctlError("USAGE", `must be a version id, a number, latest or draft, not "${text}"`);
    return text;
  });
}

const parseId = by(Identifier);

/** The version that a write expects: an id, or null for `none` and `-`. */
export const parseExpected: Parse<string | null> = (text) => (text === "none" || text === "-" ? null : parseId(text));

/** `--client-mutation-id`. @param request the request that gets the id, for a command that may send several */
export function mutationIdOption(request = "the request"): Option<string | undefined> {
  return option(
    "--client-mutation-id <id>",
    `The clientMutationId of ${request}, 1 to 128 characters; a new one by default`,
    valueBy(ClientMutationId),
  );
}

/**
 * The clientMutationId of the command line or the file, or a new one.
 *
 * @throws USAGE when both specify different ids
 */
export function mutationIdOf(
  context: Pick<CommandContext, "newMutationId">,
  typed: string | undefined,
  inFile?: string,
): string {
  if (typed !== undefined && inFile !== undefined && typed !== inFile) {
    throw new FormctlError(
      "USAGE",
      `--client-mutation-id ${typed} and the clientMutationId "${inFile}" of the file can't be combined`,
      "Remove one of them.",
    );
  }
  return typed ?? inFile ?? context.newMutationId();
}

/**
 * Checks a surface. A server may know surfaces that formctl does not: they cause a warning.
 *
 * @param name of the option or argument
 * @throws USAGE for an unknown surface when the target is a local store
 */
export function typedSurface<T extends string | undefined>(
  { target, terminal }: Pick<CommandContext, "target" | "terminal">,
  typed: T,
  name: string,
): T {
  if (typed === undefined || isSurface(typed)) return typed;
  if (target.kind === "local" || typed.trim() === "") requireKnown(typed, name);
  const fact = `The surface ${typed} is unknown to formctl and is sent to the server unchanged.`;
  terminal.warn(visible([fact, suggestionFor(typed)].filter(Boolean).join(" ")));
  return typed;
}

function requireKnown(typed: string, name: string): void {
  try {
    by(Surface)(typed);
  } catch (error) {
    throw hasCode(error, "USAGE") ? new FormctlError("USAGE", `${name} ${error.message}`, error.hint) : error;
  }
}

function suggestionFor(typed: string): string | undefined {
  if (typed === "INVOICE") return "Did you mean SALES_INVOICE or COST_INVOICE?";
  const near = nearest(typed, SURFACES);
  return near && `Did you mean ${near}?`;
}

const MEMBERS = Object.keys(Target.shape);

/** `--target key=value`, once for each member. */
export function targetOption(): Option<[member: string, value: string | null][]> {
  return list(
    "--target <key=value>",
    `One member of the target: ${MEMBERS.join(", ")}; KEY= is null; may be repeated`,
    (text) => {
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (name) return [name, value === "" ? null : value];
      throw new FormctlError("USAGE", `must be KEY=VALUE, such as moduleKey=staffing, not "${text}"`);
    },
  );
}

/**
 * The layout's target. A server may know members that formctl does not: they cause a warning.
 *
 * @throws USAGE for an unknown member when the command works on a local store, INVALID_VALUE for a repeated member
 */
export function targetOf(
  members: readonly (readonly [member: string, value: string | null])[],
  { target: commandTarget, terminal }: Pick<CommandContext, "target" | "terminal">,
): Target {
  const target: Record<string, string | null> = {};
  for (const [member, value] of members) {
    if (Object.hasOwn(target, member))
      throw new FormctlError("INVALID_VALUE", `--target specifies ${member} twice`, "Specify each member once.");
    target[member] = value;
    if (MEMBERS.includes(member)) continue;
    const near = nearest(member, MEMBERS);
    const hint = near ? `Did you mean ${near}?` : `Valid members: ${MEMBERS.join(", ")}`;
    if (commandTarget.kind === "local")
      throw new FormctlError("USAGE", `--target has an unknown member "${member}"`, hint);
    terminal.warn(
      visible(`The target member ${member} is unknown to formctl and is sent to the server unchanged. ${hint}`),
    );
  }
  return target;
}
