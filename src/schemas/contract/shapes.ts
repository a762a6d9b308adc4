/**
 * The shapes of the answers of a server: the statuses of each operation, and the types of each member. Shapes contain no
 * values. The index of a list is `[]`, and the key of a map is `*`.
 */

import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "../json.ts";
import { parseLimited } from "../json-limits.ts";
import { type OperationName, operations } from "../operations.ts";
import { payloadOf } from "../read-answer.ts";
import type { JsonSchema } from "../schema.ts";
import { allowsType, allowsWord, type Documented, isMap, referenceIn, requiredIn } from "./documented.ts";

/**
 * The types of values.
 *
 * - `absent`: a record lacks the member, which its documentation promises
 * - `unknown word`: a text, or the key of a map, that is not one of the documented words
 * - `unreadable`: the content of the answer is not JSON, or is too large
 * - `unwrapped`: the answer has its record or list at another path than `data`
 */
const TYPES = [
  "string",
  "number",
  "boolean",
  "null",
  "list",
  "object",
  "absent",
  "unknown word",
  "unreadable",
  "unwrapped",
] as const;
export type ShapeType = (typeof TYPES)[number];

/** The types by path. The path of the answer itself is empty. */
type OperationShape = { statuses: number[]; members: Record<string, ShapeType[]> };
export type Shapes = Partial<Record<OperationName, OperationShape>>;

/** The content of an answer that can't be parsed. */
export const UNREADABLE = Symbol("unreadable");

/** An answer of a server. `body` is undefined if the content is unknown. */
export type Observation = { operation: OperationName; status: number; body: unknown };

/** Other names of undocumented members are shown as `*`. Names with digits may be values, such as ids. */
const MEMBER_NAME = /^[A-Za-z][A-Za-z_-]{0,39}$/;
/** A record with more undocumented members counts as a map, whose keys may be values. */
const MAX_UNDOCUMENTED = 20;
/** The number of paths of an operation from which on undocumented members are shown as `*`. */
const MAX_PATHS = 1000;

/** Adds the shape of an answer. Does not change the answer. */
export function observe(shapes: Shapes, documented: Documented, { operation, status, body }: Observation): void {
  // The answer to a request without the permission shows nothing about the operation.
  if (status === 403) return;
  const shape = (shapes[operation] ??= { statuses: [], members: {} });
  if (!shape.statuses.includes(status)) shape.statuses.push(status);
  const schema = documented.answer(operation);
  if (status >= 300 || schema === undefined || body === undefined) return;
  const walker = { documented, members: shape.members, count: Object.keys(shape.members).length };
  const payload = payloadOf(operation, body);
  if (isJsonObject(body) && (payload === undefined || payload === body["data"])) {
    walk(walker, body, schema, { path: "", refs: {} });
  } else if (payload === undefined) note(walker, "", typeOf(body));
  else {
    // The record or list is described at its documented path.
    const meta = isJsonObject(body) ? body["meta"] : undefined;
    walk(walker, { data: payload, ...(meta !== undefined && { meta }) }, schema, { path: "", refs: {} });
    note(walker, "", "unwrapped");
  }
}

type Walker = {
  documented: Documented;
  members: OperationShape["members"];
  /** The number of members. */
  count: number;
};
/** The path of a value, and the paths of the named schemas around it. */
type Position = { path: string; refs: Readonly<Record<string, string>> };

function walk(walker: Walker, value: unknown, schema: JsonSchema, { path: reached, refs: outer }: Position): void {
  const { documented } = walker;
  const reference = referenceIn(schema);
  // A block inside a block has the path of the outer block, so that nesting adds no paths.
  const path = (reference !== undefined && outer[reference]) || reached;
  const refs = reference === undefined ? outer : { ...outer, [reference]: path };
  const type = typeOf(value);
  const options = documented.alternatives(schema);
  const fitting = options.filter((option) => allowsType(option, type));
  const isUnknownWord =
    typeof value === "string" && fitting.length > 0 && fitting.every((one) => !allowsWord(one, value));
  note(walker, path, isUnknownWord ? "unknown word" : type);
  for (const option of fitting) {
    const { items, properties } = option as { items?: JsonSchema; properties?: RecordMembers };
    if (Array.isArray(value) && items) {
      for (const item of value as unknown[]) walk(walker, item, items, { path: `${path}[]`, refs });
    } else if (isJsonObject(value) && isMap(option)) walkMap(walker, value, option, { path, refs });
    else if (isJsonObject(value) && properties) {
      for (const name of requiredIn(option))
        if (value[name] === undefined) note(walker, memberPath(path, name), "absent");
      walkRecord(walker, value, properties, { path, refs });
    }
  }
}

function walkMap(walker: Walker, map: JsonObject, schema: JsonSchema, { path, refs }: Position): void {
  const values = schema["additionalProperties"] as JsonSchema;
  // The values of a free map, such as a config, belong to the users of the server.
  if (Object.keys(values).length === 0) return;
  const names = walker.documented.alternatives(schema["propertyNames"] as JsonSchema);
  for (const [name, value] of Object.entries(map)) {
    if (names.every((one) => !allowsWord(one, name))) note(walker, `${path}.*`, "unknown word");
    walk(walker, value, values, { path: `${path}.*`, refs });
  }
}

type RecordMembers = Readonly<Record<string, JsonSchema>>;

function walkRecord(walker: Walker, record: JsonObject, properties: RecordMembers, { path, refs }: Position): void {
  const isKnown = (name: string) => Object.hasOwn(properties, name);
  const unknown = Object.keys(record).filter((name) => !isKnown(name));
  for (const [name, value] of Object.entries(record)) {
    if (isKnown(name)) walk(walker, value, properties[name]!, { path: memberPath(path, name), refs });
    // The content of an undocumented member is not described: the names in it may be values.
    else {
      const isName = unknown.length <= MAX_UNDOCUMENTED && walker.count < MAX_PATHS && MEMBER_NAME.test(name);
      note(walker, memberPath(path, isName ? name : "*"), typeOf(value));
    }
  }
}

function note(walker: Walker, path: string, type: ShapeType): void {
  const { members } = walker;
  if (!Object.hasOwn(members, path)) {
    members[path] = [];
    walker.count++;
  }
  if (!members[path]!.includes(type)) members[path]!.push(type);
}

function memberPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function typeOf(value: unknown): ShapeType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (value === UNREADABLE) return "unreadable";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** Returns the text of shapes as a file for a repository. Everything is sorted. */
export function shapesText(shapes: Shapes): string {
  const operationsOf = (Object.keys(shapes) as OperationName[]).toSorted().map((name) => {
    const { statuses, members } = shapes[name]!;
    const paths = Object.keys(members).toSorted();
    const sorted = Object.fromEntries(paths.map((path) => [path, members[path]!.toSorted()]));
    return [name, { statuses: statuses.toSorted((a, b) => a - b), members: sorted }];
  });
  return `${JSON.stringify({ contract: 1, operations: Object.fromEntries(operationsOf) as Shapes }, null, 2)}\n`;
}

const ShapeFile = z.object({ statuses: z.array(z.int()), members: z.record(z.string(), z.array(z.enum(TYPES))) });
const ShapesFile = z.object({
  contract: z.literal(1),
  operations: z.partialRecord(z.enum(Object.keys(operations) as OperationName[]), ShapeFile),
});

/** Reads the text of {@link shapesText}. @throws Error if it is another text */
export function readShapes(text: string): Shapes {
  const { success, data } = z.safeParse(ShapesFile, parseLimited(text));
  if (!success) throw new Error("it is not a file of doctor --contract --save");
  return data.operations;
}
