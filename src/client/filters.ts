/**
 * Filters of lists that the client applies after reading. The API document names no parameters for layouts and surface
 * definitions: a server may refuse one or ignore it, so none is sent. `type` of the available forms is documented and
 * sent, and filtered here as well.
 */

import type { Answer } from "../schemas/answers.ts";
import type { Input, OperationName } from "../schemas/operations.ts";
import { isSurface, TARGET_MEMBERS } from "../schemas/words.ts";
import type { AnyInput } from "./call.ts";

type LayoutQuery = NonNullable<Input<"listLayouts">["query"]>;
type SurfaceQuery = NonNullable<Input<"getSurfaceDefinitions">["query"]>;
type AvailableQuery = NonNullable<Input<"listAvailableForms">["query"]>;

/** The input without the parameters that the API document does not name. */
export function documentedInput(name: OperationName, input: AnyInput): AnyInput {
  if (name !== "listLayouts" && name !== "getSurfaceDefinitions") return input;
  const { query: _filteredHere, ...rest } = input;
  return rest;
}

/** What an answer holds of what the query asks for. An item that does not show a member is kept: it may have the value. */
export function filtered(name: OperationName, { query = {} }: AnyInput, answer: unknown): unknown {
  switch (name) {
    case "listLayouts":
      return layoutsOf(answer as Answer<"listLayouts">, query);
    case "listAvailableForms": {
      const { type } = query as AvailableQuery;
      return (answer as Answer<"listAvailableForms">).filter(({ types }) => type === undefined || types.includes(type));
    }
    case "getSurfaceDefinitions":
      return surfacesOf(answer as Answer<"getSurfaceDefinitions">, query);
    default:
      return answer;
  }
}

function layoutsOf(layouts: Answer<"listLayouts">, query: LayoutQuery): Answer<"listLayouts"> {
  const { surface, mode, ...target } = query;
  const members = Object.entries(target).filter(([, value]) => value !== undefined);
  return layouts.filter((layout) => {
    if (surface !== undefined && layout.surface !== undefined && layout.surface !== surface) return false;
    if (mode !== undefined && layout.supportedModes?.includes(mode) === false) return false;
    const shown: Readonly<Record<string, unknown>> | undefined = layout.target;
    return members.every(([member, value]) =>
      shown === undefined ? mayHave(layout.surface, member) : shown[member] === value,
    );
  });
}

/** Whether a target of the surface may have the member; a surface that formctl does not know may have each. */
function mayHave(surface: string | undefined, member: string): boolean {
  if (!isSurface(surface)) return true;
  const { required, optional } = TARGET_MEMBERS[surface];
  return [...required, ...optional].some((one) => one === member);
}

function surfacesOf(
  definitions: Answer<"getSurfaceDefinitions">,
  { surface }: SurfaceQuery,
): Answer<"getSurfaceDefinitions"> {
  if (surface === undefined) return definitions;
  return { ...definitions, surfaces: definitions.surfaces.filter((one) => one.surface === surface) };
}
