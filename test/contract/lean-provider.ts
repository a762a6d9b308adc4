/**
 * Runs the contract suite on servers that send less than ours, or other shapes: client → adapter → server handler →
 * engine.
 *
 * Each call of a case uses the client. This module checks the client's result for all cases. The result must contain
 * everything that the server sent. It must contain nothing that no response contained.
 *
 * Then the case gets the complete record from our handler, and checks the effect of the call. If the client throws a
 * refusal, the case gets the refusal.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { filtered } from "../../src/client/reads.ts";
import { httpService } from "../../src/client/http-service.ts";
import { isJsonObject } from "../../src/schemas/json.ts";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { type Permission, PERMISSIONS } from "../../src/schemas/words.ts";
import { Secret } from "../../src/base/secret.ts";
import { fillPath } from "../../src/schemas/wire.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { type CallOptions, NotConfirmed, type Service } from "../../src/service.ts";
import { inventedIn, lostIn, membersOf } from "./answer-check.ts";
import { engineOnSqlite } from "./engine-provider.ts";
import { fetchOf } from "./in-process.ts";
import type { ContractService, Extent, Provider } from "./provider.ts";
import { accepts, type Exchange, pick, serverOf, type ServerTable } from "./server-table.ts";

export type LeanServer = {
  name: string;
  /** Returns the operations of the simulated server for one store. */
  table: () => ServerTable;
  notConfirmed: AllowedComplaints;
  /** Parameters that the client adds, although this server refuses them. The client continues without them. */
  unasked: Unasked;
};

type Unasked = Partial<Record<OperationName, readonly string[]>>;

/** The expected errors of the client, by operation. */
type AllowedComplaints = Partial<Record<OperationName, RegExp>>;

type AnyCall = (input: AnyInput, options?: CallOptions) => Promise<unknown>;
type AnyInput = Readonly<Record<string, unknown>>;
type Outcome = { value: unknown } | { error: unknown };

/** The requests and responses of the current call. */
const exchanges = new AsyncLocalStorage<Exchange[]>();

/** @param tampered introduces a fault into the client, to prove that the check detects the fault */
export function overLeanServer(
  { name, table, notConfirmed, unasked }: LeanServer,
  tampered: (client: Service) => Service = (client) => client,
): Provider {
  return {
    name,
    ...extentOf(table()),
    async open() {
      const world = await engineOnSqlite.open();
      const rows = table();
      const handler = serverOf(
        rows,
        serviceHandler(world.local, { host: "127.0.0.1", version: "test" }),
        (exchange) => void exchanges.getStore()?.push(exchange),
      );
      return {
        ...world,
        async as(organization, permissions = PERMISSIONS) {
          const { token } = await world.local.createToken({
            organization,
            name: "contract",
            permissions,
            expiresAt: null,
          });
          const client = httpService({
            baseUrl: "http://localhost",
            token: new Secret(token),
            fetch: fetchOf(handler),
            deadline: 20_000,
            now: () => new Date(),
            sleep: async () => undefined,
            random: () => 0.5,
          });
          return checkedService(tampered(client), { rows, permissions, notConfirmed, unasked });
        },
      };
    },
  };
}

function extentOf(rows: ServerTable): Extent {
  return {
    offers: (name) => rows[name] !== null,
    accepts: (name, member) => accepts(rows, name, member),
    requires: (name, member) => rows[name]?.required?.includes(member) ?? false,
    idempotencyKeys: false,
  };
}

type Checking = Pick<LeanServer, "notConfirmed" | "unasked"> & {
  rows: ServerTable;
  permissions: readonly Permission[];
};

/** Returns the client's service. Each result is checked and then replaced by the complete record. */
function checkedService(client: Service, checking: Checking): ContractService {
  const { rows, permissions, notConfirmed, unasked } = checking;
  const calls = (Object.keys(operations) as OperationName[]).map((name) => {
    const call: AnyCall = async (input, options) => {
      const sent: Exchange[] = [];
      const outcome = await exchanges.run(sent, () => outcomeOf((client[name] as AnyCall)(input, options)));
      const request = unknownRequest(name, input, sent, unasked);
      if (request !== undefined) throw new Error(`${name}: the client sends ${request}`);
      const main = mainExchange(name, input, sent);
      if ((!main || main.status >= 400) && "error" in outcome) throw outcome.error;
      const { completed, derived = [] } = rows[name] ?? {};
      const readable = completed && permissions.includes(completed.permission) ? completed.members : [];
      // The client filters some lists itself, so the expected lists are filtered too. The cases check the content of
      // the filtered lists.
      const narrowed = (value: unknown) =>
        isJsonObject(value) || Array.isArray(value) ? filtered(name, input, value) : value;
      const shown = main && narrowed(shownBy(name, main));
      const truth = main && narrowed(truthOf(name, main));
      const complaint = complaintAbout(outcome, { main, shown, truth, sent, readable, derived });
      if (complaint !== undefined && notConfirmed[name]?.test(complaint) !== true)
        throw new Error(`${name}: ${complaint}`, "error" in outcome ? { cause: outcome.error } : {});
      return truth;
    };
    return [name, call];
  });
  return Object.fromEntries(calls) as ContractService;
}

/** Describes a parameter that the client added, if the server does not accept the parameter. */
function unknownRequest(
  name: OperationName,
  { query = {}, body = {} }: AnyInput,
  sent: readonly Exchange[],
  unasked: Unasked,
): string | undefined {
  const asked = [...Object.keys(query as object), ...Object.keys(body as object)];
  for (const exchange of sent) {
    const known = [...(unasked[exchange.name] ?? []), ...(exchange.name === name ? asked : [])];
    const refused = exchange.refused.filter((member) => !known.includes(member));
    if (refused.length > 0) return `${refused.join(", ")} to ${exchange.name}`;
  }
  return undefined;
}

function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  return call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** Returns the main request of the operation. The other requests only complete the result. */
function mainExchange(name: OperationName, input: AnyInput, sent: readonly Exchange[]): Exchange | undefined {
  const row = operationRow(name);
  const own = sent.filter((exchange) => exchange.name === name && exchange.path === fillPath(row.path, input));
  return row.method === "GET" ? own[0] : own.at(-1);
}

function truthOf(name: OperationName, { ours }: Exchange): unknown {
  if (!isJsonObject(ours)) return undefined;
  return operationRow(name).paged ? ours : ours["data"];
}

/** Returns the sent data at the position that the data has in the client's result. */
function shownBy(name: OperationName, { shown }: Exchange): unknown {
  if (!isJsonObject(shown)) return undefined;
  if (operationRow(name).paged) return shown;
  const { data } = shown;
  return name === "getSurfaceDefinitions" && Array.isArray(data) ? { surfaces: data } : data;
}

type Expectation = {
  main: Exchange | undefined;
  /** `shown` is the content of the main response. `truth` is the complete record. */
  shown: unknown;
  truth: unknown;
  sent: readonly Exchange[];
  /** The members that the client can read with further requests. */
  readable: readonly string[];
  /** The members that the client can derive from the response. */
  derived: readonly string[];
};

function complaintAbout(
  outcome: Outcome,
  { main, shown, truth, sent, readable, derived }: Expectation,
): string | undefined {
  if (!main || main.status >= 400) return `the server refuses (${main?.status}), and the client answers`;
  if ("error" in outcome) {
    // The response was empty, and the client can't read the record. So the client reports only that the server accepted
    // the write.
    if (shown === undefined && readable.length === 0 && outcome.error instanceof NotConfirmed) return undefined;
    return `the server answers ${main.status}, and the client throws ${String(outcome.error)}`;
  }
  const answer: unknown = outcome.value;
  const lost = shown === undefined ? undefined : lostIn(answer, shown);
  if (lost !== undefined) return `the client loses ${lost || "the answer"}`;
  const seen = membersOf(sent.map((exchange) => exchange.shown));
  const invented = inventedIn(answer, { shown: withDerived(shown, truth, derived), truth, seen });
  if (invented !== undefined) return `the client invents ${invented || "an answer"}`;
  const missing = [...readable, ...derived].filter((member) => !isJsonObject(answer) || answer[member] === undefined);
  return missing.length > 0 ? `the client does not know ${missing.join(", ")}` : undefined;
}

/** Adds the members that follow from the response and from the request, such as the requested page. */
function withDerived(shown: unknown, truth: unknown, derived: readonly string[]): unknown {
  if (!isJsonObject(truth) || Array.isArray(shown)) return shown;
  const record = isJsonObject(shown) ? shown : {};
  const page = isJsonObject(truth["meta"]) && {
    meta: { ...pick(truth["meta"], "page", "limit"), ...Object(record["meta"]) },
  };
  return { ...pick(truth, ...derived), ...record, ...page };
}
