/** Completes the answer of a write that was accepted: what another server leaves out is read, and never invented. */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import type { LayoutVersion } from "../schemas/layout.ts";
import type { OperationName } from "../schemas/operations.ts";
import { type Service, readLayout } from "../service.ts";
import { publishedAs, readDefaults } from "./read-back.ts";

/**
 * @param known the output as far as it could be read
 * @param json the whole answer
 * @returns undefined where the output can't be completed
 */
export async function fillIn(
  service: Service,
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  known: unknown,
  json: unknown,
): Promise<{ value: unknown } | undefined> {
  const names = input as { moduleKey: string; objectKey: string; formId: string; layoutId: string };
  const { moduleKey, objectKey, layoutId } = names;
  switch (name) {
    case "saveDraft":
    case "restoreDraft":
      return savedDraft(service, layoutId, isJsonObject(known) ? known : {});
    case "publishLayout": {
      if (isJsonObject(known) && known["publishedVersion"] && known["validation"]) return { value: known };
      const { draftVersionId } = input["body"] as { draftVersionId: string };
      const version = await findVersion(service, layoutId, ({ id }) => id === draftVersionId);
      if (version?.status !== "PUBLISHED") return undefined;
      return { value: { ...(known as object | undefined), ...(await publishedAs(service, layoutId, version)) } };
    }
    default:
  }
  if (known !== undefined) return { value: known };
  const id = idIn(json);
  switch (name) {
    case "createForm":
      return id === undefined ? undefined : { value: await service.getForm({ moduleKey, objectKey, formId: id }) };
    case "updateForm":
      return { value: await service.getForm({ moduleKey, objectKey, formId: names.formId }) };
    case "replaceFormAccess":
      return { value: await service.getFormAccess({ moduleKey, objectKey, formId: names.formId }) };
    case "updateFormDefaults":
      return found(await readDefaults(service, names));
    case "updateLayout":
    case "replaceAssignments":
      return found(await readLayout(service, layoutId));
    default:
      return undefined;
  }
}

async function savedDraft(
  service: Service,
  layoutId: string,
  known: JsonObject,
): Promise<{ value: unknown } | undefined> {
  if (known["draftVersion"] && known["validation"]) return { value: known };
  const wanted = known["draftVersionId"];
  const isDraft = ({ id, status }: LayoutVersion) => (wanted === undefined ? status === "DRAFT" : id === wanted);
  const listed = await findVersion(service, layoutId, isDraft);
  const isBare = listed && !known["validation"] && !(listed as Partial<LayoutVersion>).validation;
  const draft = isBare ? await service.getVersion({ layoutId, versionId: listed.id }) : listed;
  // A draft that says nothing of its state is not called valid.
  const validation = known["validation"] ?? draft?.validation;
  if (!draft || !validation) return undefined;
  return { value: { ...known, draftVersionId: draft.id, draftVersion: draft, validation } };
}

async function findVersion(
  service: Service,
  layoutId: string,
  isWanted: (version: LayoutVersion) => boolean,
): Promise<LayoutVersion | undefined> {
  return (await service.listVersions({ layoutId })).find(isWanted);
}

function found<T>(value: T | undefined): { value: T } | undefined {
  return value === undefined ? undefined : { value };
}

function idIn(json: unknown): string | undefined {
  const record = isJsonObject(json) && isJsonObject(json["data"]) ? json["data"] : json;
  const id = isJsonObject(record) ? record["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}
