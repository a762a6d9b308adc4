/** Reads forms and layouts of the target for an export. */

import type { FormAnswer, LayoutAnswer } from "../schemas/answers.ts";
import pMap from "p-map";
import { layoutIdOf, type Service } from "../service.ts";
import { packState, readSubjects } from "../state/read.ts";
import { MissingObjects, type Reader, withReader } from "../state/reader.ts";
import type { FormSubject } from "../state/state.ts";
import {
  byAddress,
  type Exported,
  exportForm,
  exportLayout,
  omitUnsupported,
  type ReadResources,
  shownMembers,
} from "./exported.ts";
import type { NameOf } from "../manifests/references.ts";
import { AmbiguousNames } from "../state/match.ts";
import { packBlocks } from "../contents/memory.ts";
import { formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";

export type Chosen = {
  /** Objects whose forms are all exported. */
  objects: readonly ObjectKey[];
  /** Objects that may be missing on the target. If they exist, all their forms are exported. */
  perhaps?: readonly ObjectKey[];
  forms: readonly { object: ObjectKey; form: FormAnswer }[];
  /** Layouts that no form owns. */
  layouts: readonly LayoutAnswer[];
};

export type ReadChosen = ReadResources & {
  /** The objects of `Chosen.perhaps` that do not exist. */
  missing: readonly ObjectKey[];
};

export type ReadExportedOptions = {
  service: Service;
  nameOf: NameOf;
  concurrency: number;
  onProgress: (done: number, total: number) => void;
};

/**
 * Reads the chosen resources, in the order of their addresses. Omits those that manifests do not support.
 *
 * @throws AmbiguousNames if two resources have the same name, because names identify manifests
 * @throws the errors of `readSubjects`
 */
export async function readExported(
  { objects, perhaps = [], forms, layouts }: Chosen,
  { service, nameOf, concurrency, onProgress }: ReadExportedOptions,
): Promise<ReadChosen> {
  const whole = new Set([...objects, ...perhaps].map(objectText));
  let missing: readonly ObjectKey[] = [];
  const single = new Map(
    forms.filter(({ object }) => !whole.has(objectText(object))).map((each) => [each.form.id, each]),
  );
  const subjects = [...single.values()].map(({ object, form }) => subjectOfForm(object, form));
  refuseEqualNames(
    [...single.values()].map(({ object, form }) => ({ object, id: form.id, address: addressOf(object, form) })),
  );
  // A user may rename a chosen form on the target during the export. The layout id still identifies the form.
  const known = new Map([...single.values()].map(({ object, form }) => [addressOf(object, form), layoutIdOf(form)]));
  const others = new Map(layouts.map((layout) => [layout.id, layout]));
  const exported = await withReader(service, { concurrency, onProgress }, async (reader): Promise<Exported[]> => {
    missing = await findMissing(reader, perhaps);
    const existing = perhaps.filter((object) => !missing.includes(object));
    const current = await readSubjects(reader, { subjects, known, whole: [...objects, ...existing] });
    const ofForms = [...current.objects.values()].flatMap(({ object, forms: states }) =>
      states
        .filter(({ form }) => whole.has(objectText(object)) || single.has(form.id))
        .map((state) => exportForm(object, state, nameOf)),
    );
    const ofLayouts = await pMap(
      others.values(),
      async (listed) => {
        const layout = await reader.wholeLayout(listed);
        const content = await reader.takeContent(layout.id, shownMembers(layout).surface);
        return exportLayout(layout, packState(content, reader, packBlocks), nameOf);
      },
      { concurrency },
    );
    return [...ofForms, ...ofLayouts];
  });
  refuseEqualNames(exported.map((each) => ({ ...each, id: each.kind === "Form" ? each.formId : each.layoutId })));
  return { ...omitUnsupported(exported.toSorted(byAddress)), missing };
}

/** Returns the objects that do not exist. The reader keeps the forms of the others for the caller. */
async function findMissing(reader: Reader, objects: readonly ObjectKey[]): Promise<readonly ObjectKey[]> {
  try {
    await reader.forms(objects);
    return [];
  } catch (error) {
    if (error instanceof MissingObjects) return error.objects;
    throw error;
  }
}

function addressOf(object: ObjectKey, { name }: FormAnswer): string {
  return formAddress(objectText(object), name);
}

type Named = { address: string; id: string; object?: ObjectKey };

function refuseEqualNames(all: readonly Named[]): void {
  const equal = [...Map.groupBy(all, ({ address }) => address)].filter(([, alike]) => alike.length > 1);
  const [first] = equal;
  if (!first) return;
  const ambiguities = equal.map(([address, alike]) => {
    const ids = alike.map(({ id }) => id);
    return { address, ids, message: `${ids.length} resources have the name ${address}: ${ids.join(", ")}` };
  });
  const { id, object } = first[1].at(-1)!;
  const which = object ? `forms update ${objectText(object)}/${id}` : `layouts update ${id}`;
  const hint = `Manifests are identified by their names. Rename one of them: formctl ${which} --name NAME`;
  throw new AmbiguousNames(ambiguities, hint);
}

function subjectOfForm(object: ObjectKey, form: FormAnswer): FormSubject {
  const { name, types } = form;
  return {
    kind: "Form",
    address: addressOf(object, form),
    object,
    name,
    types,
    content: true,
    access: "rows",
    defaultFor: [],
    fields: [],
  };
}
