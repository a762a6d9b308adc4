/**
 * Checks manifests after they are read. Checks each layout against the fields and scripts of its organization. Also
 * compares the manifests with each other.
 */

import { type Diagnostic, type Located, sortProblems } from "../../schemas/diagnostic.ts";
import { checkDraft, checksNotRun } from "../../schemas/draft-checks.ts";
import {
  type LayoutCatalog,
  type CatalogField,
  type OrganizationCatalog,
  fieldsOf,
  objectOf,
  scriptNames,
  toCatalogField,
} from "../../schemas/catalog.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { nearest } from "../../base/nearest.ts";
import type { SeedField } from "../../schemas/organization.ts";
import { locateContent, manifestProblem } from "../problems.ts";
import type { Manifest } from "../manifest.ts";
import type { PartialManifest } from "./read-manifest.ts";
import { checkDefaults, checkForm, checkIdentities, checkLayout, checkOrganizationDefaults } from "./rules.ts";
import { objectText } from "../../lists/addresses.ts";

/** The organization that manifests are checked against. */
export type CatalogSource = {
  /** Undefined if unknown; then some checks do not run. */
  organization?: OrganizationCatalog;
  /** Where the organization comes from ("the local store", "organization.yaml"), or why it is unknown. */
  source: string;
};

/** A check that could not run, with the addresses of the affected manifests. */
export type NotRun = { check: string; manifests: readonly string[] };

/** Returns the text of a check that did not run. */
export function notRunText({ check, manifests }: NotRun): string {
  return `${check}, for ${manifests.length === 1 ? manifests[0]! : `${manifests.length} manifests`}`;
}

export type Checked = {
  problems: Located[];
  /** The problems of the contents of layouts, with the address of the manifest. */
  ofContents: ReadonlyMap<Located, string>;
  notRun: NotRun[];
};

export type Check = {
  /** Checks one manifest. After the call, the caller may drop the content of the manifest. */
  add(manifest: Manifest): void;
  /** Checks the layout of a manifest that is otherwise invalid. */
  addPartial(partial: PartialManifest): void;
  /** Checks all manifests together, and returns the problems of all checks. */
  finish(): Checked;
  /** Returns what is known about the layout of a manifest. */
  knownOf(manifest: PartialManifest): LayoutCatalog;
};

/** Returns a check for manifests that are read one by one. The check sends no request to a server. */
export function openCheck(knowledge: CatalogSource): Check {
  const manifests: Manifest[] = [];
  const problems: Located[] = [];
  const ofContents = new Map<Located, string>();
  const notRun = new Map<string, string[]>();
  const knownOf = knownFrom(knowledge);

  function checkContent(manifest: PartialManifest, known: LayoutCatalog): Located[] {
    const { content } = manifest;
    if (!content) return [];
    return locateContent(
      manifest,
      checkDraft(content, known).filter((each) => !isAboutAppliedChange(each, content, known)),
    );
  }

  return {
    add(manifest) {
      const { content: _dropped, ...members } = manifest;
      manifests.push(members);
      problems.push(...(manifest.kind === "Form" ? checkForm(manifest) : checkLayout(manifest)));
      problems.push(...checkObject(manifest, knowledge));
      if (!manifest.content) return;
      const known = knownOf(manifest);
      for (const problem of checkContent(manifest, known)) {
        problems.push(problem);
        ofContents.set(problem, manifest.address);
      }
      for (const check of checksNotRun(known)) {
        const addresses = notRun.get(check) ?? [];
        addresses.push(manifest.address);
        notRun.set(check, addresses);
      }
    },
    addPartial: (partial) => void problems.push(...checkContent(partial, knownOf(partial))),
    finish: () => ({
      problems: sortProblems([
        ...problems,
        ...checkIdentities(manifests),
        ...checkDefaults(manifests),
        ...checkOrganizationDefaults(manifests),
      ]),
      ofContents,
      notRun: [...notRun].map(([check, addresses]) => ({
        check: `${check} (${knowledge.source})`,
        manifests: addresses,
      })),
    }),
    knownOf,
  };
}

export function checkManifests(manifests: readonly Manifest[], knowledge: CatalogSource): Checked {
  const check = openCheck(knowledge);
  for (const manifest of manifests) check.add(manifest);
  return check.finish();
}

/**
 * Whether a problem only reports that a staged change is already applied. An applied change may remain in the manifest.
 * There are two such problems:
 *
 * - The field to create already exists with the staged type.
 * - The field to delete or unlink no longer exists.
 */
export function isAboutAppliedChange(
  { code, path }: Diagnostic,
  content: DraftContent,
  { fields = [] }: LayoutCatalog,
): boolean {
  if (code !== "STAGED_KEY_TAKEN" && code !== "STAGED_TARGET_UNKNOWN") return false;
  const index = /^stagedFieldDefinitions\[(\d+)\]/.exec(path ?? "")?.[1];
  const staged = content.stagedFieldDefinitions[Number(index)];
  if (code === "STAGED_TARGET_UNKNOWN") return staged?.action === "delete" || staged?.action === "unlink";
  return fields.some(({ key, type }) => key === staged?.key && type === staged.type);
}

/**
 * Checks that the organization has the manifest's object, and that this object can have forms. An unknown organization
 * is not checked.
 */
function checkObject(manifest: Manifest, { organization, source }: CatalogSource): Located[] {
  const isForm = manifest.kind === "Form";
  if (!organization || (!isForm && manifest.surface !== "DYNAMIC_OBJECT")) return [];
  const { moduleKey, objectKey } = isForm ? manifest.object : manifest.target;
  const found = objectOf(organization, moduleKey, objectKey);
  if (found?.kind === "SUBORDINATE" && isForm) {
    const message = `"${objectText(manifest.object)}" is a subordinate object in ${source}, and can't have forms. Remove the manifest, or specify another object`;
    return [manifest.locate(manifestProblem("OBJECT_SUBORDINATE", message, "object"))];
  }
  if (found) return [];
  const known = organization.modules.flatMap(({ key, objects }) => objects.map((object) => `${key}/${object.key}`));
  const address = `${moduleKey}/${objectKey}`;
  const meant = nearest(address, known);
  const suggestion = meant === undefined ? "" : `. Did you mean "${meant}"?`;
  const message = `unknown object "${address}" in ${source}${suggestion}`;
  return [manifest.locate(manifestProblem("OBJECT_UNKNOWN", message, isForm ? "object" : "target.objectKey"))];
}

/**
 * Returns a function that returns what a layout is checked against: fields, scripts, surface and modes. The layouts of
 * an object share one list of fields, because `indexFields` keeps an index for each list.
 */
function knownFrom({ organization }: CatalogSource): (manifest: PartialManifest) => LayoutCatalog {
  const scripts = organization && scriptNames(organization);
  const lists = new Map<SeedField[], { fields: CatalogField[]; haveIds: boolean }>();

  function listOf(described: SeedField[]): { fields: CatalogField[]; haveIds: boolean } {
    let list = lists.get(described);
    if (!list) {
      list = { fields: described.map(toCatalogField), haveIds: described.every(({ id }) => id !== undefined) };
      lists.set(described, list);
    }
    return list;
  }

  return (manifest) => {
    const isForm = manifest.kind === "Form";
    const surface = isForm ? "DYNAMIC_OBJECT" : manifest.surface;
    const modes = isForm ? manifest.types : manifest.supportedModes;
    const described =
      organization && fieldsOf(organization, { surface, target: isForm ? manifest.object : manifest.target });
    const list = described && listOf(described);
    const areKnown = list !== undefined && (list.haveIds || !usesFieldIds(manifest.content));
    return { surface, modes, ...(areKnown && { fields: list.fields }), ...(scripts && { scripts }) };
  };
}

/**
 * Whether a layout references a field by its id. The fields of such a layout are checked only if the organization has
 * the ids of all fields of the object or surface. An organization file may lack these ids.
 */
function usesFieldIds(content: DraftContent | undefined): boolean {
  if (content?.stagedFieldDefinitions.some(({ existingFieldDefinitionId }) => existingFieldDefinitionId)) return true;
  const stack: Block[] = [...(content?.blocks ?? [])];
  for (let block = stack.pop(); block; block = stack.pop()) {
    const { ref, children = [] } = block;
    if (ref?.fieldId || ref?.fieldDefinitionId) return true;
    stack.push(...children);
  }
  return false;
}
