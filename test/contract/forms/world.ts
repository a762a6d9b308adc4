/**
 * Test worlds for the cases about forms, with short helpers for long requests. The invariants of each store are checked
 * at the end.
 */

import { DEFAULT_KEY, type Permission } from "../../../src/schemas/words.ts";
import { expect } from "vitest";
import type { Form, Mode } from "../../../src/schemas/form.ts";
import type { ErrorBody } from "../../../src/schemas/error-body.ts";
import type { Input, Output } from "../../../src/schemas/operations.ts";
import { ServiceError } from "../../../src/service.ts";
import { inWorldOf, type LayoutReader, layoutReader } from "../in-world.ts";
import type { ContractService, ContractWorld, Provider } from "../provider.ts";

export const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
export const PLACEMENT = { moduleKey: "staffing", objectKey: "placement" };
/** A subordinate object, which is edited through placements. */
export const MILESTONE = { moduleKey: "staffing", objectKey: "placement_milestone" };
/** The object of the other organization. */
export const VISIT = { moduleKey: "care", objectKey: "visit" };

type FormBody = Input<"createForm">["body"];

export type FormsWorld = Pick<ContractWorld, "local" | "clock"> & {
  as: (organizationKey: string, permissions?: readonly Permission[]) => Promise<ContractService>;
  /** An administrator of northwind. */
  service: ContractService;
  reader: LayoutReader;
  /** Creates a form of the candidate object, one second after the previous form. */
  newForm: (name: string, types: readonly Mode[], members?: Partial<FormBody>) => Promise<Form>;
  /** Makes `form` the default of each named mode. */
  makeDefault: (form: Form, ...modes: Mode[]) => Promise<void>;
  /** Saves these blocks as the draft of the form's layout, and publishes the draft. */
  publish: (form: Form, blocks: Blocks) => Promise<void>;
  memberId: (email: string) => Promise<string>;
  roleId: (key: string) => Promise<string>;
};

export const inWorld = inWorldOf(formsWorld);

async function formsWorld(world: ContractWorld, provider: Provider): Promise<FormsWorld> {
  const service = await world.as("northwind");
  let mutations = 0;
  const clientMutationId = () => `forms-case-${++mutations}`;
  const organizations = async () => (await world.local.show()).organizations;
  return {
    local: world.local,
    clock: world.clock,
    as: (organizationKey, permissions) => world.as(organizationKey, permissions),
    service,
    reader: await layoutReader(provider, world, service),
    async newForm(name, types, members = {}) {
      world.clock.advance(1000);
      return service.createForm({ ...CANDIDATE, body: { name, types: [...types], ...members } });
    },
    async makeDefault(form, ...modes) {
      const body = Object.fromEntries(modes.map((mode) => [DEFAULT_KEY[mode], form.id]));
      await service.updateFormDefaults({ ...CANDIDATE, body });
    },
    async publish(form, blocks) {
      const layoutId = form.viewLayoutId;
      const body = { clientMutationId: clientMutationId(), schemaVersion: 1 as const, regions: [MAIN], blocks };
      const { draftVersionId } = await service.saveDraft({ layoutId, body });
      await service.publishLayout({ layoutId, body: { clientMutationId: clientMutationId(), draftVersionId } });
    },
    async memberId(email) {
      const members = (await organizations()).flatMap((organization) => organization.members);
      return members.find((member) => member.email === email)!.id;
    },
    async roleId(key) {
      const roles = (await organizations()).flatMap((organization) => organization.roles);
      return roles.find((role) => role.key === key)!.id;
    },
  };
}

export type Blocks = Input<"saveDraft">["body"]["blocks"];

const MAIN = { key: "main", label: "Main", layout: "grid" as const, columns: 12, displayOrder: 0, config: {} };

/** Returns a field block. Without `modes`, the block has all modes of the layout. */
export function field(fieldKey: string, modes?: Mode[], config: Record<string, unknown> = {}): Blocks[number] {
  return {
    id: `f_${fieldKey}`,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey },
    regionKey: "main",
    config: { label: fieldKey, ...config },
    ...(modes && { supportedModes: modes }),
  };
}

/** Everything that creating a candidate needs. */
export const REQUIRED_FIELDS: Blocks = [field("full_name"), field("email")];

export type Refusal = { status: number; code: string; fields: string[]; body: ErrorBody };

/** Returns the refusal of a request. Fails the test if the request succeeds. */
export async function refusal(request: Promise<unknown>): Promise<Refusal> {
  const error = await request.then(
    () => expect.unreachable("the request was not refused"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw error;
  const fields = Object.keys(error.body.fieldErrors ?? {}).sort();
  return { status: error.status, code: error.code, fields, body: error.body };
}

/** A 400 response whose errors name exactly these fields. */
export function invalidAt(...fields: string[]) {
  return expect.objectContaining({ status: 400, code: "VALIDATION_FAILED", fields: fields.sort() }) as Refusal;
}

export function conflictOf(code: string) {
  return expect.objectContaining({ status: 409, code }) as Refusal;
}

export const MISSING = expect.objectContaining({ status: 404, code: "NOT_FOUND" }) as Refusal;

/** The list row of a form. */
export async function listed(world: FormsWorld, form: Form): Promise<Output<"listForms">["data"][number]> {
  const { data } = await world.service.listForms({ ...CANDIDATE, query: { limit: 100 } });
  return data.find((row) => row.id === form.id)!;
}
