/** Copies of a store for controls. They have one rule less than the service, or one rule more. */

import type { LocalService } from "../../src/local-service.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import { localRefusal, mapCalls, ServiceError } from "../../src/service.ts";

type Call = () => Promise<unknown>;

/** Returns the copy without one rule. If the service refuses an operation with `code`, this copy reports a success. */
export function withoutRule(copy: LocalService, code: string): LocalService {
  return withOperations(copy, async (name, call) => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ServiceError && error.code === code) return answers[name] ?? {};
      throw error;
    }
  });
}

/** Returns the copy with an operation that is always refused. */
export function withExtraRule(copy: LocalService, refused: OperationName, code: string): LocalService {
  return withOperations(copy, async (name, call) => {
    if (name === refused) throw localRefusal(409, code, "refused by the control");
    return call();
  });
}

function withOperations(copy: LocalService, run: (name: OperationName, call: Call) => Promise<unknown>): LocalService {
  return {
    ...copy,
    async service(key) {
      const service = await copy.service(key);
      return mapCalls(service, (call, name) => (input, options) => run(name, () => call(input, options)));
    },
  };
}

/** The members of answers that later steps use. */
const answers: Partial<Record<OperationName, object>> = {
  createForm: { id: "frm_control", viewLayoutId: "lay_control" },
  createLayout: { id: "lay_control" },
  saveDraft: { draftVersionId: "ver_control" },
  publishLayout: { versionId: "ver_control" },
  listVersions: [],
};
