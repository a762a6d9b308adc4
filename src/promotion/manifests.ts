/**
 * Converts the forms and layouts of the source to manifests for the target. These manifests are the desired state of a
 * promotion. Two problems stop the promotion:
 * - an id without a counterpart: for example, the target does not have the role
 * - a field that the target does not have
 */

import { layoutAddress, formAddress, objectText, type ObjectKey } from "../lists/addresses.ts";
import { walkBlocks } from "../contents/normal.ts";
import type { Exported } from "../export/exported.ts";
import type { Manifest } from "../manifests/manifest.ts";
import type { LoadedManifests } from "../project/project.ts";
import type { KnownRecords, TargetKnowledge } from "../state/target.ts";
import type { Named } from "../manifests/references.ts";
import { openCheck, notRunText } from "../manifests/read/check.ts";
import { manifestOf } from "../manifests/read/read-manifest.ts";
import { plural } from "../base/plural.ts";
import { blockPaths } from "../schemas/block-paths.ts";
import { type FieldScope, fieldsOf } from "../schemas/catalog.ts";
import { type Diagnostic, type Located, sortProblems } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { DraftFile } from "../schemas/draft-schema.ts";
import { customFieldKey, type SeedOrganization } from "../schemas/organization.ts";
import { readShape } from "../schemas/shape.ts";
import { recordText } from "./counterparts.ts";
import { openIdMap, type UnmappedId } from "./ids.ts";
import type { Keeping } from "./keep.ts";
import type { SourceState } from "./source.ts";

/** One side of a promotion: the name in messages, and the records with known names and ids. */
type Known = { name: string; records: KnownRecords };

export type ConvertOptions = {
  source: SourceState;
  from: Known;
  to: Known & { knowledge: TargetKnowledge["knowledge"] };
  /** What the organization file of the target contains. Undefined without such a file. */
  organization?: SeedOrganization | undefined;
  keeping: Keeping;
  /** The name that messages and plans print instead of the file of a manifest. */
  file: string;
};

export type Converted = {
  /** The objects of the source whose forms are all promoted, with their keys on the target. */
  objects: readonly ObjectKey[];
  /** The manifests, with the ids of the target where they are known. */
  loaded: LoadedManifests;
  /** The forms and layouts that can't be promoted, by their address on the target, each with the reason. */
  omitted: ReadonlyMap<string, string>;
  /** Facts such as unreadable parts, by the address of the form or layout on the target. */
  notes: ReadonlyMap<string, readonly string[]>;
  /**
   * The ids that can't be replaced, with addresses on the target. The target has no counterpart of such an id, or
   * several.
   */
  unmapped: readonly UnmappedId[];
  /**
   * The problems that stop a promotion before the target is read. These are missing fields and unmapped ids, except
   * kept ids.
   */
  blocking: readonly Located[];
};

/** Converts the source to manifests. Reads nothing. */
export function convert({ source, from, to, organization, keeping, file }: ConvertOptions): Converted {
  const mapIds = openIdMap(from.records.named, to.records.named, source.exported);
  const check = openCheck(to.knowledge);
  const manifests: Manifest[] = [];
  const unmapped: UnmappedId[] = [];
  const problems: Located[] = [];
  const locate = (address: string, diagnostic: Diagnostic): Located => ({
    ...diagnostic,
    address,
    file,
    line: 1,
    column: 1,
  });
  /** Returns the address on the target, where a module may have another key. */
  const addressOnTarget = ({ address, members }: Exported): string => {
    const { kind, object, name, surface, target } = members;
    const identity = { kind, object, name, surface, target };
    return addressIn(mapIds({ address, members: identity, layout: undefined }).members);
  };
  for (const exported of source.exported) {
    const { members, layout } = exported;
    const address = addressOnTarget(exported);
    const mapped = mapIds({ address, ...keeping.withoutKept(address, { members, layout }) });
    unmapped.push(...mapped.unmapped);
    const content = mapped.layout && contentOf(mapped.layout);
    const read = manifestOf(mapped.members, {
      file,
      locate: (diagnostic) => locate(address, diagnostic),
      ...(content && { content }),
    });
    if ("problems" in read) {
      problems.push(...read.problems);
      continue;
    }
    const { manifest } = read;
    manifests.push(manifest);
    check.add(manifest);
  }
  const objectOnTarget = (object: ObjectKey): ObjectKey => {
    const address = objectText(object);
    const { members, unmapped: own } = mapIds({ address, members: { object: address }, layout: undefined });
    // Without a form of the object, no manifest reports its module, and `prune` would delete forms of another object.
    unmapped.push(...own.filter(({ id }) => !unmapped.some((each) => each.kind === "module" && each.id === id)));
    const [moduleKey = "", objectKey = ""] = String(members["object"]).split("/");
    return { moduleKey, objectKey };
  };
  const objects = source.objects.map(objectOnTarget);
  const checked = check.finish();
  const fieldProblems = [...missingFields(manifests, to.knowledge)].map(([field, uses]) =>
    locate(uses[0].address, missingField(field, uses, { from, to })),
  );
  const idProblems = problemsOfIds(unmapped, from, to).map(([address, each]) => locate(address, each));
  const warnings = idProblems.filter(({ severity }) => severity === "warning");
  return {
    objects,
    loaded: {
      set: { manifests, problems: [], sources: new Map(), files: [] },
      problems: sortProblems([...problems, ...checked.problems, ...warnings]),
      ofContents: checked.ofContents,
      notRun: checked.notRun.map(notRunText),
      ...(organization && { organization }),
      knownOf: (manifest) => check.knownOf(manifest),
    },
    omitted: new Map(source.omitted.map(({ exported, reason }) => [addressOnTarget(exported), reason])),
    notes: new Map(source.exported.map((each) => [addressOnTarget(each), each.notes])),
    unmapped,
    blocking: [...idProblems.filter(({ severity }) => severity === "error"), ...fieldProblems],
  };
}

function contentOf(layout: object): DraftContent | undefined {
  const shape = readShape(DraftFile, layout);
  if (!shape.ok) return undefined;
  const { clientMutationId: _unused, ...content } = shape.value;
  return content;
}

function addressIn(members: Exported["members"]): string {
  const {
    kind,
    object = "",
    name = "",
    surface = "",
    target = {},
  } = members as Record<string, string> & { target?: object };
  return kind === "Form" ? formAddress(object, name) : layoutAddress(surface, target, name);
}

/** Where a layout shows a field: its address, and the path in its manifest. */
type FieldUse = { address: string; path: string };

/**
 * Returns where each missing field is shown, by the name of the field: once for each layout. A missing field does not
 * exist on the target. Empty if the fields of the target are unknown.
 */
function missingFields(
  manifests: readonly Manifest[],
  { organization }: TargetKnowledge["knowledge"],
): Map<string, [FieldUse, ...FieldUse[]]> {
  const missing = new Map<string, [FieldUse, ...FieldUse[]]>();
  if (!organization) return missing;
  // A layout may show a field that another layout creates.
  const created = new Set(manifests.flatMap((manifest) => createdFields(manifest)));
  for (const manifest of manifests) {
    const fields = fieldsOf(organization, fieldScope(manifest));
    if (!fields) continue;
    const known = new Set(fields.map(({ key }) => key));
    for (const [key, path] of shownKeys(manifest)) {
      const name = fieldName(manifest, key);
      if (known.has(key) || created.has(name)) continue;
      const use = { address: manifest.address, path };
      const uses = missing.get(name);
      if (uses) uses.push(use);
      else missing.set(name, [use]);
    }
  }
  return missing;
}

function fieldScope(manifest: Manifest): FieldScope {
  return manifest.kind === "Form" ? { surface: "DYNAMIC_OBJECT", target: manifest.object } : manifest;
}

/** Returns the name of a field as in `references.fields`: `staffing/candidate/email`, `CONTRACTOR/risk_class`. */
function fieldName(manifest: Manifest, key: string): string {
  if (manifest.kind === "Form") return `${objectText(manifest.object)}/${key}`;
  return customFieldKey({ surface: manifest.surface, scopeId: manifest.target.scopeId ?? null, key });
}

function createdFields(manifest: Manifest): string[] {
  const staged = manifest.content?.stagedFieldDefinitions ?? [];
  return staged.flatMap(({ action, key }) =>
    action === "create" && key !== undefined ? [fieldName(manifest, key)] : [],
  );
}

/** Returns the first path of each field and relation that a layout shows, by its key. */
function shownKeys({ content }: Manifest): Map<string, string> {
  const keys = new Map<string, string>();
  const blocks = content?.blocks ?? [];
  const paths = blockPaths(blocks);
  walkBlocks(blocks, ({ id = "", source, ref }) => {
    if (source !== "dynamic_field" && source !== "custom_field" && source !== "dynamic_relation") return;
    for (const member of ["fieldKey", "relationFieldKey"] as const) {
      const key = ref?.[member];
      if (key && !keys.has(key)) keys.set(key, `layout.${paths.get(id) ?? "blocks"}.ref.${member}`);
    }
  });
  return keys;
}

function missingField(
  field: string,
  [first, ...more]: readonly [FieldUse, ...FieldUse[]],
  { from, to }: { from: Known; to: Known },
): Diagnostic {
  const shown = `${first.address}${more.length > 0 ? ` and ${plural(more.length, "other layout")}` : ""}`;
  const message = `${to.name} has no field ${field}. It is shown by ${shown}`;
  const next = `Create the field on ${to.name}, or stage its creation in the layout on ${from.name}`;
  return { ...problem("FIELD_MISSING", `${message}. ${next}`), path: first.path };
}

/**
 * The codes of the problems of a promotion:
 * - ID_UNMAPPED: the target has no counterpart of an id, or several. The ids of forms and layouts never have one
 * - ID_KEPT: an id without a counterpart is not changed, because the target may have the same id
 * - FIELD_MISSING: a layout shows a field that the target does not have
 */
const SEVERITIES = { ID_UNMAPPED: "error", ID_KEPT: "warning", FIELD_MISSING: "error" } as const;

function problem(code: keyof typeof SEVERITIES, message: string): Diagnostic {
  return { severity: SEVERITIES[code], code, message };
}

/** Returns a problem for each id, with the first address and path that contain it. */
function problemsOfIds(unmapped: readonly UnmappedId[], from: Known, to: Known): [string, Diagnostic][] {
  return [...Map.groupBy(unmapped, ({ kind, id }) => `${kind} ${id}`).values()].map((all) => {
    const { address, path } = all[0]!;
    const more = all.length > 1 ? ` (and in ${plural(all.length - 1, "other place")})` : "";
    const code = all.every(({ isKept }) => isKept) ? "ID_KEPT" : "ID_UNMAPPED";
    return [address, { ...problem(code, reasonOf(all[0]!, from, to) + more), path }];
  });
}

function reasonOf({ kind, id, name, counterpart, isKept }: UnmappedId, from: Known, to: Known): string {
  if (kind === "form" || kind === "layout") {
    return `${id} is the id of a ${kind} of ${from.name}, and such ids are not mapped. Remove it, or keep the value of ${to.name} with promote.keep`;
  }
  const what = kind === "other" ? "record" : kind;
  const unchanged = isKept ? "It is promoted unchanged: " : "";
  const text = name === undefined || name === id ? id : `"${name}" (${id})`;
  const subject = `${unchanged}the ${what} ${text} of ${from.name}`;
  const list = (records: readonly Named[]) => records.map(recordText).join(", ");
  const sources = [...new Set([from, to].map(({ records }) => records.source(kind)))].join(" and ");
  const decide = `To decide, give the same ${what} the same name in ${sources}`;
  if (counterpart.state === "ambiguous") {
    const { records } = counterpart;
    return `${subject} may mean ${plural(records.length, what)} of ${to.name}: ${list(records)}. ${decide}`;
  }
  if (counterpart.state === "otherNames") {
    return `${subject} has the id of another ${what} of ${to.name}: ${recordText(counterpart.record)}. ${decide}`;
  }
  if (counterpart.state === "shared") {
    const { record, rivals } = counterpart;
    return `${subject} may mean ${recordText(record)} of ${to.name}, and so may ${list(rivals)}. ${decide}`;
  }
  if (name === undefined) return `${subject} has no name in ${from.records.source(kind)}`;
  const similar = counterpart.similar.length > 0 ? `. Similar: ${list(counterpart.similar)}` : "";
  return `${subject} has no counterpart on ${to.name}: ${to.records.source(kind)} has no such ${what}${similar}`;
}
