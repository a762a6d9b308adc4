/** Finds the forms and layouts of a target that a match can select. Does not read the contents of layouts. */

import pMap from "p-map";
import { layoutAddress, formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";
import { isUserLayout, layoutsNotListed } from "../lists/layouts.ts";
import { isOwned, objectsWithForms } from "../lists/objects.ts";
import { toFormState, type FormState } from "../state/state.ts";
import type { Reader } from "../state/reader.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { isSurface, type Surface } from "../schemas/words.ts";
import type { Target } from "../schemas/layout.ts";
import type { About, Match } from "./definition.ts";
import { isBroken, type LeftOut, leftOut, reasonOf } from "./left-out.ts";
import type { Replaced } from "./record.ts";
import { matchesRecord, objectsOf, selectsForms, selectsLayouts } from "./match.ts";

/** `namesakes` are the ids of all resources with the same address. Absent if no other resource has this address. */
export type FoundForm = {
  /** If an interrupted run of the migration has renamed the form, `name` and `address` have its former name. */
  about: About & { kind: "Form"; object: ObjectKey; formId: string };
  state: FormState;
  namesakes?: readonly string[];
};
export type FoundLayout = {
  about: About & { kind: "Layout"; target: Target; layoutId: string };
  namesakes?: readonly string[];
};
export type Found = FoundForm | FoundLayout;

export type FoundResources = { found: Found[]; left: LeftOut[] };

type Finding = {
  reader: Reader;
  match: Match;
  wantsLayouts: boolean;
  /** What an interrupted run replaced, by form id. Forms that the run renamed are found by their former names. */
  recorded: ReadonlyMap<string, Replaced>;
  /**
   * Called before the forms are listed, with the ids of layouts whose forms may match. Gets no ids if the match names
   * objects. Not called if the match names forms.
   */
  onOwnedLayouts?: ((layoutIds: readonly string[]) => void) | undefined;
};

/**
 * Finds the forms and layouts that can match. Resources that can't be read are left out.
 *
 * @param finding.wantsLayouts whether layouts that no form owns are found too
 * @throws OBJECT_MISSING for an object of the match
 * @throws NOT_FOUND if the server does not list layouts, and the match names no objects
 * @throws LIST_INCOMPLETE
 * @throws the errors of the service
 */
export async function findResources(finding: Finding): Promise<FoundResources> {
  const { reader, match, wantsLayouts } = finding;
  const named = objectsOf(match);
  const needsList = (wantsLayouts && selectsLayouts(match)) || (selectsForms(match) && !named);
  const listed = needsList ? await reader.layouts() : [];
  if (!listed) {
    throw layoutsNotListed(
      'A migration then finds only the forms of the objects that it names. Add the objects to its match: objects: ["MODULE/OBJECT"]',
    );
  }
  const objects = selectsForms(match) ? (named ?? objectsWithForms(listed)) : [];
  if (selectsForms(match) && !match.forms) finding.onOwnedLayouts?.(listed.filter(isOwned).map(({ id }) => id));
  const forms = await findForms(objects, finding);
  const layouts = wantsLayouts && selectsLayouts(match) ? listed.filter(isUserLayout) : [];
  const others = await findLayouts(reader, match, layouts);
  return { found: withNamesakes([...forms.found, ...others.found]), left: [...forms.left, ...others.left] };
}

async function findForms(objects: readonly ObjectKey[], { reader, match, recorded }: Finding): Promise<FoundResources> {
  const lists = await reader.forms(objects);
  const left: LeftOut[] = [];
  const matching = objects.flatMap((object, index) =>
    lists[index]!.map((listed) => ({
      object,
      listed,
      name: formerName(recorded.get(listed.id)) ?? listed.name,
    })).filter(({ name }) => matchesRecord(match, { kind: "Form", object, surface: "DYNAMIC_OBJECT", name })),
  );
  const found = await pMap(
    matching,
    async ({ object, listed, name }): Promise<FoundForm | undefined> => {
      const address = formAddress(objectText(object), name);
      try {
        const form = await reader.form(object, listed);
        const { id: formId, types: modes, viewLayoutId } = form;
        const about = { kind: "Form", address, name, surface: "DYNAMIC_OBJECT", modes, object, formId } as const;
        const layout = viewLayoutId === undefined ? {} : { layoutId: viewLayoutId };
        return { about: { ...about, ...layout }, state: { ...toFormState(listed), form } };
      } catch (error) {
        if (!isBroken(error)) throw error;
        left.push(leftOut({ kind: "Form", address }, `the form can't be read: ${reasonOf(error)}`));
        return undefined;
      }
    },
    { concurrency: reader.concurrency },
  );
  return { found: found.filter((each) => each !== undefined), left };
}

async function findLayouts(reader: Reader, match: Match, listed: readonly LayoutAnswer[]): Promise<FoundResources> {
  const left: LeftOut[] = [];
  const matching = listed.filter((layout) => {
    const { surface, name } = layout;
    return !isSurface(surface) || name === undefined || matchesRecord(match, { kind: "Layout", surface, name });
  });
  const found = await pMap(
    matching,
    async (layout): Promise<FoundLayout | undefined> => {
      try {
        const { id: layoutId, name, surface, supportedModes: modes, target } = await reader.wholeLayout(layout);
        if (name === undefined || surface === undefined || !modes) {
          left.push(
            leftOut({ kind: "Layout", address: layout.id }, "the server does not show its name, surface or modes"),
          );
          return undefined;
        }
        const own = ownTarget(target);
        const address = layoutAddress(surface, own, name);
        return {
          about: { kind: "Layout", address, name, surface: surface as Surface, modes, target: own, layoutId },
        };
      } catch (error) {
        if (!isBroken(error)) throw error;
        const address = layout.name ?? layout.id;
        left.push(leftOut({ kind: "Layout", address }, `the layout can't be read: ${reasonOf(error)}`));
        return undefined;
      }
    },
    { concurrency: reader.concurrency },
  );
  return { found: found.filter((each) => each !== undefined), left };
}

function formerName(replaced: Replaced | undefined): string | undefined {
  const name = replaced?.members?.["name"];
  return typeof name === "string" ? name : undefined;
}

/** Returns the target of a layout, without null members. */
export function ownTarget(target: LayoutAnswer["target"]): Target {
  return Object.fromEntries(Object.entries(target ?? {}).filter(([, value]) => value != null));
}

/** Marks resources that share an address, because an address must identify one resource. */
function withNamesakes(found: readonly Found[]): Found[] {
  const groups = Map.groupBy(found, ({ about: { kind, address } }) => `${kind} ${address}`);
  return [...groups.values()].flatMap((group) => {
    if (group.length === 1) return group;
    const namesakes = group.map(({ about: { formId, layoutId } }) => formId ?? layoutId ?? "");
    return group.map((each) => ({ ...each, namesakes }));
  });
}
