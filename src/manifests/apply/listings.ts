/** What there is of a name now: looked up before a creation that might be a second one, and after one that might have been. */

import type { FormListedAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import type { Input } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import { listForms } from "../current/forms.ts";
import { isOrganizationLayout, listAllLayouts, pageKeyOf } from "../current/layouts.ts";
import { objectText } from "../address.ts";
import type { ObjectKey } from "../manifest.ts";

/** What tells a layout from others. */
export type LayoutName = Pick<Input<"createLayout">["body"], "surface" | "target" | "name">;

export type Listings = {
  formsOf(object: ObjectKey): Promise<readonly FormListedAnswer[]>;
  formsNamed(object: ObjectKey, name: string): Promise<readonly FormListedAnswer[]>;
  /** Undefined where the service lists none. */
  layoutsNamed(wanted: LayoutName): Promise<readonly LayoutAnswer[] | undefined>;
};

/**
 * Each list is read once, whole, when it is first needed, and is as old as that. Both throw what the service throws, and
 * LIST_INCOMPLETE.
 */
export function listingsOf(service: Service): Listings {
  const forms = new Map<string, Promise<FormListedAnswer[]>>();
  const named = new Map<string, Promise<Map<string, FormListedAnswer[]>>>();
  const layouts = new Map<string, Promise<Map<string, LayoutAnswer[]> | undefined>>();
  const formsOf = (object: ObjectKey) => once(forms, objectText(object), () => listAll(service, object));
  return {
    formsOf,
    async formsNamed(object, name) {
      const list = once(named, objectText(object), async () => Map.groupBy(await formsOf(object), (form) => form.name));
      return (await list).get(name) ?? [];
    },
    async layoutsNamed(wanted) {
      const list = await once(layouts, wanted.surface, () => layoutsByName(service, wanted));
      return list && (list.get(wanted.name) ?? []).filter((layout) => pageKeyOf(layout) === pageKeyOf(wanted));
    },
  };
}

function once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const list = known.get(key) ?? read();
  known.set(key, list);
  return list;
}

async function listAll(service: Service, object: ObjectKey): Promise<FormListedAnswer[]> {
  const [forms = []] = await listForms(service, [object], 1);
  return forms;
}

async function layoutsByName(
  service: Service,
  { surface }: LayoutName,
): Promise<Map<string, LayoutAnswer[]> | undefined> {
  const layouts = await listAllLayouts(service, new Set([surface]), LAYOUTS_AT_ONCE);
  return layouts && Map.groupBy(layouts.filter(isOrganizationLayout), ({ name = "" }) => name);
}

/** How many layouts are read at once whose names a list leaves out. */
const LAYOUTS_AT_ONCE = 8;
