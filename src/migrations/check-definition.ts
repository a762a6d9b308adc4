/** Checks the default export of a module. Needed because Node runs TypeScript without checking the types. */

import { nearest } from "../base/nearest.ts";
import { isJsonObject } from "../schemas/json.ts";
import { readShape } from "../schemas/shape.ts";
import { DRAFT_HANDLINGS } from "./definition.ts";
import { Match } from "./migration-schema.ts";

/** A problem of a definition. `member` is the affected member of the migration; absent for the migration itself. */
type Problem = { member?: string; message: string };

const TRANSFORM = ["match", "layout", "form", "confirmFieldChanges", "drafts"] as const;
const SCRIPT = ["run", "down"] as const;
const FUNCTIONS = ["layout", "form", "run", "down"] as const;

const EXAMPLE = "Write: export default defineMigration({ … })";

/** Returns the problems of a module's exports. Empty if the default export is a migration. */
export function definitionProblems(module: Record<string, unknown>): Problem[] {
  if (!Object.hasOwn(module, "default")) return [{ message: `the migration has no default export. ${EXAMPLE}` }];
  const { default: migration } = module;
  if (migration instanceof Promise)
    return [{ message: "the default export is a promise. Await it: export default await …" }];
  if (!isJsonObject(migration))
    return [{ message: `the default export must be a migration, not ${kindOf(migration)}. ${EXAMPLE}` }];
  const problems: Problem[] = [];
  const members = Object.keys(migration).filter((member) => migration[member] !== undefined);
  const known = [...TRANSFORM, ...SCRIPT];
  for (const member of members) {
    if (known.some((name) => name === member)) continue;
    const near = nearest(member, known);
    const next = near === undefined ? `Valid members: ${known.join(", ")}` : `Did you mean "${near}"?`;
    problems.push({ member, message: `unknown member "${member}". ${next}` });
  }
  const transform = TRANSFORM.find((member) => members.includes(member));
  const script = SCRIPT.find((member) => members.includes(member));
  if (transform !== undefined && script !== undefined) {
    const message = `a migration is a transform or a script, and this one has ${transform} and ${script}. Write two migrations`;
    problems.push({ member: script, message });
  } else if (script !== undefined) {
    if (!members.includes("run")) problems.push({ member: script, message: "a script requires the function run" });
  } else if (!members.includes("layout") && !members.includes("form") && problems.length === 0) {
    problems.push({ message: "the migration does nothing. Add layout or form (a transform), or run (a script)" });
  }
  for (const member of FUNCTIONS) {
    const value = migration[member];
    if (value === undefined) continue;
    if (typeof value !== "function")
      problems.push({ member, message: `${member} must be a function, not ${kindOf(value)}` });
    else if (TRANSFORM.some((name) => name === member) && value.constructor.name !== "Function")
      problems.push({ member, message: `${member} must return its result directly. Remove async or *` });
  }
  return [
    ...problems,
    ...matchProblems(migration["match"]),
    ...confirmedProblems(migration["confirmFieldChanges"]),
    ...draftsProblems(migration["drafts"]),
  ];
}

function draftsProblems(drafts: unknown): Problem[] {
  if (drafts === undefined || DRAFT_HANDLINGS.some((each) => each === drafts)) return [];
  return [{ member: "drafts", message: `drafts must be one of ${DRAFT_HANDLINGS.join(", ")}` }];
}

function matchProblems(match: unknown): Problem[] {
  if (match === undefined) return [];
  const shape = readShape(Match, match);
  if (shape.ok) return [];
  return shape.problems.map(({ path, message }) => ({
    member: /^\w+/.exec(path)?.[0] ?? "match",
    message: `match${path === "" ? "" : `.${path}`} ${message}`,
  }));
}

function confirmedProblems(confirmed: unknown): Problem[] {
  const isValid =
    confirmed === undefined || (Array.isArray(confirmed) && confirmed.every((id) => typeof id === "string"));
  return isValid ? [] : [{ member: "confirmFieldChanges", message: "confirmFieldChanges must be a list of draft ids" }];
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
