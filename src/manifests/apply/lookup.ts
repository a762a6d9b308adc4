/**
 * Finds forms and layouts by name. Used in three cases:
 *
 * - before a creation is sent again
 * - after a creation without an answer
 * - after the creations of a plan, to detect records that were created twice
 */

import type { FormListedAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import { canonicalJson } from "../../schemas/json.ts";
import type { Input } from "../../schemas/operations.ts";
import { wholeForm } from "../../lists/forms.ts";
import { layoutIdOf, type Service } from "../../service.ts";
import { listForms, listNeededForms } from "../current/forms.ts";
import { isOrganizationLayout, listAllLayouts, pageKeyOf } from "../current/layouts.ts";
import { objectText } from "../address.ts";
import { AmbiguousNames } from "../current/match.ts";
import type { ObjectKey } from "../manifest.ts";
import type { StepRequest } from "../plan/planned.ts";
import type { Current } from "../state.ts";
import type { Ids } from "./recorded-runs.ts";

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

/**
 * @param creations the known creations whose forms will be looked up. If an object has many more forms, only forms with
 *   the names of these creations are listed
 */
export function openLookup(service: Service, creations: readonly CreateRequest[] = []): Lookup {
  const created = creations.filter((request) => request.operation === "createForm");
  const byObject = Map.groupBy(created, ({ object }) => objectText(object));
  const createdIn = new Map([...byObject].map(([object, all]) => [object, new Set(all.map(({ body }) => body.name))]));
  const forms = new Map<string, Promise<FormListedAnswer[]>>();
  const named = new Map<string, Promise<Map<string, FormListedAnswer[]>>>();
  const layouts = new Map<string, Promise<Map<string, LayoutAnswer[]> | undefined>>();
  const formsOf = (object: ObjectKey) =>
    readOnce(forms, objectText(object), async () => (await listForms(service, [object], 1))[0] ?? []);
  return {
    formsOf,
    async formsNamed(object, name) {
      const text = objectText(object);
      const names = createdIn.get(text);
      const isCreated = names?.has(name) ?? false;
      const list = readOnce(named, `${text} ${isCreated}`, async () => {
        const listed = names && isCreated ? await listNamed(service, object, names) : await formsOf(object);
        return Map.groupBy(listed, (form) => form.name);
      });
      return (await list).get(name) ?? [];
    },
    async layoutsNamed(wanted) {
      const list = await readOnce(layouts, wanted.surface, () => layoutsByName(service, wanted.surface));
      return list && (list.get(wanted.name) ?? []).filter((layout) => pageKeyOf(layout) === pageKeyOf(wanted));
    },
  };
}

/** Forms as they were listed at `since` or later. */
export type ListedForms = Pick<Lookup, "formsNamed"> & { since: Date };

/** Returns the forms that a plan has read, by their names at that time. */
export function listedForms({ objects }: Pick<Current, "objects">, since: Date): ListedForms {
  const named = new Map<string, Promise<Map<string, FormListedAnswer[]>>>();
  return {
    since,
    async formsNamed(object, name) {
      const text = objectText(object);
      const forms = await readOnce(named, text, async () =>
        Map.groupBy(objects.get(text)?.forms.map(({ listed }) => listed) ?? [], (form) => form.name),
      );
      return forms.get(name) ?? [];
    },
  };
}

async function listNamed(
  service: Service,
  object: ObjectKey,
  names: ReadonlySet<string>,
): Promise<readonly FormListedAnswer[]> {
  const [list] = await listNeededForms(service, [{ object, names, defaults: false }], 1);
  return list?.forms ?? [];
}

function readOnce<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const list = known.get(key) ?? read();
  known.set(key, list);
  return list;
}

/** Maximum number of concurrent requests for layouts whose names the list omits. */
const LAYOUT_READS = 8;

async function layoutsByName(service: Service, surface: string): Promise<Map<string, LayoutAnswer[]> | undefined> {
  const layouts = await listAllLayouts(service, new Set([surface]), LAYOUT_READS);
  return layouts && Map.groupBy(layouts.filter(isOrganizationLayout), ({ name = "" }) => name);
}

/**
 * Finds the record that an unanswered request created. Compares the name and the sent members.
 *
 * @returns undefined if the record does not exist; "unknown" if the server can't list layouts
 * @throws AmbiguousNames if several records have the name
 */
export async function findCreated(
  { service, lookup }: { service: Service; lookup: Lookup },
  address: string,
  request: CreateRequest,
): Promise<{ formId?: string; layoutId: string } | undefined | "unknown"> {
  if (request.operation === "createForm") {
    const { object, body } = request;
    const form = onlyMatch(address, await lookup.formsNamed(object, body.name), { types: body.types });
    return form && { formId: form.id, layoutId: layoutIdOf(await wholeForm(service, object, form)) };
  }
  const listed = await lookup.layoutsNamed(request.body);
  if (!listed) return "unknown";
  const layout = onlyMatch(address, listed, { supportedModes: request.body.supportedModes });
  return layout && { layoutId: layout.id };
}

/**
 * Returns the only record of a name, if it has the sent members. The plan found no record of this name. If several
 * exist now, the user has to choose.
 *
 * @throws AmbiguousNames if several records have the name
 */
function onlyMatch<T extends { id: string }>(address: string, named: readonly T[], sent: Sent): T | undefined {
  const [one, another] = named;
  if (!another) return one && hasMembers(one, sent) ? one : undefined;
  const ids = named.map(({ id }) => id);
  const message = `several records may be the one that was created for ${address}: ${ids.join(", ")}`;
  throw new AmbiguousNames([{ address, message, ids }]);
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

type Sent = Readonly<Record<string, unknown>>;

/**
 * Whether a record has the members that were sent. Members that the server does not show are ignored. Arrays are
 * compared as sets.
 */
export function hasMembers(record: object, sent: Sent): boolean {
  const shown = record as Sent;
  return Object.entries(sent).every(
    ([member, value]) =>
      value === undefined || shown[member] === undefined || setText(shown[member]) === setText(value),
  );
}

/** Whether the server shows every member that was sent. */
export function showsMembers(record: object, sent: Sent): boolean {
  const shown = record as Sent;
  return Object.entries(sent).every(([member, value]) => value === undefined || shown[member] !== undefined);
}

/** Returns a text that is the same for equal values. The items of an array are compared as a set. */
export function setText(value: unknown): string {
  if (!Array.isArray(value)) return canonicalJson(value);
  const items = value.map((item) => canonicalJson(item));
  return items.sort().join();
}
