/** Everything of the objects, forms and layouts that were named, read whole. */

import pMap from "p-map";
import { readSubjects } from "../../manifests/current.ts";
import { formAddress } from "../../manifests/address.ts";
import { byAddress, type Exported, exportForm, exportLayout, type NameOf } from "../../manifests/export.ts";
import type { ObjectKey } from "../../manifests/manifest.ts";
import { readContent } from "../../manifests/read-versions.ts";
import { type FormSubject, objectText } from "../../manifests/subject.ts";
import type { Layout } from "../../schemas/layout.ts";
import { readLayout, type Service, ServiceError } from "../../service.ts";
import { AddressError, findForm, type FormAddress, type LayoutAddress, type ObjectAddress } from "../addresses.ts";

export type Named = ObjectAddress | LayoutAddress;

export type ReadOptions = {
  service: Service;
  named: readonly Named[];
  /** Every layout that no form owns, too. */
  allLayouts: boolean;
  nameOf: NameOf;
  concurrency: number;
  onProgress: (done: number, total: number) => void;
};

/** In the order of their addresses. @throws AddressError where something is not there, or can't be told from another */
export async function readExported(options: ReadOptions): Promise<Exported[]> {
  const { service, named, nameOf, concurrency } = options;
  const layoutIds = new Set(named.flatMap((each) => ("layoutId" in each ? [each.layoutId] : [])));
  const layouts = await readLayouts(service, layoutIds, options);
  const objects = named.filter((each) => !("layoutId" in each) && !("form" in each)) as ObjectKey[];
  const forms = named.filter((each) => "form" in each);
  // A form's own layout stands for the form.
  const owned = layouts.flatMap(({ target }): FormAddress[] => {
    const { moduleKey, objectKey, formId } = target;
    const isOwned = typeof moduleKey === "string" && typeof objectKey === "string" && typeof formId === "string";
    return isOwned ? [{ moduleKey, objectKey, form: formId }] : [];
  });
  const exported: Exported[] = await readForms([...forms, ...owned], objects, options);
  const others = layouts.filter(({ target }) => typeof target["formId"] !== "string");
  exported.push(
    ...(await pMap(others, async (layout) => exportLayout(layout, await readContent(service, layout.id), nameOf), {
      concurrency,
    })),
  );
  requireDistinct(exported);
  return exported.toSorted(byAddress);
}

async function readForms(
  addresses: readonly FormAddress[],
  objects: readonly ObjectKey[],
  { service, nameOf, concurrency, onProgress }: ReadOptions,
): Promise<Exported[]> {
  const whole = new Set(objects.map(objectText));
  const single = addresses.filter((address) => !whole.has(objectText(address)));
  const known = new Map<string, string>();
  const subjects = new Map<string, FormSubject>();
  const found = await pMap(addresses, async (address) => ({ address, form: await findForm(service, address) }), {
    concurrency,
  });
  for (const { address, form } of found) {
    if (!single.includes(address)) continue;
    const { moduleKey, objectKey } = address;
    const object = { moduleKey, objectKey };
    const name = formAddress(objectText(object), form.name);
    // By its layout a form is found among others of its name.
    known.set(name, form.viewLayoutId);
    subjects.set(form.id, {
      kind: "Form",
      address: name,
      object,
      name: form.name,
      types: [],
      content: true,
      access: "rows",
      defaultFor: [],
      fields: [],
    });
  }
  const current = await readSubjects({
    service,
    subjects: [...subjects.values()],
    known,
    concurrency,
    whole: objects,
    onProgress,
  });
  return [
    ...[...current.objects.values()].flatMap(({ object, forms }) =>
      whole.has(objectText(object)) ? forms.map((state) => exportForm(object, state, nameOf)) : [],
    ),
    ...[...subjects.values()].flatMap(({ address, object }) => {
      const state = current.forms.get(address);
      return state ? [exportForm(object, state, nameOf)] : [];
    }),
  ];
}

async function readLayouts(
  service: Service,
  ids: ReadonlySet<string>,
  { allLayouts, concurrency }: ReadOptions,
): Promise<Layout[]> {
  const named = await pMap(
    ids,
    async (layoutId) => {
      const layout = await readLayout(service, layoutId);
      if (layout) return layout;
      throw new AddressError(
        "missing",
        `the layout ${layoutId} does not exist, or the server does not show what it is for`,
        "A layout that a form owns is exported with its form: formctl export MODULE/OBJECT/FORM",
      );
    },
    { concurrency },
  );
  if (!allLayouts) return named;
  try {
    const all = await service.listLayouts({});
    const others = all.filter(
      ({ id, ownerScope, target, status }) =>
        ownerScope !== "SYSTEM" && target["formId"] == null && status !== "ARCHIVED" && !ids.has(id),
    );
    return [...named, ...others];
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.status !== 404 && error.status !== 405)) throw error;
    throw new AddressError("missing", "this server does not list layouts", "Name layouts by their ids.");
  }
}

/** A manifest is known by its address: two of the same would be one. */
function requireDistinct(exported: readonly Exported[]): void {
  for (const [address, all] of Map.groupBy(exported, (each) => each.address)) {
    const ids = all.map((each) => (each.kind === "Form" ? each.formId : each.layoutId));
    if (new Set(ids).size < 2) continue;
    throw new AddressError(
      "ambiguous",
      `${ids.length} have the same name, which is all that tells manifests apart: ${address} (${ids.join(", ")})`,
      "Rename one of them, or export the others by their ids.",
    );
  }
}
