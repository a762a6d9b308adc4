/** What manifests must not say beside each other: each claim is held by one of them. */

import type { Located } from "../../schemas/diagnostic.ts";
import { pageAddress } from "../address.ts";
import { manifestProblem } from "../problems.ts";
import type { Manifest } from "../manifest.ts";

/** `candidate.yaml:3`, where `path` of a manifest stands: values of another file are not repeated in a message. */
function placeOf(manifest: Manifest, path: string): string {
  const { file, line } = manifest.locate(manifestProblem("MANIFEST_DUPLICATE", "", path));
  return `${file}:${line}`;
}

/** One manifest for each form and layout, under its name and its former one; and no names that only look different. */
export function checkIdentities(manifests: readonly Manifest[]): Located[] {
  const found: Located[] = [];
  const byAddress = new Map<string, Manifest>();
  const byLook = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const { address, locate } = manifest;
    const first = byAddress.get(address);
    if (first) {
      const message = `"${address}" has a manifest already, at ${placeOf(first, "name")}. Remove one, or give it another name`;
      found.push(locate(manifestProblem("MANIFEST_DUPLICATE", message, "name")));
      continue;
    }
    byAddress.set(address, manifest);
    const twin = byLook.get(looksLike(address));
    if (twin) {
      const message = `name looks like the one at ${placeOf(twin, "name")}, and is another: they differ in case or in characters that look alike`;
      found.push(locate(manifestProblem("NAME_TWIN", message, "name")));
    } else byLook.set(looksLike(address), manifest);
  }
  return [...found, ...checkRenames(manifests, byAddress)];
}

function checkRenames(manifests: readonly Manifest[], byAddress: ReadonlyMap<string, Manifest>): Located[] {
  const found: Located[] = [];
  const byFormer = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const { formerAddress, locate } = manifest;
    if (formerAddress === undefined) continue;
    const holder = byAddress.get(formerAddress);
    const other = byFormer.get(formerAddress);
    const clash =
      holder === manifest
        ? "is the name itself. Remove it"
        : holder
          ? `is the name of another manifest, at ${placeOf(holder, "name")}. Only one of them can be what had this name`
          : other && `is the former name of another manifest too, at ${placeOf(other, "renamedFrom")}`;
    if (clash) found.push(locate(manifestProblem("RENAME_CLASH", `renamedFrom ${clash}`, "renamedFrom")));
    else byFormer.set(formerAddress, manifest);
  }
  return found;
}

/** What people take for the same text: case, composed characters, full width and invisible ones make no difference. */
function looksLike(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .normalize("NFKC");
}

/** An object has one default form for each mode. */
export function checkDefaults(manifests: readonly Manifest[]): Located[] {
  const found: Located[] = [];
  const holders = new Map<string, { manifest: Manifest; path: string }>();
  for (const manifest of manifests) {
    if (manifest.kind !== "Form") continue;
    const { moduleKey, objectKey } = manifest.object;
    for (const [index, mode] of (manifest.defaultFor ?? []).entries()) {
      const path = `defaultFor[${index}]`;
      const claim = `${moduleKey}/${objectKey} ${mode}`;
      const holder = holders.get(claim);
      if (!holder) holders.set(claim, { manifest, path });
      else if (holder.manifest.address !== manifest.address) {
        const message = `${path}: another form is the default of ${moduleKey}/${objectKey} for ${mode}, at ${placeOf(holder.manifest, holder.path)}`;
        found.push(manifest.locate(manifestProblem("DEFAULT_TWICE", message, path)));
      }
    }
  }
  return found;
}

/** A page has one layout for everybody in each mode. */
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
      const place = placeOf(holders.get(`${page} ${taken}`)!, path);
      const message = `${path}: another layout is the organization's default of ${page} for ${taken}, at ${place}`;
      found.push(manifest.locate(manifestProblem("ASSIGNMENT_DEFAULT_TWICE", message, path)));
      continue;
    }
    for (const mode of manifest.supportedModes) holders.set(`${page} ${mode}`, manifest);
  }
  return found;
}
