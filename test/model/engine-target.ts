/** The engine on a store, with the organizations of the model. Many pairs of organizations share a store. */

import { openLocalService } from "../../src/engine/local.ts";
import { ID_PREFIX } from "../../src/engine/ids.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { OrganizationFile } from "../../src/schemas/organization.ts";
import { PERMISSIONS, type Permission } from "../../src/schemas/words.ts";
import { type Caller, ServiceError } from "../../src/service.ts";
import type { Store } from "../../src/store/store.ts";
import { Ids } from "./compare.ts";
import { emptyState, MEMBERS, type Outcome, OBJECTS, type Request, ROLES } from "./model.ts";
import type { Json, Key, State } from "./records.ts";

export type Clock = { now: Date };

const READER: readonly Permission[] = ["api.custom_forms.read", "api.view_layouts.read"];

/** The callers of a pair of organizations, on each connection of a target. */
export type Pair = {
  /** Sends a request on the connection with the index `by`; 0 by default. Ids are those of the service. */
  send: (request: Request, connection?: number) => Promise<Outcome>;
  /** The ids of the seeded records. */
  ids: Ids;
  /** The tokens of the callers: `north`, `south` and `reader`. */
  tokens: Record<string, string>;
};

/** Several connections to the same data, such as one per process. */
export class EngineTarget {
  readonly name: string;
  readonly connections: readonly LocalService[];

  constructor(name: string, stores: readonly Store[], clock: Clock) {
    this.name = name;
    let ids = 0;
    const newId = (kind: keyof typeof ID_PREFIX) => `${ID_PREFIX[kind]}_${(++ids).toString().padStart(8, "0")}`;
    this.connections = stores.map((store) => openLocalService({ store, newId, now: () => clock.now }));
  }

  /** Adds a pair of organizations whose keys end with `suffix`. */
  async addPair(suffix: string): Promise<Pair> {
    const [local] = this.connections as [LocalService];
    const keys: Key[] = ["north", "south"];
    await local.seed({ organizations: keys.map((key) => organization(`${key}-${suffix}`)) });
    const ids = new Ids();
    for (const key of keys) bindSeeded(ids, key, (await local.show(`${key}-${suffix}`)).organizations[0]!);
    const token = async (key: Key, permissions: readonly Permission[]) => {
      const request = { organization: `${key}-${suffix}`, name: "model", permissions, expiresAt: null };
      return (await local.createToken(request)).token;
    };
    const tokens = {
      north: await token("north", PERMISSIONS),
      south: await token("south", PERMISSIONS),
      northReader: await token("north", READER),
      southReader: await token("south", READER),
    };
    const callers = this.connections.map(async (connection) => {
      const found = await Promise.all(
        Object.entries(tokens).map(async ([name, text]) => [name, await connection.authenticate(text)] as const),
      );
      return Object.fromEntries(found) as Record<string, Caller>;
    });
    return {
      ids,
      tokens,
      send: async (request, connection = 0) =>
        send((await callers[connection]!)[`${request.by}${request.isReader ? "Reader" : ""}`]!, request),
    };
  }

  /** @returns the violated invariants, one line each */
  async check(): Promise<string[]> {
    const violations = await this.connections[0]!.check();
    return violations.map(({ invariant, record, detail }) => `${this.name}: ${invariant} of ${record}: ${detail}`);
  }
}

/** The state of the model for a new pair of organizations. */
export function firstState(): State {
  return emptyState((by, record) => modelId(record, by));
}

const modelId = (record: string, by: Key) => `${record}-${by === "north" ? 1 : 2}`;

type Seeded = Awaited<ReturnType<LocalService["show"]>>["organizations"][number];

function bindSeeded(ids: Ids, by: Key, { id, roles, members, modules }: Seeded): void {
  ids.bind(modelId("organization", by), id);
  for (const role of roles) ids.bind(modelId(role.key, by), role.id);
  for (const member of members) ids.bind(modelId(member.email.split("@")[0]!, by), member.id);
  for (const object of modules[0]!.objects) ids.bind(modelId(object.key, by), object.id);
}

async function send(caller: Caller, request: Request): Promise<Outcome> {
  const { operation, input, idempotencyKey } = request;
  let isReplay: boolean | undefined;
  const context = {
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    onReplay: (was: boolean) => (isReplay = was),
  };
  try {
    const result = await caller.answer(operation as OperationName, input, context);
    const answer = result === undefined ? undefined : (JSON.parse(JSON.stringify(result)) as unknown);
    return { answer: comparable(operation, answer), ...(isReplay !== undefined && { isReplay }) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { refusal: JSON.parse(JSON.stringify({ status: error.status, ...error.body })) as Json };
  }
}

/** The part of an answer that the document defines. */
function comparable(operation: string, answer: unknown): unknown {
  if (operation === "listCurrencies") {
    const codes = (answer as { code: string }[]).map(({ code }) => code);
    return { count: codes.length, first: codes[0] };
  }
  if (operation !== "getSurfaceDefinitions") return answer;
  const { surfaces } = answer as { surfaces: Json[] };
  return surfaces.map(({ surface, supportedModes, regions }) => ({ surface, supportedModes, regions }));
}

function organization(key: string): OrganizationFile["organizations"][number] {
  return {
    key,
    name: key,
    roles: ROLES.map((role) => ({ key: role, name: role })),
    members: MEMBERS.map((member) => ({ email: `${member}@${key}.example`, name: member, roles: [] })),
    modules: [
      {
        key: "staffing",
        name: "Staffing",
        objects: OBJECTS.map((object) => ({
          key: object.key,
          name: object.key,
          ...(object.isSubordinate && { kind: "SUBORDINATE" as const, parent: "placement" }),
          fields: object.fields.map(({ options, ...members }) => ({
            ...members,
            name: members.key,
            ...(options.length > 0 && { options }),
          })),
        })),
      },
    ],
  } as OrganizationFile["organizations"][number];
}
