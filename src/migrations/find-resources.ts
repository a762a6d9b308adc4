/** Finds the forms and layouts of a target that a match can select. Does not read the contents of layouts. */

import pMap from "p-map";
import { FormctlError } from "../error.ts";
import { wholeForm } from "../lists/forms.ts";
import { isMigrationRecord, wholeLayout } from "../lists/layouts.ts";
import { formAddress, layoutAddress, objectText } from "../manifests/address.ts";
import { listForms, toFormState } from "../manifests/current/forms.ts";
import { isOrganizationLayout, listAllLayouts } from "../manifests/current/layouts.ts";
import type { ObjectKey } from "../manifests/manifest.ts";
import type { FormState } from "../manifests/state.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
import { isSurface, type Surface } from "../schemas/words.ts";
import type { Target } from "../schemas/layout.ts";
import type { Service } from "../service.ts";
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
  service: Service;
  match: Match;
  concurrency: number;
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
  const { service, match, concurrency, wantsLayouts } = finding;
  const named = objectsOf(match);
  const needsList = (wantsLayouts && selectsLayouts(match)) || (selectsForms(match) && !named);
  const listed = needsList ? await listAllLayouts(service, undefined, concurrency) : [];
  if (!listed) {
    throw new FormctlError(
      "NOT_FOUND",
      "this server does not list layouts, so a migration finds only the forms of the objects that it names",
      'Add the objects to the match of the migration: objects: ["MODULE/OBJECT"]',
    );
  }
  const objects = selectsForms(match) ? (named ?? ownersOf(listed)) : [];
  if (selectsForms(match) && !match.forms) finding.onOwnedLayouts?.(listed.filter(isOwned).map(({ id }) => id));
  const forms = await findForms(objects, finding);
  const layouts = wantsLayouts && selectsLayouts(match) ? listed.filter(isOrganizationLayout) : [];
  const others = await findLayouts(service, match, layouts, concurrency);
  return { found: withNamesakes([...forms.found, ...others.found]), left: [...forms.left, ...others.left] };
}

/** Returns the objects of the forms that own the layouts. */
function ownersOf(layouts: readonly LayoutAnswer[]): ObjectKey[] {
  const objects = new Map<string, ObjectKey>();
  for (const { target } of layouts.filter(isOwned)) {
    const { moduleKey, objectKey } = target as ObjectKey;
    objects.set(objectText({ moduleKey, objectKey }), { moduleKey, objectKey });
  }
  return [...objects.values()];
}

/** Whether a form owns the layout. The forms of archived layouts are deleted. */
function isOwned({ target, status }: LayoutAnswer): boolean {
  const { moduleKey, objectKey, formId } = target ?? {};
  return typeof moduleKey === "string" && typeof objectKey === "string" && formId != null && status !== "ARCHIVED";
}

async function findForms(
  objects: readonly ObjectKey[],
  { service, match, concurrency, recorded }: Finding,
): Promise<FoundResources> {
  const lists = await listForms(service, objects, concurrency);
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
        const form = await wholeForm(service, object, listed);
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
    { concurrency },
  );
  return { found: found.filter((each) => each !== undefined), left };
}

async function findLayouts(
  service: Service,
  match: Match,
  listed: readonly LayoutAnswer[],
  concurrency: number,
): Promise<FoundResources> {
  const left: LeftOut[] = [];
  const matching = listed.filter((layout) => {
    const { surface, name } = layout;
    if (isMigrationRecord(layout)) return false;
    return !isSurface(surface) || name === undefined || matchesRecord(match, { kind: "Layout", surface, name });
  });
  const found = await pMap(
    matching,
    async (layout): Promise<FoundLayout | undefined> => {
      try {
        const { id: layoutId, name, surface, supportedModes: modes, target } = await wholeLayout(service, layout);
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
    { concurrency },
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
