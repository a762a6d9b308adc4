/** The control of the chaos runs: a faulty client that repeats every failed request. */

import { exchange } from "../../src/client/exchange.ts";
import { refusal } from "../../src/client/error-answer.ts";
import type { Fetch } from "../../src/client/fetch.ts";
import { tokenHider } from "../../src/client/hide-token.ts";
import { readAnswer } from "../../src/schemas/read-answer.ts";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { fillPath } from "../../src/schemas/wire.ts";
import { type FullService, mapCalls, type Service } from "../../src/service.ts";

export function blindService(baseUrl: string, token: string, fetch: Fetch, deadline: number): FullService {
  const hide = tokenHider(token);
  const call = async (name: OperationName, input: Record<string, unknown>) => {
    const row = operationRow(name);
    const request = {
      method: row.method,
      url: `${baseUrl}${fillPath(row.path, input)}`,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(input["body"] !== undefined && { body: JSON.stringify(input["body"]) }),
    };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await exchange(fetch, request, { milliseconds: deadline, hide });
        if (answer.status >= 400) throw refusal(answer);
        const value = answer.body.kind === "json" ? answer.body.value : {};
        return readAnswer(name, value, { page: 1, limit: 20 });
      } catch (error) {
        if (attempt === 4) throw error;
      }
    }
  };
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(
    names.map((name) => [name, (input: Record<string, unknown>) => call(name, input)]),
  ) as unknown as FullService;
}

/** Replaces the id of each write that has one, so that the server recognizes no repeated write. */
export function withNewMutationIds<S extends Service>(service: S, newId: () => string): S {
  return mapCalls(service, (call) => (input) => {
    const body = input.body as { clientMutationId?: string } | undefined;
    return call(
      body?.clientMutationId === undefined ? input : { ...input, body: { ...body, clientMutationId: newId() } },
    );
  });
}
