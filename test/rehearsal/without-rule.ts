/** A copy of a store in which one rule is switched off, for controls. */

import type { LocalService } from "../../src/local-service.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import { type FullService, ServiceError } from "../../src/service.ts";

/** Returns the copy with operations that answer as if they were done where the service refuses them with this code. */
export function withoutRule(copy: LocalService, code: string): LocalService {
  return {
    ...copy,
    async service(key) {
      const service = await copy.service(key);
      const operations = Object.entries(service).map(([name, call]) => [
        name,
        async (input: never, options: never) => {
          try {
            return await (call as (...given: never[]) => Promise<unknown>)(input, options);
          } catch (error) {
            if (error instanceof ServiceError && error.code === code) return answers[name as OperationName] ?? {};
            throw error;
          }
        },
      ]);
      return Object.fromEntries(operations) as FullService;
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
