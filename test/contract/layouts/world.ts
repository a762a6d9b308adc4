/**
 * Test worlds for the cases about layouts, with short helpers for long requests. The invariants of each store are
 * checked at the end.
 */

import { expect } from "vitest";
import type { Permission } from "../../../src/schemas/words.ts";
import type { Block } from "../../../src/schemas/draft.ts";
import type { Form, Mode } from "../../../src/schemas/form.ts";
import type { Input, Output } from "../../../src/schemas/operations.ts";
import type { FieldView } from "../../../src/schemas/organization.ts";
import { inWorldOf, type LayoutReader, layoutReader } from "../in-world.ts";
import type { ContractService, ContractWorld, Provider } from "../provider.ts";
import { CANDIDATE } from "../forms/world.ts";

export type LayoutBody = Input<"createLayout">["body"];
export type DraftBody = Input<"saveDraft">["body"];
export type PublishBody = Input<"publishLayout">["body"];
export type Layout = Output<"createLayout">;
export type SavedDraft = Output<"saveDraft">;

export type LayoutsWorld = Pick<ContractWorld, "local" | "clock"> & {
  as: (organizationKey: string, permissions?: readonly Permission[]) => Promise<ContractService>;
  /** An administrator of northwind. */
  service: ContractService;
  reader: LayoutReader;
  /** Returns a `clientMutationId` that is unique in this world. */
  mutation: () => { clientMutationId: string };
  /** A new `clientMutationId` for the creation of a layout. Empty if the server does not require one. */
  requiredMutation: () => { clientMutationId?: string };
  /** A new `clientMutationId` for the creation of a layout. Empty if the server does not accept one. */
  acceptedMutation: () => { clientMutationId?: string };
  /** Creates a form of the candidate object, one second after the previous record. */
  newForm: (types: readonly Mode[], name?: string) => Promise<Form>;
  /** Creates a layout, one second after the previous record. By default, the layout is a page for contractors. */
  newLayout: (members?: Partial<LayoutBody>) => Promise<Layout>;
  save: (layoutId: string, members?: Partial<DraftBody>) => Promise<SavedDraft>;
  publish: (
    layoutId: string,
    draftVersionId: string,
    members?: Partial<PublishBody>,
  ) => Promise<Output<"publishLayout">>;
  /** Saves a draft and publishes it. */
  publishNew: (layoutId: string, members?: Partial<DraftBody>) => Promise<Output<"publishLayout">>;
  roleId: (key: string) => Promise<string>;
  /** Returns a field of a northwind object from the store. Returns `undefined` if the field is missing. */
  field: (object: string, key: string) => Promise<FieldView | undefined>;
};

export const inWorld = inWorldOf(layoutsWorld);

/**
 * Over HTTP, replaces the check that an invalid filter is refused. The client filters layouts and surfaces, so the
 * lists must be empty.
 *
 * @returns false if the provider sends the filter. Then nothing is requested
 */
export async function isFilteredHere(
  provider: Provider,
  ...lists: (() => Promise<readonly unknown[]>)[]
): Promise<boolean> {
  if (provider.isEngine) return false;
  for (const list of lists) expect(await list()).toEqual([]);
  return true;
}

async function layoutsWorld(world: ContractWorld, provider: Provider): Promise<LayoutsWorld> {
  const service = await world.as("northwind");
  let mutations = 0;
  const mutation = () => ({ clientMutationId: `layouts-case-${++mutations}` });
  const requiredMutation = () => (provider.requires("createLayout", "clientMutationId") ? mutation() : {});
  const organizations = async () => (await world.local.show()).organizations;
  const save: LayoutsWorld["save"] = (layoutId, members) =>
    service.saveDraft({ layoutId, body: { ...mutation(), ...emptyDraft, ...members } });
  const publish: LayoutsWorld["publish"] = (layoutId, draftVersionId, members) =>
    service.publishLayout({ layoutId, body: { ...mutation(), draftVersionId, ...members } });
  return {
    local: world.local,
    clock: world.clock,
    as: (organizationKey, permissions) => world.as(organizationKey, permissions),
    service,
    reader: await layoutReader(provider, world, service),
    mutation,
    requiredMutation,
    acceptedMutation: () => (provider.accepts("createLayout", "clientMutationId") ? mutation() : {}),
    async newForm(types, name = "Candidate intake") {
      world.clock.advance(1000);
      return service.createForm({ ...CANDIDATE, body: { name, types: [...types] } });
    },
    async newLayout(members) {
      world.clock.advance(1000);
      return service.createLayout({ body: { ...contractorPage, ...requiredMutation(), ...members } });
    },
    save,
    publish,
    async publishNew(layoutId, members) {
      return publish(layoutId, (await save(layoutId, members)).draftVersionId);
    },
    async roleId(key) {
      const roles = (await organizations()).flatMap((organization) => organization.roles);
      return roles.find((role) => role.key === key)!.id;
    },
    async field(object, key) {
      const modules = (await organizations()).flatMap((organization) => organization.modules);
      const objects = modules.flatMap((module) => module.objects);
      return objects.find((one) => one.key === object)!.fields.find((one) => one.key === key);
    },
  };
}

export const contractorPage: LayoutBody = {
  surface: "CONTRACTOR",
  supportedModes: ["VIEW", "EDIT"],
  target: {},
  name: "Contractor card",
};

export const MAIN = { key: "main", label: "Main", layout: "grid" as const, columns: 12, displayOrder: 0, config: {} };

/** A draft with one region and no blocks. */
const emptyDraft = { schemaVersion: 1 as const, regions: [MAIN], blocks: [] };

/** Returns blocks that show the given fields of the object, in the given order. */
export function fieldBlocks(...keys: string[]): Block[] {
  return keys.map((fieldKey, displayOrder) => ({
    id: `f_${fieldKey}`,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey },
    regionKey: "main",
    displayOrder,
    grid: { colSpan: 6 },
    config: { label: fieldKey },
    requiredPolicy: REQUIRED.includes(fieldKey) ? "required" : "optional",
  }));
}

const REQUIRED = ["full_name", "email", "seniority"];

/** A draft without problems for CREATE of the candidate object. */
export const intake: Partial<DraftBody> = { blocks: fieldBlocks("full_name", "email") };

/** A draft without problems for a page for contractors. */
export const contractorDraft: Partial<DraftBody> = {
  blocks: [
    {
      id: "f_risk",
      type: "field",
      source: "custom_field",
      ref: { fieldKey: "risk_class" },
      regionKey: "main",
      displayOrder: 0,
      config: { label: "Risk class" },
    },
  ],
};

/** Returns the codes of a list of messages, sorted. */
export function codesOf(messages: readonly { code: string }[]): string[] {
  return messages.map((message) => message.code).sort();
}
