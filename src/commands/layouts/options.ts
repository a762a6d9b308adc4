/** Options and arguments that several layout commands share. */

import { FormctlError, hasCode } from "../../base/error.ts";
import type { Target as LayoutTarget } from "../../schemas/layout.ts";
import { Surface, Target } from "../../schemas/layout-schema.ts";
import { isIdentifier, isSurface, SURFACES, TARGET_MEMBERS } from "../../schemas/words.ts";
import { nearest } from "../../base/nearest.ts";
import { ClientMutationId, Identifier } from "../../schemas/text.ts";
import type { CallOptions } from "../../service.ts";
import { visible } from "../../terminal/escape.ts";
import {
  type Argument,
  argument,
  type CommandContext,
  flag,
  list,
  type Option,
  option,
  type Parse,
} from "../command.ts";
import { by, valueBy } from "../read-input.ts";

const VERSION_VALUES = "Version id or number, latest (the newest published) or draft";

/** The argument for a version of the layout. `findVersion` (lookups.ts) documents its values. */
export const versionArgument: Argument<string> = argument("VERSION", VERSION_VALUES, parseVersion, "version");

/** Defines an optional argument for a version of the layout. */
export function optionalVersion(name: string, byDefault: "latest" | "draft"): Argument<string> {
  return {
    ...argument(name, `${VERSION_VALUES}; ${byDefault} by default`, parseVersion, "version"),
    fallback: () => byDefault,
  };
}

/** Parses a version id, a number, `latest` or `draft`. */
export function parseVersion(text: string): string {
  if (isIdentifier(text)) return text;
  throw new FormctlError("USAGE", `must be a version id, a number, latest or draft, not "${text}"`);
}

/** The confirmation of commands that replace a draft. */
export const allowReplace = flag("--allow-replace", "Confirm that a draft of another user is overwritten");

const parseId = by(Identifier);

/** Parses the version that a write expects: an id, or null for `none` and `-`. */
export const parseExpected: Parse<string | null> = (text) => (text === "none" || text === "-" ? null : parseId(text));

/**
 * Defines `--client-mutation-id`.
 *
 * @param request the name of the request with the id, for a command with several requests
 */
export function mutationIdOption(request = "the request"): Option<string | undefined> {
  return option(
    "--client-mutation-id <id>",
    `The clientMutationId of ${request}, 1 to 128 characters; a new one by default`,
    valueBy(ClientMutationId),
  );
}

/**
 * Returns the clientMutationId of the command line or the file, or a new one.
 *
 * @throws USAGE if both specify different ids
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
 * Returns the options of a write with a clientMutationId. If the server refuses an id that formctl created, the write is
 * sent without an id. An id from the user is never omitted.
 */
export function mayOmitId(isTyped: boolean): Pick<CallOptions, "mayOmit"> {
  return isTyped ? {} : { mayOmit: ["clientMutationId"] };
}

/**
 * Checks a surface. For a server, an unknown surface causes only a warning, because a server may have other surfaces.
 *
 * @param name the name of the option or argument
 * @throws USAGE if the surface is empty. For a local store, also if the surface is unknown
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
    throw hasCode(error, "USAGE") ? new FormctlError("USAGE", `${name} ${error.message}`, suggestionFor(typed)) : error;
  }
}

function suggestionFor(typed: string): string | undefined {
  if (typed === "INVOICE") return "Did you mean SALES_INVOICE or COST_INVOICE?";
  const near = nearest(typed, SURFACES);
  return near && `Did you mean ${near}?`;
}

const MEMBERS = Object.keys(Target.shape);

/** Defines `--target key=value`, which the user repeats for each member. */
export function targetOption(): Option<[member: string, value: string | null][]> {
  const definition = list<[member: string, value: string | null]>(
    "--target <key=value>",
    `One member of the target: ${MEMBERS.join(", ")}; KEY= is null; may be repeated`,
    (text) => {
      const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (name) return [name, value === "" ? null : value];
      throw new FormctlError("USAGE", `must be KEY=VALUE, such as moduleKey=staffing, not "${text}"`);
    },
  );
  return { ...definition, requiredKeys };
}

/**
 * Returns the members of the target that the surface requires. None with `--file`, because the file contains the
 * target.
 */
function requiredKeys({ surface, file }: Readonly<Record<string, unknown>>): readonly string[] {
  return file === undefined && typeof surface === "string" && isSurface(surface)
    ? TARGET_MEMBERS[surface].required
    : [];
}

/**
 * Returns the layout's target. For a server, an unknown member causes only a warning, because a server may have other
 * members.
 *
 * @throws USAGE if a member is repeated, and for a local store if a member is unknown
 */
export function targetOf(
  members: readonly (readonly [member: string, value: string | null])[],
  { target: commandTarget, terminal }: Pick<CommandContext, "target" | "terminal">,
): LayoutTarget {
  const target: Record<string, string | null> = {};
  for (const [member, value] of members) {
    if (Object.hasOwn(target, member))
      throw new FormctlError("USAGE", `--target specifies ${member} twice`, "Specify each member once.");
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
