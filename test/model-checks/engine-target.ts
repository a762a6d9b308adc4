/** The engine on a store, with the organizations of the model. Many pairs of organizations share a store. */

import { ID_PREFIX, type NewId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { LocalService } from "../../src/local-service.ts";
import type { OrganizationFile } from "../../src/schemas/organization.ts";
import { PERMISSIONS, type Permission } from "../../src/schemas/words.ts";
import { Ids } from "../model/compare.ts";
import { emptyState, MEMBERS, type Outcome, OBJECTS, type Request, ROLES } from "../model/model.ts";
import type { Key, State } from "../model/records.ts";
import { connect, type Cut, type Send } from "./engine-connection.ts";
import type { Database } from "./databases.ts";

export type Clock = { now: Date };

const READER: readonly Permission[] = ["api.custom_forms.read", "api.view_layouts.read"];

export type Pair = {
  /**
   * Sends a request with the ids of the service.
   *
   * @param how the index of the connection (default: 0), and the moment of a cut
   * @returns undefined if a cut connection lost the answer
   */
  send: (request: Request, how?: { connection?: number; cut?: Cut | undefined }) => Promise<Outcome | undefined>;
  /** The ids of the seeded records. */
  ids: Ids;
  /** Returns the token of the callers of `north`. */
  token: () => Promise<string>;
};

/** The engine with several connections to the same data: connections of this process, or of other processes. */
export class EngineTarget {
  readonly name: string;
  /** The services of this process. */
  readonly connections: readonly LocalService[];
  readonly #senders: readonly Send[];
  readonly #clock: Clock;

  constructor(name: string, { stores, remotes }: Pick<Database, "stores" | "remotes">, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    let ids = 0;
    const newId: NewId = (kind) => `${ID_PREFIX[kind]}_${(++ids).toString().padStart(8, "0")}`;
    this.connections = stores.map((store) => openLocalService({ store, newId, now: () => clock.now }));
    this.#senders = remotes ?? stores.map((store) => connect(store, newId));
  }

  /** The number of connections that requests can use. */
  get size(): number {
    return this.#senders.length;
  }

  /**
   * Adds a pair of organizations whose keys end with `suffix`.
   *
   * @param keys the organizations to create
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
    return {
      ids,
      token: () => tokenOf("north", false),
      send: async (request, { connection = 0, cut } = {}) => {
        const token = await tokenOf(request.by, request.isReader);
        return this.#senders[connection]!({ token, request, cut, now: this.#clock.now });
      },
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
