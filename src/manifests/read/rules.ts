/** Checks the rules for manifests that need no server: rules for one manifest, and rules for several manifests. */

import { objectText } from "../../lists/addresses.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { type ManifestCode, manifestProblem } from "../problems.ts";
import { nearest } from "../../base/nearest.ts";
import type { ModeWord } from "../../schemas/words.ts";
import { pageAddress } from "../../lists/addresses.ts";
import type { FormManifest, LayoutManifest, Manifest } from "../manifest.ts";

function problem(manifest: Manifest, code: ManifestCode, path: string, message: string): Located {
  return manifest.locate(manifestProblem(code, message, path));
}

/** Checks the modes, defaults, access rows and confirmations of one form. */
export function checkForm(form: FormManifest): Located[] {
  const { types, isActive, defaultFor = [], access } = form;
  const found: Located[] = [];
  const checkModes = (code: ManifestCode, path: string, modes: readonly ModeWord[]) => {
    for (const [index, mode] of modes.entries()) {
      if (types.some((type) => type === mode)) continue;
      const at = `${path}[${index}]`;
      found.push(problem(form, code, at, `${at} is ${mode}, but the types of the form are ${types.join(", ")}`));
    }
  };
  checkModes("DEFAULT_MODE_UNSUPPORTED", "defaultFor", defaultFor);
  if (isActive === false && defaultFor.length > 0) {
    const message = "defaultFor is not empty, but an inactive form can't be a default. Empty it, or activate the form";
    found.push(problem(form, "DEFAULT_INACTIVE", "defaultFor", message));
  }
  for (const list of ["users", "roles"] as const) {
    const rows = access?.[list] ?? [];
    found.push(...checkRepeats(form, "ACCESS_TWICE", `access.${list}`, rows, ". Combine the types in one row"));
    for (const [index, row] of rows.entries()) {
      checkModes("ACCESS_MODE_UNSUPPORTED", `access.${list}[${index}].types`, row.types);
    }
  }
  return [...found, ...checkConfirmed(form)];
}

/** Checks the assignments and confirmations of one layout. */
export function checkLayout(layout: LayoutManifest): Located[] {
  const rows = layout.assignments?.roles ?? [];
  const repeats = checkRepeats(layout, "ASSIGNMENT_TWICE", "assignments.roles", rows, ". Remove one of them");
  return [...repeats, ...checkConfirmed(layout)];
}

/** A row of access or assignments. Exactly one of these members is set. */
type Row = {
  membershipId?: string | undefined;
  member?: string | undefined;
  roleId?: string | undefined;
  role?: string | undefined;
};

function checkRepeats(
  manifest: Manifest,
  code: ManifestCode,
  path: string,
  rows: readonly Row[],
  nextStep: string,
): Located[] {
  const seen = new Map<string, number>();
  return rows.flatMap((row, index) => {
    const member = (["membershipId", "member", "roleId", "role"] as const).find((each) => row[each] !== undefined);
    const value = (member && row[member]) ?? "";
    const first = seen.get(value.toLowerCase());
    if (first === undefined) {
      seen.set(value.toLowerCase(), index);
      return [];
    }
    const at = `${path}[${index}].${member ?? "role"}`;
    return [problem(manifest, code, at, `${at} repeats "${value}" of ${path}[${first}]${nextStep}`)];
  });
}

/** Checks that each confirmation refers to a change that the layout stages. */
function checkConfirmed(manifest: Manifest): Located[] {
  const { confirmFieldChanges, content, layoutFile } = manifest;
  // A layout file that can't be read may stage any change, so every confirmation is accepted.
  if (!content && layoutFile !== undefined) return [];
  const staged = (content?.stagedFieldDefinitions ?? []).map(({ draftId }) => draftId);
  return confirmFieldChanges.flatMap((draftId, index) => {
    if (staged.includes(draftId)) return [];
    const meant = nearest(draftId, staged);
    const nextStep = meant === undefined ? ". Remove it" : `. Did you mean "${meant}"?`;
    const path = `confirmFieldChanges[${index}]`;
    const message = `${path} is "${draftId}", but the layout stages no such change${nextStep}`;
    return [problem(manifest, "CONFIRMATION_UNKNOWN", path, message)];
  });
}

/**
 * Returns the line of a path, such as `candidate.yaml:3`. Messages show this line instead of a value from another file.
 * The value may be secret, and `locate` conceals only the variables of the manifest's own file.
 */
function lineOf(manifest: Manifest, path: string): string {
  const { file, line } = problem(manifest, "MANIFEST_DUPLICATE", path, "");
  return `${file}:${line}`;
}

/**
 * Checks that each name and former name belongs to only one manifest. Also checks that no two different names look the
 * same.
 */
export function checkIdentities(manifests: readonly Manifest[]): Located[] {
  const found: Located[] = [];
  const byAddress = new Map<string, Manifest>();
  const byLook = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const { address } = manifest;
    const first = byAddress.get(address);
    if (first) {
      const message = `"${address}" already has a manifest, at ${lineOf(first, "name")}. Remove one of them, or rename it`;
      found.push(problem(manifest, "MANIFEST_DUPLICATE", "name", message));
      continue;
    }
    byAddress.set(address, manifest);
    const twin = byLook.get(looksLike(address));
    if (twin) {
      const message = `name looks like the name at ${lineOf(twin, "name")}, but differs in case or in similar characters`;
      found.push(problem(manifest, "NAME_TWIN", "name", message));
    } else byLook.set(looksLike(address), manifest);
  }
  return [...found, ...checkRenames(manifests, byAddress)];
}

function checkRenames(manifests: readonly Manifest[], byAddress: ReadonlyMap<string, Manifest>): Located[] {
  const byFormer = new Map<string, Manifest>();
  return manifests.flatMap((manifest) => {
    const { formerAddress } = manifest;
    if (formerAddress === undefined) return [];
    const holder = byAddress.get(formerAddress);
    const other = byFormer.get(formerAddress);
    const clash =
      holder === manifest
        ? "is the current name. Remove it"
        : holder
          ? `is the name of another manifest, at ${lineOf(holder, "name")}. Remove renamedFrom, or rename the other one`
          : other && `is also the former name of the manifest at ${lineOf(other, "renamedFrom")}. Keep one of them`;
    if (clash) return [problem(manifest, "RENAME_CLASH", "renamedFrom", `renamedFrom ${clash}`)];
    byFormer.set(formerAddress, manifest);
    return [];
  });
}

/**
 * Returns the same text for all texts that look alike. Ignores case, Unicode composition, width and invisible
 * characters.
 */
function looksLike(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .normalize("NFKC");
}

/** Checks that each object has at most one default form for each mode. */
export function checkDefaults(manifests: readonly Manifest[]): Located[] {
  const found: Located[] = [];
  const holders = new Map<string, { manifest: Manifest; path: string }>();
  for (const manifest of manifests) {
    if (manifest.kind !== "Form") continue;
    const object = objectText(manifest.object);
    for (const [index, mode] of (manifest.defaultFor ?? []).entries()) {
      const path = `defaultFor[${index}]`;
      const key = `${object} ${mode}`;
      const holder = holders.get(key);
      if (!holder) holders.set(key, { manifest, path });
      else if (holder.manifest.address !== manifest.address) {
        const other = lineOf(holder.manifest, holder.path);
        const message = `${path}: another form is the default of ${object} for ${mode}, at ${other}`;
        found.push(problem(manifest, "DEFAULT_TWICE", path, message));
      }
    }
  }
  return found;
}

/**
 * Checks that each page has at most one organization default layout for each mode. A page is a surface with a target.
 */
export function checkOrganizationDefaults(manifests: readonly Manifest[]): Located[] {
  const found: Located[] = [];
  const holders = new Map<string, Manifest>();
  for (const manifest of manifests) {
    if (manifest.kind !== "Layout" || manifest.assignments?.organizationDefault !== true) continue;
    const path = "assignments.organizationDefault";
    const page = pageAddress(manifest.surface, manifest.target);
    const taken = manifest.supportedModes.find((mode) => {
      const holder = holders.get(`${page} ${mode}`);
      return holder !== undefined && holder.address !== manifest.address;
    });
    if (taken) {
      const other = lineOf(holders.get(`${page} ${taken}`)!, path);
      const message = `${path}: another layout is the organization's default of ${page} for ${taken}, at ${other}`;
      found.push(problem(manifest, "ASSIGNMENT_DEFAULT_TWICE", path, message));
      continue;
    }
    for (const mode of manifest.supportedModes) holders.set(`${page} ${mode}`, manifest);
  }
  return found;
}
