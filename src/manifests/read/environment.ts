/**
 * Substitutes `${NAME}` and `${NAME:-default}` in the values of a document. A substituted value is text. If a schema
 * refuses this text and the value is exactly one placeholder, the text is resolved as YAML. Values of the environment
 * may be secret. Messages therefore show the placeholder from the file.
 */

import { MAX_EXPANDED } from "../../documents/decode.ts";
import type { Document } from "../../documents/document.ts";
import { BadNumber, resolvePlain } from "../../documents/scalars.ts";
import type { Diagnostic } from "../../schemas/diagnostic.ts";
import { detached, isJsonObject, type JsonObject } from "../../schemas/json.ts";
import { formatPath, parsePath, type PathStep } from "../../schemas/path.ts";
import type { ReadBy, Schema } from "../../schemas/schema.ts";
import { readParsed, readShape, type Shape } from "../../schemas/shape.ts";
import { BLOCK_SOURCES, BLOCK_TYPES, FIELD_TYPES, MODES, REGION_LAYOUTS, SURFACES } from "../../schemas/words.ts";
import { type Locate, type ManifestCode, manifestProblem, MAX_PROBLEMS } from "../problems.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A text with placeholders, before (`source`) and after (`text`) the substitution. */
export type Substitution = {
  path: string;
  /** The text in the file: `${NAME}`. */
  source: string;
  text: string;
  /** Whether the source is exactly one placeholder. */
  isWhole: boolean;
};

export type Substituted = {
  /**
   * The value with substituted texts. Containers on the path to a substituted text are copies, so they can be changed.
   * All other parts are shared with the document.
   */
  value: unknown;
  substitutions: Substitution[];
  /** The values of the environment variables that were used, by placeholder. */
  variables: Map<string, string>;
  problems: Diagnostic[];
};

/** Matches the escape `$${`, a placeholder, or a `${` that is not a valid placeholder. */
const PLACEHOLDER = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}|\$\{/g;

export function mayHavePlaceholders(text: string): boolean {
  return text.includes("${");
}

/** Escapes each `${`, so that substitution returns `text` again. */
export function escapePlaceholders(text: string): string {
  return text.replaceAll("${", "$$${");
}

/** Escapes each `${` in the texts of a value. */
export function escapeTexts(value: unknown): unknown {
  return hasPlaceholders(value) ? escaped(value) : value;
}

function hasPlaceholders(value: unknown): boolean {
  if (typeof value === "string") return mayHavePlaceholders(value);
  if (Array.isArray(value)) return value.some(hasPlaceholders);
  return isJsonObject(value) && Object.values(value).some(hasPlaceholders);
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapePlaceholders(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, escaped(member)]));
}

/**
 * Matches the variables of formctl, which manifests must not use. One of these variables contains the token, and values
 * in manifests are stored and shown. Ignores case, because names of variables are case-insensitive on Windows.
 */
const RESERVED = /^FORMCTL_/i;

export function unsubstituted({ value }: Pick<Document, "value">): Substituted {
  return { value, substitutions: [], variables: new Map(), problems: [] };
}

/**
 * Substitutes placeholders in the values of a document, not in its keys.
 *
 * @param listed the variables that the project allows; if absent, all variables except those of formctl
 */
export function substitute(
  { value, text }: Pick<Document, "value" | "text">,
  env: Environment,
  listed?: readonly string[],
): Substituted {
  const result = unsubstituted({ value });
  if (!mayHavePlaceholders(text)) return result;
  /** Containers without placeholders. An alias may repeat such a container, which is then not searched again. */
  const plain = new Set<object>();
  let room = MAX_EXPANDED;
  let isTooLarge = false;

  function report(code: ManifestCode, steps: readonly PathStep[], message: string): void {
    const path = formatPath(steps);
    result.problems.push(manifestProblem(code, `${path || "the value"} ${message}`, path));
  }

  function fill(source: string, steps: readonly PathStep[]): string {
    let isWhole = false;
    const filled = source.replace(PLACEHOLDER, (match, name: string | undefined, otherwise: string | undefined) => {
      if (match === "$${") return "${";
      if (name === undefined) {
        report("ENV_SYNTAX", steps, "contains ${ without a name and }. Write $${ for a literal ${");
        return match;
      }
      const refused = refusalOf(name, listed);
      if (refused !== undefined) {
        report("ENV_REFUSED", steps, `can't use the environment variable ${name}: ${refused}`);
        return match;
      }
      const found = Object.hasOwn(env, name) ? env[name] : undefined;
      // As in a shell, the default also replaces an empty value.
      const taken = otherwise === undefined ? found : found || otherwise;
      if (taken === undefined) {
        report(
          "ENV_UNSET",
          steps,
          `requires the environment variable ${name}, which is not set. Set it, or write \${${name}:-default}`,
        );
        return match;
      }
      if (found) result.variables.set(match, found);
      isWhole = match.length === source.length;
      return taken;
    });
    room -= filled.length;
    if (room < 0 && !isTooLarge) {
      isTooLarge = true;
      report("ENV_TOO_LARGE", steps, "is too large after its environment variables are substituted");
    }
    if (isTooLarge) return source;
    result.substitutions.push({ path: formatPath(steps), source, text: filled, isWhole });
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

/** Returns why a manifest must not use a variable. Undefined if the use is allowed. */
function refusalOf(name: string, listed: readonly string[] | undefined): string | undefined {
  if (RESERVED.test(name)) return "names that begin with FORMCTL_ are reserved for formctl. Use another variable";
  if (!listed || listed.includes(name)) return undefined;
  return "the project does not list it. Add it to variables in formctl.yaml, or remove it from the manifest";
}

/** Replaces the value at the path of a substitution, in the copied part of `root`. */
function replaceAt(root: unknown, steps: readonly PathStep[], value: unknown): void {
  let at = root;
  for (const step of steps.slice(0, -1)) at = (at as Record<PathStep, unknown>)[step];
  const last = steps.at(-1);
  if (last !== undefined && (isJsonObject(at) || Array.isArray(at))) (at as Record<PathStep, unknown>)[last] = value;
}

/**
 * Reads a substituted value by a schema. If the schema refuses the text and the value is exactly one placeholder, the
 * text is resolved as YAML. `isActive: ${ACTIVE}` is then true or false, while `name: ${YEAR}` remains text.
 *
 * @param within the path of `value` in the substituted document
 */
export function readSubstituted<S extends Schema>(
  schema: S,
  value: unknown,
  { substitutions }: Pick<Substituted, "substitutions">,
  within = "",
): Shape<ReadBy<S>> {
  if (substitutions.length === 0) return readParsed(schema, value, MAX_PROBLEMS + 1);
  const asText = readShape(schema, value);
  if (asText.ok) return asText;
  const texts = new Map<string, string>();
  for (const { path, text, isWhole } of substitutions) {
    if (isWhole && path.startsWith(within)) texts.set(path.slice(within.length).replace(/^\./, ""), text);
  }
  const resolved = new Set<string>();
  for (const { path } of asText.problems) {
    const plain = texts.has(path) ? resolvePlain(texts.get(path)!) : "";
    if (typeof plain === "string" || plain instanceof BadNumber) continue;
    replaceAt(value, parsePath(path), plain);
    resolved.add(path);
  }
  if (resolved.size === 0) return asText;
  const asYaml = readShape(schema, value);
  if (asYaml.ok) return asYaml;
  // If a value is invalid both as text and as YAML, the problem of the text is reported.
  const first = new Map(asText.problems.map((problem) => [problem.path, problem]));
  return {
    ok: false,
    problems: asYaml.problems.map((problem) => (resolved.has(problem.path) ? first.get(problem.path)! : problem)),
  };
}

/**
 * Returns a function that locates diagnostics in a document. The function also conceals the values of the environment
 * in the messages.
 */
export function locateIn({ file, locate }: Document, substituted: Substituted): Locate {
  const conceal = concealer(substituted);
  return (diagnostic) =>
    detached({ ...diagnostic, message: conceal(diagnostic.message), file, ...locate(diagnostic.path ?? "") });
}

/** Words of the API and of YAML, which are not secret. */
const KNOWN_WORDS = new Set<string>([
  ...MODES,
  ...SURFACES,
  ...FIELD_TYPES,
  ...BLOCK_TYPES,
  ...BLOCK_SOURCES,
  ...REGION_LAYOUTS,
  "true",
  "false",
  "null",
]);
/** Minimum length of a value to conceal. Shorter values also occur in ordinary words. */
const SHORTEST_SECRET = 4;

const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns a function that conceals values of the environment in a message. A quoted value, even if truncated with `…`,
 * is replaced by its text in the file. Any other occurrence of a variable's value is replaced by its placeholder.
 */
function concealer({ substitutions, variables }: Substituted): (message: string) => string {
  if (variables.size === 0) return (message) => message;
  const sources = new Map<string, string>();
  for (const { text, source } of substitutions) sources.set(text, source).set(text.trim(), source);
  const secrets = new Map<string, string>();
  for (const [placeholder, value] of variables) {
    if (value.trim().length >= SHORTEST_SECRET && !KNOWN_WORDS.has(value)) secrets.set(value.trim(), placeholder);
  }
  // The longest value is replaced first, because it may contain a shorter one.
  const texts = [...sources].sort(byLength);
  const values = [...secrets].sort(byLength);

  const sourceOf = (shown: string): string | undefined => {
    const found = sources.get(shown);
    if (found !== undefined || !shown.endsWith("…")) return found;
    return texts.find(([text]) => text.startsWith(shown.slice(0, -1)))?.[1];
  };
  return (message) => {
    let text = message.replace(QUOTED, (match, inner: string) => {
      const source = sourceOf(unquoted(match, inner));
      return source === undefined ? match : JSON.stringify(source);
    });
    for (const [value, placeholder] of values) {
      for (const shown of [value, JSON.stringify(value).slice(1, -1)]) text = text.replaceAll(shown, () => placeholder);
    }
    return text;
  };
}

function byLength([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return b.length - a.length;
}

/** Returns the text between quotes, with JSON escapes decoded if they are valid. */
function unquoted(match: string, inner: string): string {
  try {
    return JSON.parse(match) as string;
  } catch {
    return inner;
  }
}
