/**
 * Finds forms and layouts by name. Used in three cases:
 *
 * - before a creation is sent again
 * - after a creation without an answer
 * - after the creations of a plan, to detect records that were created twice
 */

import type { FormListedAnswer, LayoutAnswer } from "../schemas/answers.ts";
import type { Input } from "../schemas/operations.ts";
import { isOrganizationLayout, pageKeyOf } from "../lists/layouts.ts";
import type { Service } from "../service.ts";
import { AmbiguousNames } from "../state/match.ts";
import { openReader } from "../state/reader.ts";
import type { StepRequest } from "../plan/planned.ts";
import type { Current } from "../state/state.ts";
import type { Ids } from "./recorded-runs.ts";
import { objectText, type ObjectKey } from "../lists/addresses.ts";

export type LayoutName = Pick<Input<"createLayout">["body"], "surface" | "target" | "name">;

export type CreateRequest = StepRequest & { operation: "createForm" | "createLayout" };

export function isCreation(request: StepRequest): request is CreateRequest {
  return request.operation === "createForm" || request.operation === "createLayout";
}

/**
 * Finds records by name. Each list is read once, when it is first needed. Each method throws LIST_INCOMPLETE and the
 * errors of the service.
 */
export type Lookup = {
  formsOf(object: ObjectKey): Promise<readonly FormListedAnswer[]>;
  formsNamed(object: ObjectKey, name: string): Promise<readonly FormListedAnswer[]>;
  /** Undefined if the server can't list layouts. */
  layoutsNamed(wanted: LayoutName): Promise<readonly LayoutAnswer[] | undefined>;
};

/** The maximum number of concurrent requests of a lookup. The service may have a lower limit. */
const LOOKUPS_AT_ONCE = 8;

/**
 * @param creations the known creations whose forms will be looked up. If an object has many more forms, only forms with
 *   the names of these creations are listed
 */
export function openLookup(service: Service, creations: readonly CreateRequest[] = []): Lookup {
  const created = creations.filter((request) => request.operation === "createForm");
  const byObject = Map.groupBy(created, ({ object }) => objectText(object));
  const createdIn = new Map([...byObject].map(([object, all]) => [object, new Set(all.map(({ body }) => body.name))]));
  const reader = openReader(() => service, { concurrency: LOOKUPS_AT_ONCE });
  const formsOf = async (object: ObjectKey) => (await reader.forms([object]))[0] ?? [];
  const createdForms = namedForms(async (object) => {
    const names = createdIn.get(objectText(object));
    const [list] = await reader.neededForms([{ object, names, defaults: false }]);
    return list?.forms ?? [];
  });
  const allForms = namedForms(formsOf);
  return {
    formsOf,
    formsNamed(object, name) {
      const isCreated = createdIn.get(objectText(object))?.has(name) ?? false;
      return (isCreated ? createdForms : allForms)(object, name);
    },
    async layoutsNamed(wanted) {
      const listed = await reader.layouts(new Set([wanted.surface]));
      const isNamed = (layout: LayoutAnswer) => layout.name === wanted.name && pageKeyOf(layout) === pageKeyOf(wanted);
      return listed?.filter((layout) => isOrganizationLayout(layout) && isNamed(layout));
    },
  };
}

/** Forms as they were listed at `since` or later. */
export type ListedForms = Pick<Lookup, "formsNamed"> & { since: Date };

/** Returns the forms that a plan has read, by their names at that time. */
export function listedForms({ objects }: Pick<Current, "objects">, since: Date): ListedForms {
  const formsNamed = namedForms(
    async (object) => objects.get(objectText(object))?.forms.map(({ listed }) => listed) ?? [],
  );
  return { since, formsNamed };
}

/** Returns a function that finds forms by name. The forms of an object are listed and grouped once. */
function namedForms(list: (object: ObjectKey) => Promise<readonly FormListedAnswer[]>): Lookup["formsNamed"] {
  const groups = new Map<string, Promise<Map<string, FormListedAnswer[]>>>();
  const group = async (object: ObjectKey) => Map.groupBy(await list(object), (form) => form.name);
  return async (object, name) => {
    const text = objectText(object);
    const known = groups.get(text) ?? group(object);
    groups.set(text, known);
    return (await known).get(name) ?? [];
  };
}

/**
 * Returns an error if the record exists more than once. Either two runs created the record, or the server did not
 * recognize a repeated request.
 *
 * @param ids the ids of the record that this run created
 * @returns undefined for a single record, or if the lists can't be read
 */
export async function findDuplicates(
  lookup: Lookup,
  address: string,
  request: CreateRequest,
  { formId, layoutId = "" }: Ids,
): Promise<AmbiguousNames | undefined> {
  const own = formId ?? layoutId;
  const isForm = request.operation === "createForm";
  const list = isForm ? lookup.formsNamed(request.object, request.body.name) : lookup.layoutsNamed(request.body);
  // The creation is done, even if the list can't be read now.
  const named: readonly { id: string }[] = (await list.catch(() => undefined)) ?? [];
  const ids = [...new Set([own, ...named.map(({ id }) => id)])];
  if (ids.length < 2) return undefined;
  const message = `${address} exists ${ids.length} times: ${ids.join(", ")}. This run created ${own}`;
  const remove = isForm ? `formctl forms delete ${objectText(request.object)}/ID` : "formctl layouts archive ID";
  const hint = `Another user created one at the same time, or the server created it twice. Delete all but one (${remove}), then apply again.`;
  return new AmbiguousNames([{ address, message, ids }], hint);
}
