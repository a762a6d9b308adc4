/** Reads a server for `doctor --contract`: each GET of the API, on a few records. */

import { hasCode } from "../base/error.ts";
import type { ObjectKey } from "../lists/addresses.ts";
import { objectsOf } from "../lists/objects.ts";
import type { Documented } from "../schemas/contract/documented.ts";
import { type Observation, observe, type Shapes, UNREADABLE } from "../schemas/contract/shapes.ts";
import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { payloadOf } from "../schemas/read-answer.ts";
import { ServiceError } from "../service.ts";
import type { CommandContext } from "./command.ts";

/** The largest number of objects, and of records of each list, that are read. */
const MAX_RECORDS = 3;

/** An operation without a description, and the reason. */
export type NotLookedAt = { operation: OperationName; reason: string };

type Ids = Readonly<Record<string, string>>;
type Call = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

export const readOperations = (Object.keys(operations) as OperationName[]).filter(
  (name) => operationRow(name).method === "GET",
);

/**
 * Sends GETs only, and none for which the token lacks the permission. A reader may refuse an answer, so the ids of the
 * next requests come from the unread answers.
 *
 * @throws ServiceError if the server refuses the token or each request; NoAnswer if it can't be reached
 */
export async function readServer(
  context: CommandContext,
  documented: Documented,
): Promise<{ shapes: Shapes; notLookedAt: NotLookedAt[] }> {
  const shapes: Shapes = {};
  const reasons = new Map<OperationName, string>();
  const denied = new Set<string>();
  let records: JsonObject[] = [];
  let failure: unknown;
  const service = await context.server.observed((answer) => {
    records.push(...recordsIn(answer));
    observe(shapes, documented, { ...answer, body: answer.body ?? UNREADABLE });
  });

  /** Returns the records of the answer. */
  async function read(name: OperationName, ids: Ids = {}, query?: object): Promise<JsonObject[]> {
    const { permission } = operationRow(name);
    records = [];
    try {
      if (!denied.has(permission ?? "")) await (service[name] as Call)({ ...ids, ...(query && { query }) });
      else reasons.set(name, lacking(permission));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 403) denied.add(permission ?? "");
      failure ??= error;
      const reason = reasonOf(error, lacking(permission));
      if (reason !== undefined) reasons.set(name, reason);
    }
    return records;
  }

  await read("listCurrencies");
  await read("getSurfaceDefinitions");
  const layouts = await read("listLayouts");
  const layoutIds = new Set<string>();
  for (const object of objectsFor(context, layouts)) {
    await read("listAvailableForms", object);
    for (const formId of idsOf(await read("listForms", object, { limit: 20 }))) {
      for (const layoutId of idsOf(await read("getForm", { ...object, formId }), "viewLayoutId"))
        layoutIds.add(layoutId);
      await read("getFormAccess", { ...object, formId });
    }
  }
  for (const layoutId of new Set([...layoutIds, ...idsOf(layouts)])) {
    await read("getLayout", { layoutId });
    for (const versionId of idsOf(await read("listVersions", { layoutId }))) {
      await read("getVersion", { layoutId, versionId });
    }
  }
  if (Object.values(shapes).every(({ statuses }) => statuses.every((status) => status >= 400))) throw failure;
  const notLookedAt = readOperations
    .filter((name) => reasons.has(name) || shapes[name] === undefined)
    .map((operation) => ({ operation, reason: reasons.get(operation) ?? missingRecord(operation) }));
  return { shapes, notLookedAt };
}

function lacking(permission: string | null): string {
  return `the token lacks ${permission ?? "a permission"}`;
}

/**
 * Returns the reason why an answer shows nothing. Undefined for an answer that was looked at. The message of a refusal
 * is not used: it can contain values.
 */
function reasonOf(error: unknown, noPermission: string): string | undefined {
  if (hasCode(error, "ANSWER_UNREADABLE", "NOT_THE_API", "LIST_INCOMPLETE", "LIST_TOO_LONG")) return undefined;
  if (!(error instanceof ServiceError) || error.status === 401) throw error;
  return error.status === 403 ? noPermission : `the server answers ${error.status}`;
}

function recordsIn({ operation, status, body }: Observation): JsonObject[] {
  if (status >= 300) return [];
  const payload = payloadOf(operation, body);
  return (Array.isArray(payload) ? (payload as unknown[]) : [payload])
    .filter(isJsonObject)
    .map(({ id, viewLayoutId, target }) => ({ id, viewLayoutId, target: isJsonObject(target) ? { ...target } : {} }));
}

function idsOf(records: readonly JsonObject[], member = "id"): string[] {
  const ids = records.map((record) => record[member]).filter((id) => typeof id === "string" || typeof id === "number");
  return ids.slice(0, MAX_RECORDS).map(String);
}

function objectsFor({ settings }: CommandContext, layouts: readonly JsonObject[]): ObjectKey[] {
  const [moduleKey, objectKey] = settings.get("object")?.split("/") ?? [];
  if (moduleKey && objectKey) return [{ moduleKey, objectKey }];
  return objectsOf(layouts as Parameters<typeof objectsOf>[0])
    .filter((object) => Object.values(object).every((key) => typeof key === "string"))
    .slice(0, MAX_RECORDS);
}

function missingRecord(operation: OperationName): string {
  const { path } = operationRow(operation);
  if (path.includes(":formId")) return "no form was found";
  if (path.includes(":objectKey")) return "no object was found. Set one: formctl config set object MODULE/OBJECT";
  return path.includes(":versionId") ? "no version was found" : "no layout was found";
}
