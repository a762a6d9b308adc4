/** The cases about permissions for layouts, and about the layouts of other organizations, which are invisible. */

import { type Permission, PERMISSIONS } from "../../../src/schemas/words.ts";
import { describe, expect, it } from "vitest";
import type { OperationName } from "../../../src/schemas/operations.ts";
import { MISSING, refusal } from "../forms/world.ts";
import { isNotOffered } from "../in-world.ts";
import type { ContractService, Provider } from "../provider.ts";
import { contractorDraft, contractorPage, inWorld, type LayoutBody, type LayoutsWorld, MAIN } from "./world.ts";

/** The ids for the requests. `creation` has the members that the server requires for a new layout. */
type Address = { layoutId: string; versionId: string; draftVersionId: string; creation: Partial<LayoutBody> };

const READ: Permission = "api.view_layouts.read";
const MANAGE: Permission = "api.view_layouts.manage";
const PUBLISH: Permission = "api.view_layouts.publish";

const clientMutationId = "permissions";

/** The operations on a layout. Each has a request that succeeds with the required permission. */
const ON_A_LAYOUT: [
  name: string,
  permission: Permission,
  request: (s: ContractService, at: Address) => Promise<unknown>,
][] = [
  ["get", READ, (s, { layoutId }) => s.getLayout({ layoutId })],
  ["list versions", READ, (s, { layoutId }) => s.listVersions({ layoutId })],
  ["get version", READ, (s, { layoutId, versionId }) => s.getVersion({ layoutId, versionId })],
  ["update", MANAGE, (s, { layoutId }) => s.updateLayout({ layoutId, body: { name: "New" } })],
  [
    "save draft",
    MANAGE,
    (s, { layoutId }) =>
      s.saveDraft({ layoutId, body: { clientMutationId, schemaVersion: 1, regions: [MAIN], blocks: [] } }),
  ],
  [
    "restore draft",
    MANAGE,
    (s, { layoutId, versionId }) => s.restoreDraft({ layoutId, versionId, body: { clientMutationId } }),
  ],
  [
    "replace assignments",
    MANAGE,
    (s, { layoutId }) => s.replaceAssignments({ layoutId, body: { clientMutationId, organizationDefault: true } }),
  ],
  ["archive", MANAGE, (s, { layoutId }) => s.archiveLayout({ layoutId })],
  [
    "publish",
    PUBLISH,
    (s, { layoutId, draftVersionId }) => s.publishLayout({ layoutId, body: { clientMutationId, draftVersionId } }),
  ],
];

const REQUESTS: typeof ON_A_LAYOUT = [
  ...ON_A_LAYOUT,
  ["list", READ, (s) => s.listLayouts({})],
  ["get surface definitions", READ, (s) => s.getSurfaceDefinitions({})],
  ["create", MANAGE, (s, { creation }) => s.createLayout({ body: { ...contractorPage, ...creation } })],
];

/** The operations that another server may not support. */
const BEYOND_THE_DOCUMENT: Partial<Record<string, OperationName>> = { get: "getLayout", list: "listLayouts" };

/** A layout with a published version and a draft. */
async function address({ newLayout, publishNew, save, requiredMutation }: LayoutsWorld): Promise<Address> {
  const { id: layoutId } = await newLayout();
  const { versionId } = await publishNew(layoutId, contractorDraft);
  const { draftVersionId } = await save(layoutId, contractorDraft);
  return { layoutId, versionId, draftVersionId, creation: requiredMutation() };
}

export function permissionCases(provider: Provider): void {
  describe("permissions of layouts", () => {
    it.each(REQUESTS)("%s needs %s and nothing else", (name, permission, request) =>
      inWorld(provider, async (world) => {
        const at = await address(world);
        const endpoint = BEYOND_THE_DOCUMENT[name];
        if (endpoint && (await isNotOffered(provider, endpoint, () => request(world.service, at)))) return;
        const others = PERMISSIONS.filter((one) => one !== permission);
        for (const lacking of [[], others]) {
          const refused = await refusal(request(await world.as("northwind", lacking), at));
          expect(refused).toMatchObject({ status: 403, code: "FORBIDDEN" });
          expect(refused.body.message).toContain(permission);
        }
        await request(await world.as("northwind", [permission]), at);
      })(),
    );

    it(
      "are checked before any record is looked up, and the refusal echoes the clientMutationId (R106)",
      inWorld(provider, async ({ as }) => {
        const reader = await as("northwind", [READ]);
        const publish = { clientMutationId: "try", draftVersionId: "" };
        const refused = await refusal(reader.publishLayout({ layoutId: "lay_nobody", body: publish }));
        expect(refused).toMatchObject({ status: 403, body: { clientMutationId: "try" } });
      }),
    );
  });

  describe("another organization's layout", () => {
    it.each(ON_A_LAYOUT)("is missing to %s, with the response for a missing layout (R105)", (_name, _, request) =>
      inWorld(provider, async (world) => {
        const at = await address(world);
        const stranger = await world.as("contoso");
        const foreign = await refusal(request(stranger, at));
        expect(foreign).toEqual(MISSING);
        const never = await refusal(request(stranger, { ...at, layoutId: "lay_nobody" }));
        expect(JSON.stringify(foreign.body).replaceAll(at.layoutId, "lay_nobody")).toBe(JSON.stringify(never.body));
      })(),
    );

    it(
      "has versions that are reported as missing under a layout of the caller's organization",
      inWorld(provider, async (world) => {
        const { versionId } = await address(world);
        const stranger = await world.as("contoso");
        const own = await stranger.createLayout({ body: { ...contractorPage, ...world.requiredMutation() } });
        const at = { layoutId: own.id, versionId };
        const foreign = await refusal(stranger.getVersion(at));
        const never = await refusal(stranger.getVersion({ ...at, versionId: "ver_nobody" }));
        expect(foreign).toEqual(MISSING);
        expect(JSON.stringify(foreign.body).replaceAll(versionId, "ver_nobody")).toBe(JSON.stringify(never.body));
        const restore = stranger.restoreDraft({ ...at, body: { clientMutationId } });
        expect(await refusal(restore)).toEqual(MISSING);
      }),
    );

    it(
      "is reported as missing before the request is validated",
      inWorld(provider, async ({ as, newLayout }) => {
        const { id: layoutId } = await newLayout();
        const stranger = await as("contoso");
        const body = { clientMutationId: "try" } as never;
        const refused = await refusal(stranger.saveDraft({ layoutId, body }));
        expect(refused).toEqual(MISSING);
        expect(refused.body.clientMutationId).toBe("try");
      }),
    );
  });
}
