/**
 * Compares the shapes of a server with the documented shapes, and finds out whether a difference breaks formctl. For
 * that, the readers of answers read a documented answer with the difference in it. So no list repeats what they need.
 */

import { InvalidAnswer } from "../answer-shape.ts";
import { DraftContent } from "../draft-schema.ts";
import type { JsonObject } from "../json.ts";
import { type OperationName, operationRow } from "../operations.ts";
import { readAnswer } from "../read-answer.ts";
import { refusalsOf } from "../refusals.ts";
import type { JsonSchema } from "../schema.ts";
import { type Documented, isMap, referenceIn, typesOf } from "./documented.ts";
import type { Shapes, ShapeType } from "./shapes.ts";

const GROUPS = ["canBreak", "new", "harmless"] as const;

export type ContractFinding = {
  operation: OperationName;
  /** The path in the answer. Empty for the answer itself and for a status. */
  path: string;
  kind: "unknownMember" | "missingMember" | "otherType" | "unknownStatus" | "unknownWord";
  group: (typeof GROUPS)[number];
  /** The difference, without values of the answer. */
  difference: string;
  /** What formctl does about it. */
  effect: string;
};

type Found = Pick<ContractFinding, "path" | "kind" | "difference"> & {
  /** The types that differ. */
  types: readonly ShapeType[];
  /** What formctl does if the readers accept the difference. */
  accepted: string;
};

const FAILS = "commands that read it fail";

/** Returns the differences, the most serious ones first. */
export function judge(shapes: Shapes, documented: Documented): ContractFinding[] {
  const findings = (Object.keys(shapes) as OperationName[]).flatMap((operation) => [
    ...shapes[operation]!.statuses.flatMap((status) => judgeStatus(operation, status)),
    ...judgeMembers(operation, shapes[operation]!.members, documented),
  ]);
  return GROUPS.flatMap((group) => findings.filter((finding) => finding.group === group));
}

function judgeStatus(operation: OperationName, status: number): ContractFinding[] {
  const row = operationRow(operation);
  if (status === row.status || refusalsOf(operation).some((one) => one === status)) return [];
  const as = (group: ContractFinding["group"], effect: string): ContractFinding[] => [
    { operation, path: "", kind: "unknownStatus", group, difference: `status ${status}`, effect },
  ];
  if (status === 404 || status === 405) {
    return row.extension
      ? as("harmless", "commands show what they can read without it")
      : as("canBreak", "commands that need it fail");
  }
  if (status >= 400) return as("new", "reported as a refusal");
  if (status < 200 || status >= 300) return as("canBreak", "commands that need it fail");
  if (row.method === "GET" && (status === 204 || status === 205)) return as("canBreak", FAILS);
  return as("new", `read like ${row.status}`);
}

function judgeMembers(
  operation: OperationName,
  members: Readonly<Record<string, readonly ShapeType[]>>,
  documented: Documented,
): ContractFinding[] {
  const schema = documented.answer(operation);
  if (schema === undefined) return [];
  const found = Object.entries(members).flatMap(([path, types]) => differences(path, types, schema, documented));
  const sample = sampleOf(schema, documented, new Set());
  const isReadable = (others: readonly Found[], one: Found) =>
    one.types.every((type) => canRead(operation, sample, [...others, { ...one, types: [type] }]));
  const breaking = new Set(found.filter((one) => isAddition(one) && !isReadable([], one)));
  const additions = found.filter((one) => isAddition(one) && !breaking.has(one));
  const structural = found.filter((one) => !isAddition(one));
  // A member with another name can replace a missing one, such as the id of a version. So the additions are kept.
  for (const one of structural) if (!isReadable(additions, one)) breaking.add(one);
  if (breaking.size === 0 && !canRead(operation, sample, found)) for (const one of structural) breaking.add(one);
  return found.map((one) => {
    const { path, kind, difference, accepted } = one;
    const isBreaking = breaking.has(one);
    const harmless = kind === "missingMember" || kind === "otherType" ? "harmless" : "new";
    return {
      operation,
      path,
      kind,
      group: isBreaking ? "canBreak" : harmless,
      difference,
      effect: isBreaking ? FAILS : accepted,
    };
  });
}

function isAddition({ kind }: Pick<Found, "kind">): boolean {
  return kind === "unknownMember" || kind === "unknownWord";
}

function differences(
  path: string,
  unordered: readonly ShapeType[],
  schema: JsonSchema,
  documented: Documented,
): Found[] {
  const options = schemasAt(path, schema, documented);
  const types = unordered.toSorted();
  if (options === undefined) {
    const difference = `unknown member (${types.join(", ")})`;
    return [{ path, kind: "unknownMember", types, difference, accepted: unknownEffect(path) }];
  }
  const allowed: string[] = [...new Set(options.flatMap((option) => typesOf(option) ?? [...types]))];
  return types.flatMap((type): Found[] => {
    const found = (kind: Found["kind"], difference: string, accepted: string) => [
      { path, kind, types: [type], difference, accepted },
    ];
    if (type === "absent")
      return found("missingMember", types.length === 1 ? "missing" : "missing in some answers", "shown as unknown");
    if (type === "unknown word")
      return found("unknownWord", path.endsWith(".*") ? "unknown key" : "unknown word", "kept and printed");
    if (type === "unwrapped") return found("otherType", "not in data", "found elsewhere");
    return allowed.includes(type) ? [] : found("otherType", `${type} instead of ${allowed.join(" or ")}`, "accepted");
  });
}

/** The members of a draft. A command that changes a part of a draft sends the rest of it as it was read. */
const DRAFT_MEMBER = new RegExp(String.raw`(^|\.)(${Object.keys(DraftContent.shape).join("|")})(\[\]|\.)`);
/** The rows of access are replaced as a whole, with the documented members only. */
const ACCESS_ROW = /^data\.(users|roles)\[\]\./;

function unknownEffect(path: string): string {
  if (DRAFT_MEMBER.test(path)) return "kept on write";
  return ACCESS_ROW.test(path) ? "lost when access is changed" : "ignored";
}

const STEP = /[^.[\]]+|\[\]/g;

/** Returns the documented alternatives at a path. Undefined if the path is not documented. */
function schemasAt(path: string, schema: JsonSchema, documented: Documented): JsonSchema[] | undefined {
  let found = documented.alternatives(schema);
  for (const [step] of path.matchAll(STEP)) {
    const next = found.map((option) => childOf(option, step)).filter((child) => child !== undefined);
    if (next.length === 0) return undefined;
    found = next.flatMap((child) => documented.alternatives(child));
  }
  return found;
}

function childOf(schema: JsonSchema, step: string): JsonSchema | undefined {
  if (step === "[]") return schema["items"] as JsonSchema | undefined;
  if (isMap(schema)) return step === "*" ? (schema["additionalProperties"] as JsonSchema) : undefined;
  const { properties = {} } = schema as { properties?: Record<string, JsonSchema> };
  return Object.hasOwn(properties, step) ? properties[step] : undefined;
}

/** Returns an answer with each documented member, one item in each list, and one entry in each map. */
function sampleOf(schema: JsonSchema, documented: Documented, refs: ReadonlySet<string>): unknown {
  const reference = referenceIn(schema);
  if (reference !== undefined && refs.has(reference)) return undefined;
  const inside = reference === undefined ? refs : new Set([...refs, reference]);
  const [option = {}] = documented.alternatives(schema);
  const sample = (child: JsonSchema) => sampleOf(child, documented, inside);
  if (isMap(option)) {
    const [names = {}] = documented.alternatives(option["propertyNames"] as JsonSchema);
    return { [String(sample(names))]: sample(option["additionalProperties"] as JsonSchema) };
  }
  const { properties, items } = option as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  if (properties) {
    const members = Object.entries(properties).map(([name, child]) => [name, sample(child)] as const);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  if (items) return [sample(items)].filter((item) => item !== undefined);
  const [word] = (option["enum"] as unknown[] | undefined) ?? [];
  return word ?? SAMPLES[(typesOf(option)?.[0] ?? "string") as ShapeType]();
}

const SAMPLES: Readonly<Record<ShapeType, () => unknown>> = {
  string: () => "x",
  "unknown word": () => "x",
  number: () => 1,
  boolean: () => true,
  null: () => null,
  list: () => [],
  object: () => ({}),
  absent: () => undefined,
  unreadable: () => undefined,
  unwrapped: () => ({}),
};

function canRead(operation: OperationName, sample: unknown, changes: readonly Found[]): boolean {
  const answer = { "": structuredClone(sample) };
  for (const change of changes) if (!change.types.includes("unwrapped")) apply(answer, change);
  try {
    readAnswer(operation, answer[""], { page: 1, limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof InvalidAnswer) return false;
    throw error;
  }
}

/** Changes a sample. Does nothing if another change has removed the record or list that contains the value. */
function apply(answer: JsonObject, { path, kind, types: [type = "null"] }: Found): void {
  const steps = ["", ...[...path.matchAll(STEP)].map(([step]) => step)];
  let holder: unknown = answer;
  for (const [index, step] of steps.entries()) {
    if (typeof holder !== "object" || holder === null) return;
    const members = holder as JsonObject;
    const [first = "*"] = Object.keys(members);
    const key = step === "[]" || step === "*" ? first : step;
    const value = SAMPLES[type]();
    if (index < steps.length - 1) holder = members[key];
    // An undocumented member or key is added to the documented ones.
    else if (step === "*" && kind !== "otherType") members["*"] = kind === "unknownWord" ? members[first] : value;
    else if (value === undefined) delete members[key];
    else members[key] = value;
  }
}

/** The differences that only one of two lists of findings has. */
export type ContractChanges = { added: ContractFinding[]; removed: ContractFinding[] };

/**
 * Returns the differences that were added and removed since the shapes were saved. A difference of an answer, or of a
 * record, that the current shapes lack counts as unchanged: it was not looked at.
 */
export function compare(saved: Shapes, current: Shapes, documented: Documented): ContractChanges {
  const [before, after] = [judge(saved, documented), judge(current, documented)];
  const keyOf = ({ operation, path, kind }: ContractFinding) => JSON.stringify([operation, path, kind]);
  const only = (those: readonly ContractFinding[], others: readonly ContractFinding[]) => {
    const known = Map.groupBy(others, keyOf);
    return those.filter((one) => !known.get(keyOf(one))?.some((other) => isSame(one, other)));
  };
  const wasLookedAt = ({ operation, path, kind }: ContractFinding) => {
    const members = current[operation]?.members;
    if (members === undefined || kind === "unknownWord") return false;
    return kind === "unknownStatus" || members[parentOf(path)] !== undefined;
  };
  return { added: only(after, before), removed: only(before, after).filter(wasLookedAt) };
}

/**
 * Whether two findings of the same path and kind are equal. Records may differ in what they lack, and an undocumented
 * member may be null in some of them.
 */
function isSame(one: ContractFinding, other: ContractFinding): boolean {
  if (one.kind === "missingMember") return true;
  const [types, others] = [one, other].map(({ difference }) => difference.replace(/\bnull, |, null\b/, ""));
  return types === others || (one.kind === "unknownMember" && [types, others].includes("unknown member (null)"));
}

function parentOf(path: string): string {
  return path.replace(/(^|\.)[^.[\]]+$|\[\]$/, "");
}
