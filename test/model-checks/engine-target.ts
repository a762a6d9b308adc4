/** The engine on a store, with the organizations of the model. Many pairs of organizations share a store. */

import { openLocalService } from "../../src/engine/local.ts";
import { ID_PREFIX } from "../../src/engine/ids.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import type { OrganizationFile } from "../../src/schemas/organization.ts";
import { PERMISSIONS, type Permission } from "../../src/schemas/words.ts";
import { type Caller, ServiceError } from "../../src/service.ts";
import type { Store } from "../../src/store/store.ts";
import { Ids } from "../model/compare.ts";
import { emptyState, MEMBERS, type Outcome, OBJECTS, type Request, ROLES } from "../model/model.ts";
import type { Json, Key, State } from "../model/records.ts";

export type Clock = { now: Date };

const READER: readonly Permission[] = ["api.custom_forms.read", "api.view_layouts.read"];

/** A pair of organizations of a target. */
export type Pair = {
  /**
   * Sends a request with the ids of the service.
   *
   * @param how the index of the connection, 0 by default, and where it is cut
   * @returns undefined if the connection was cut, so that the answer did not arrive
   */
  send: (request: Request, how?: { connection?: number; cut?: Cut | undefined }) => Promise<Outcome | undefined>;
  /** The ids of the seeded records. */
  ids: Ids;
  /** Returns the token of the callers of `north`. */
  token: () => Promise<string>;
};

/** Several connections to the same data, such as one per process. */
export class EngineTarget {
  readonly name: string;
  readonly connections: readonly LocalService[];
  /** Opens a connection that is cut. */
  readonly #openings: readonly ((cut: Cut | undefined) => LocalService)[];

  constructor(name: string, stores: readonly Store[], clock: Clock) {
    this.name = name;
    let ids = 0;
    const newId = (kind: keyof typeof ID_PREFIX) => `${ID_PREFIX[kind]}_${(++ids).toString().padStart(8, "0")}`;
    const now = () => clock.now;
    this.connections = stores.map((store) => openLocalService({ store, newId, now }));
    this.#openings = stores.map(
      (store, index) => (cut) =>
        cut ? openLocalService({ store: cutStore(store, cut), newId, now }) : this.connections[index]!,
    );
  }

  /**
   * Adds a pair of organizations whose keys end with `suffix`.
   *
   * @param keys the organizations that are used; the others are not created
   */
  async addPair(suffix: string, keys: readonly Key[] = ["north", "south"]): Promise<Pair> {
    const [local] = this.connections as [LocalService];
    await local.seed({ organizations: keys.map((key) => organization(`${key}-${suffix}`)) });
    const ids = new Ids();
    for (const key of keys) bindSeeded(ids, key, (await local.show(`${key}-${suffix}`)).organizations[0]!);
    const tokens = new Map<string, Promise<string>>();
    const tokenOf = (by: Key, isReader: boolean) => {
      const permissions = isReader ? READER : PERMISSIONS;
      const request = { organization: `${by}-${suffix}`, name: "model", permissions, expiresAt: null };
      const name = `${by} ${isReader}`;
      const token = tokens.get(name) ?? local.createToken(request).then((made) => made.token);
      tokens.set(name, token);
      return token;
    };
    const callers = new Map<string, Promise<Caller>>();
    const callerOf = ({ by, isReader }: Request, connection: number, cut: Cut | undefined) => {
      const name = `${by} ${isReader} ${connection} ${cut}`;
      const open = async () => (await this.#openings[connection]!(cut).authenticate(await tokenOf(by, isReader)))!;
      const caller = callers.get(name) ?? open();
      callers.set(name, caller);
      return caller;
    };
    return {
      ids,
      token: () => tokenOf("north", false),
      send: async (request, { connection = 0, cut } = {}) => send(await callerOf(request, connection, cut), request),
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

/** Where a connection is cut: before a write is sent, in its transaction, or after its commit, before the answer arrives. */
export type Cut = "before" | "during" | "after";

class ConnectionCut extends Error {}

function cutStore(store: Store, cut: Cut): Store {
  return {
    read: (work) => store.read(work),
    async write(work, orgId) {
      if (cut === "before") throw new ConnectionCut();
      await store.write(async (tx) => {
        const result = await work(tx);
        if (cut === "during") throw new ConnectionCut();
        return result;
      }, orgId);
      throw new ConnectionCut();
    },
    close: async () => {},
  };
}

async function send(caller: Caller, request: Request): Promise<Outcome | undefined> {
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
    if (error instanceof ConnectionCut) return undefined;
    // Not an answer of the API: the model never gives it, so it is reported.
    if (!(error instanceof ServiceError)) return { refusal: { failure: (error as Error).stack } };
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
