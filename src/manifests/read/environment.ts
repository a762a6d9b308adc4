/**
 * `${NAME}` and `${NAME:-default}` in the values of a document. What is put in is text; where a schema wants a number,
 * true, false or null, a value that is one placeholder alone is read as YAML reads it (read-shape.ts).
 */

import type { Document } from "../../documents/document.ts";
import { MAX_EXPANDED } from "../../documents/limits.ts";
import type { Diagnostic } from "../../schemas/diagnostic.ts";
import { type ManifestCode, manifestProblem } from "../problems.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { formatPath, type PathStep } from "../../schemas/path.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value that variables have gone into. */
export type FilledIn = {
  path: string;
  /** As the file has it: `${NAME}`. */
  source: string;
  text: string;
  /** It is one placeholder and nothing else. */
  isWhole: boolean;
};

export type Substituted = {
  /** New where something was put in, so that it may be changed there; the rest is shared. */
  value: unknown;
  filledIn: FilledIn[];
  /** What the environment says, by the placeholder that asked for it. */
  said: Map<string, string>;
  problems: Diagnostic[];
};

/** `$${`; or `${`, perhaps a name, perhaps a default, perhaps `}`. */
const placeholder = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}|\$\{/g;

/** Whether a text may hold a placeholder: most do not, and are left as they are. */
export function mayHavePlaceholders(text: string): boolean {
  return text.includes("${");
}

/** `text` so that reading gives it back: every `${` in it is itself. */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll("${", "$$${");
}

/** Variables of formctl itself, the token among them: what a manifest says is stored and shown. Windows knows no case. */
const OF_FORMCTL = /^FORMCTL_/i;

/**
 * The value of a document with its placeholders replaced; keys are left as they are.
 *
 * @param listed the only names that may be used, as the project says; absent: any but those of formctl itself
 */
export function substitute(
  { value, text }: Pick<Document, "value" | "text">,
  env: Environment,
  listed?: readonly string[],
): Substituted {
  if (!mayHavePlaceholders(text)) return { value, filledIn: [], said: new Map(), problems: [] };
  const result: Substituted = { value: undefined, filledIn: [], said: new Map(), problems: [] };
  /** Containers that have no placeholder anywhere: aliases show them again. */
  const plain = new Set<object>();
  let room = MAX_EXPANDED;
  let isTooLarge = false;

  function complain(code: ManifestCode, steps: readonly PathStep[], message: string): void {
    const path = formatPath(steps);
    result.problems.push(manifestProblem(code, `${path || "the value"} ${message}`, path));
  }

  function fill(source: string, steps: readonly PathStep[]): string {
    let isWhole = false;
    const filled = source.replace(placeholder, (match, name: string | undefined, otherwise: string | undefined) => {
      if (match === "$${") return "${";
      if (name === undefined) {
        complain("ENV_SYNTAX", steps, "has ${ without a name and } behind it. Write $${ for these two characters");
        return match;
      }
      const refused = refusalOf(name, listed);
      if (refused !== undefined) {
        complain("ENV_REFUSED", steps, `can't use the environment variable ${name}: ${refused}`);
        return match;
      }
      const found = Object.hasOwn(env, name) ? env[name] : undefined;
      // As in a shell: an empty variable takes the default too.
      const taken = otherwise === undefined ? found : found || otherwise;
      if (taken === undefined) {
        complain(
          "ENV_UNSET",
          steps,
          `needs the environment variable ${name}, which is not set. Set it, or write \${${name}:-default}`,
        );
        return match;
      }
      if (found) result.said.set(match, found);
      isWhole = match.length === source.length;
      return taken;
    });
    room -= filled.length;
    if (room < 0 && !isTooLarge) {
      isTooLarge = true;
      complain("ENV_TOO_LARGE", steps, "is too much text with its environment variables filled in");
    }
    if (isTooLarge) return source;
    result.filledIn.push({ path: formatPath(steps), source, text: filled, isWhole });
    return filled;
  }

  function visit(here: unknown, steps: readonly PathStep[]): unknown {
    if (typeof here === "string") return mayHavePlaceholders(here) ? fill(here, steps) : here;
    if (typeof here !== "object" || here === null || plain.has(here)) return here;
    let copy: unknown[] | JsonObject | undefined;
    for (const [key, child] of Object.entries(here)) {
      const step = Array.isArray(here) ? Number(key) : key;
      const now = visit(child, [...steps, step]);
      if (now === child) continue;
      copy ??= Array.isArray(here) ? [...(here as unknown[])] : { ...(here as JsonObject) };
      (copy as Record<PathStep, unknown>)[step] = now;
    }
    if (!copy) plain.add(here);
    return copy ?? here;
  }

  result.value = visit(value, []);
  return result;
}

/** Why a variable may not be used, and what to do; undefined: it may. */
function refusalOf(name: string, listed: readonly string[] | undefined): string | undefined {
  if (OF_FORMCTL.test(name)) return "names that begin with FORMCTL_ are reserved for formctl. Use another variable";
  if (!listed || listed.includes(name)) return undefined;
  return "the project does not list it. Add it to variables in formctl.yaml, or remove it here";
}

/** Puts `value` at a path at which something was filled in. */
export function replaceAt(root: unknown, steps: readonly PathStep[], value: unknown): void {
  let at = root;
  for (const step of steps.slice(0, -1)) at = (at as Record<PathStep, unknown>)[step];
  const last = steps.at(-1);
  if (last !== undefined && (isJsonObject(at) || Array.isArray(at))) (at as Record<PathStep, unknown>)[last] = value;
}
