/** Reads forms and layouts of the target for an export. */

import type { FormAnswer, LayoutAnswer } from "../../schemas/answers.ts";
import pMap from "p-map";
import { wholeLayout } from "../../lists/layouts.ts";
import { layoutIdOf, type Service } from "../../service.ts";
import { readSubjects } from "../current/read.ts";
import { readContent } from "../current/versions.ts";
import type { FormSubject } from "../state.ts";
import { formAddress, objectText } from "../address.ts";
import { byAddress, type Exported, exportForm, exportLayout, shownMembers } from "./exported.ts";
import type { NameOf } from "../references.ts";
import type { ObjectKey } from "../manifest.ts";
import { AmbiguousNames } from "../current/match.ts";

export type Chosen = {
  /** Objects whose forms are all exported. */
  objects: readonly ObjectKey[];
  forms: readonly { object: ObjectKey; form: FormAnswer }[];
  /** Layouts that no form owns. */
  layouts: readonly LayoutAnswer[];
};

export type ReadExportedOptions = {
  service: Service;
  nameOf: NameOf;
  concurrency: number;
  onProgress: (done: number, total: number) => void;
};

/**
 * Reads the chosen resources, in the order of their addresses.
 *
 * @throws AmbiguousNames if two resources have the same name, because names identify manifests
 * @throws the errors of `readSubjects`
 */
export async function readExported(
  { objects, forms, layouts }: Chosen,
  { service, nameOf, concurrency, onProgress }: ReadExportedOptions,
): Promise<Exported[]> {
  const whole = new Set(objects.map(objectText));
  const single = new Map(
    forms.filter(({ object }) => !whole.has(objectText(object))).map((each) => [each.form.id, each]),
  );
  const subjects = [...single.values()].map(({ object, form }) => subjectOfForm(object, form));
  refuseEqualNames(
    [...single.values()].map(({ object, form }) => ({ object, id: form.id, address: addressOf(object, form) })),
  );
  // A user may rename a chosen form on the target during the export. The layout id still identifies the form.
  const known = new Map([...single.values()].map(({ object, form }) => [addressOf(object, form), layoutIdOf(form)]));
  const current = await readSubjects({ service, subjects, known, concurrency, whole: objects, onProgress });
  const exported: Exported[] = [...current.objects.values()].flatMap(({ object, forms: states }) =>
    states
      .filter(({ form }) => whole.has(objectText(object)) || single.has(form.id))
      .map((state) => exportForm(object, state, nameOf)),
  );
  const others = new Map(layouts.map((layout) => [layout.id, layout]));
  exported.push(
    ...(await pMap(
      others.values(),
      async (listed) => {
        const layout = await wholeLayout(service, listed);
        const content = await readContent(service, layout.id, shownMembers(layout).surface);
        return exportLayout(layout, content, nameOf);
      },
      { concurrency },
    )),
  );
  refuseEqualNames(exported.map((each) => ({ ...each, id: each.kind === "Form" ? each.formId : each.layoutId })));
  return exported.toSorted(byAddress);
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
