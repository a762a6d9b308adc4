/** An organization in which every operation succeeds, with a request for each operation. */

import { type Input, type OperationName, operationRow } from "../../src/schemas/operations.ts";
import { fillPath, writeQuery } from "../../src/schemas/wire.ts";
import type { FullService } from "../../src/service.ts";
import { CANDIDATE } from "../contract/forms/world.ts";
import { contractorDraft, contractorPage, fieldBlocks, MAIN } from "../contract/layouts/world.ts";
import type { ContractWorld } from "../contract/provider.ts";

export const ORIGIN = "http://localhost";

type Inputs = { [N in OperationName]: Input<N> };

const draft = { schemaVersion: 1 as const, regions: [MAIN], blocks: fieldBlocks("full_name", "email") };

/**
 * Fills the store:
 * - two forms, one of them the default of VIEW
 * - a page for contractors with an old version, a published version and a draft
 *
 * @returns a valid input for each operation
 */
export async function setScene(world: ContractWorld, service: FullService): Promise<Inputs> {
  const { clock } = world;
  const create = async (name: string) => {
    clock.advance(1000);
    return service.createForm({ ...CANDIDATE, body: { name, types: ["CREATE", "VIEW"] } });
  };
  const form = await create("Candidate intake");
  const other = await create("Candidate profile");
  await service.updateFormDefaults({ ...CANDIDATE, body: { defaultViewFormId: other.id } });
  const { id: layoutId } = await service.createLayout({ body: contractorPage });
  const publish = async (clientMutationId: string) => {
    const body = { clientMutationId, schemaVersion: 1 as const, regions: [MAIN], blocks: contractorDraft.blocks! };
    clock.advance(1000);
    const { draftVersionId } = await service.saveDraft({ layoutId, body });
    return service.publishLayout({ layoutId, body: { clientMutationId, draftVersionId } });
  };
  const { versionId } = await publish("first");
  await publish("second");
  const { draftVersionId } = await service.restoreDraft({ layoutId, versionId, body: { clientMutationId: "third" } });
  const { roles } = (await world.local.show()).organizations.find(({ key }) => key === "northwind")!;
  const again = { clientMutationId: "scene" };
  const ofForm = { ...CANDIDATE, formId: form.id };
  return {
    createForm: { ...CANDIDATE, body: { name: "New", types: ["EDIT"] } },
    listForms: { ...CANDIDATE, query: { limit: 1, sort: [{ field: "name" }] } },
    listAvailableForms: { ...CANDIDATE, query: { type: "VIEW" } },
    updateFormDefaults: { ...CANDIDATE, body: { defaultCreateFormId: form.id } },
    getForm: ofForm,
    updateForm: { ...ofForm, body: { name: "Renamed" } },
    deleteForm: ofForm,
    getFormAccess: ofForm,
    replaceFormAccess: { ...ofForm, body: { users: [], roles: [{ roleId: roles[0]!.id, types: ["VIEW"] }] } },
    createLayout: { body: { ...contractorPage, name: "Second" } },
    listLayouts: { query: { surface: "CONTRACTOR" } },
    getSurfaceDefinitions: {},
    getLayout: { layoutId },
    updateLayout: { layoutId, body: { name: "Renamed" } },
    saveDraft: { layoutId: form.viewLayoutId, body: { ...again, ...draft } },
    publishLayout: { layoutId, body: { ...again, draftVersionId } },
    listVersions: { layoutId },
    getVersion: { layoutId, versionId },
    restoreDraft: { layoutId, versionId, body: again },
    replaceAssignments: { layoutId, body: { ...again, organizationDefault: true } },
    archiveLayout: { layoutId },
    listCurrencies: {},
  };
}

/** An operation's input as a request. */
export function requestOf<N extends OperationName>(
  name: N,
  input: Input<N>,
  headers: Record<string, string> = {},
): Request {
  const row = operationRow(name);
  const { body, query, ...parameters } = input as { body?: unknown; query?: Record<string, unknown> };
  const search = writeQuery(query).toString();
  return new Request(`${ORIGIN}${fillPath(row.path, parameters)}${search && `?${search}`}`, {
    method: row.method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
