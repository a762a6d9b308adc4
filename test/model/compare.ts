/**
 * Compares the answers of a service with the answers of the model. The service has other ids than the model. Where an
 * id of the model first appears, it is bound to the service's id in the same position.
 */

import { ANY_TEXT, type Json } from "./records.ts";

/** The ids of the model, such as `form-12`. */
const MODEL_ID = /^[A-Za-z_]+-\d+$/;
/** An id of a service, also within a message. */
const SERVICE_ID = /\b[a-z]{3}_[A-Za-z0-9]+(?:\.default)?\b/g;

/** The ids of a service that are bound to ids of the model. */
export class Ids {
  readonly #ofService: Map<string, string>;
  readonly #ofModel: Map<string, string>;

  constructor(from?: Ids) {
    this.#ofService = new Map(from && from.#ofService);
    this.#ofModel = new Map(from && from.#ofModel);
  }

  /** @returns whether the two ids are bound to each other after the call */
  bind(model: string, service: string): boolean {
    const [known, other] = [this.#ofModel.get(model), this.#ofService.get(service)];
    if (known === undefined && other === undefined) {
      this.#ofModel.set(model, service);
      this.#ofService.set(service, model);
      return true;
    }
    return known === service && other === model;
  }

  /** Returns a request with the ids of the service instead of those of the model. */
  toService<T>(request: T): T {
    return replaced(request, this.#ofModel);
  }

  /** Returns a request with the ids of the model instead of those of the service. */
  toModel<T>(request: T): T {
    return replaced(request, this.#ofService);
  }

  /** Returns the JSON text of an answer with the ids of the model, also in messages. */
  toModelText(answer: unknown): string {
    return JSON.stringify(answer ?? null).replace(SERVICE_ID, (id) => this.#ofService.get(id) ?? "an unknown id");
  }
}

function replaced<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (typeof value === "string") return (ids.get(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, ids)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item as unknown, ids)])) as T;
}

/**
 * @returns where and how the answer of a service differs from the answer of the model; undefined if the answers are
 *   equal
 */
export function difference(expected: unknown, actual: unknown, ids: Ids, path = "answer"): string | undefined {
  const differs = () => `${path} is ${shortened(actual)} instead of ${shortened(expected)}`;
  if (expected === ANY_TEXT) return typeof actual === "string" && actual !== "" ? undefined : differs();
  if (typeof expected === "string" && MODEL_ID.test(expected))
    return typeof actual === "string" && ids.bind(expected, actual) ? undefined : differs();
  if (typeof expected !== "object" || expected === null || typeof actual !== "object" || actual === null)
    return (expected ?? null) === (actual ?? null) ? undefined : differs();
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return differs();
    return firstOf(expected.keys(), (index) => difference(expected[index], actual[index], ids, `${path}[${index}]`));
  }
  const members = membersOf(expected);
  const extra = membersOf(actual).find((key) => !members.includes(key));
  if (extra !== undefined) return `${path} has the member ${extra}: ${differs()}`;
  return firstOf(members, (key) => {
    const [wanted, found] = [(expected as Json)[key], (actual as Json)[key]];
    const at = `${path}.${key}`;
    if (key === "fieldErrors") return differenceOfPaths(Object.keys(wanted as Json), Object.keys(found ?? {}), at);
    if (key === "validation") return difference(wanted, codesOf(found as Diagnostics), ids, at);
    return difference(wanted, found, ids, at);
  });
}

const shortened = (value: unknown) => JSON.stringify(value)?.slice(0, 600);
const membersOf = (object: object) => Object.keys(object).filter((key) => (object as Json)[key] !== undefined);

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Compares the paths of an answer with the status 400. A service may name an item of a list where the model names the
 * list.
 */
function differenceOfPaths(expected: readonly string[], actual: readonly string[], at: string): string | undefined {
  const isIn = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}[`) || inner.startsWith(`${outer}.`);
  const missing = expected.find((path) => !actual.some((found) => isIn(found, path)));
  const extra = actual.find((found) => !expected.some((path) => isIn(found, path)));
  if (missing === undefined && extra === undefined) return undefined;
  return `${at} names ${actual.join(", ")} instead of ${expected.join(", ")}`;
}

type Diagnostics = { state?: string; errors?: { code: string }[]; warnings?: { code: string }[] } | undefined;

/** Returns the validation of a draft with codes only: the model has no texts. */
function codesOf(validation: Diagnostics): Json {
  const codes = (list: { code: string }[] = []) => list.map(({ code }) => code).sort();
  return { ...validation, errors: codes(validation?.errors), warnings: codes(validation?.warnings) };
}
