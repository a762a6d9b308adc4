/** The service and what surrounds it, over one store: local mode and `formctl serve` are made of this. */

import { randomBytes } from "node:crypto";
import type { LocalService } from "../local-service.ts";
import { OrganizationFile } from "../schemas/organization.ts";
import { type OperationName, operationRow, operations, PERMISSIONS } from "../schemas/operations.ts";
import { readShape } from "../schemas/shape.ts";
import { formatToken, TOKEN_BYTES } from "../schemas/token.ts";
import type { Service } from "../service.ts";
import { checkStore } from "../store/invariants.ts";
import { type Store, StoreError } from "../store/store.ts";
import { emptyTrash, type UploadFiles } from "../store/upload-files.ts";
import { createEngine } from "./engine.ts";
import type { NewId } from "./ids.ts";
import { invalid } from "./refuse.ts";
import { resolveLayout } from "./resolve.ts";
import { chooseOrganization } from "./setup/choose-organization.ts";
import { seedOrganizations } from "./setup/seed.ts";
import { showOrganizations } from "./setup/show.ts";
import { createToken, findTokenHolder, listTokens, revokeToken } from "./setup/tokens.ts";
import { addUpload, listUploads } from "./setup/uploads.ts";
import type { Actor } from "./world.ts";

export type LocalOptions = {
  store: Store;
  now: () => Date;
  newId: NewId;
  /** A new secret; random unless told. */
  newToken?: () => string;
  /** Where uploaded files rest. Without it the store takes none. */
  files?: UploadFiles;
  /** Told when a request was answered from memory and nothing was done again. */
  onReplay?: () => void;
};

/** `close` closes the store. */
export function openLocalService(options: LocalOptions): LocalService {
  const { store, newId, files, newToken = randomToken } = options;
  const engine = createEngine(options);
  const now = () => options.now().toISOString();

  const as = (actor: Actor): Service => {
    const service = engine.as(actor);
    if (!files) return service;
    return {
      ...service,
      async deleteForm(input) {
        await service.deleteForm(input);
        // The rows are gone by now, and the files' paths wait in the trash (R83).
        await emptyTrash(store, files);
      },
    };
  };

  return {
    service: async (key) => administrator(as, async () => (await store.read((tx) => chooseOrganization(tx, key))).id),
    async authenticate(token) {
      const holder = await findTokenHolder(store, token, now());
      return holder && as(holder);
    },

    async seed(file) {
      const shape = readShape(OrganizationFile, file);
      if (!shape.ok) throw invalid(shape.problems);
      return store.write((tx) => seedOrganizations(tx, shape.value, newId));
    },
    show: () => store.read(async (tx) => ({ organizations: await showOrganizations(tx) })),
    check: () => checkStore(store),

    createToken: (request) =>
      store.write((tx) => createToken(tx, request, { id: newId("token"), token: newToken(), now: now() })),
    listTokens: (key) => store.read((tx) => listTokens(tx, key)),
    revokeToken: (id) => store.write((tx) => revokeToken(tx, id, now())),

    async addUpload(request) {
      if (files) return addUpload(store, files, request, { newId, now: now() });
      throw new StoreError(
        "STORE_UNUSABLE",
        "this store has no place for uploaded files",
        "Use a store in a file: --store PATH",
      );
    },
    listUploads: (formId) => store.read((tx) => listUploads(tx, formId)),

    resolveLayout: ({ organization, ...request }) =>
      store.read(async (tx) => resolveLayout(tx, (await chooseOrganization(tx, organization)).id, request)),

    close: () => store.close(),
  };
}

/**
 * Somebody who may do everything in one organization. Which one is asked at the first operation that reads a record:
 * a constant answer, such as the currencies, is given where there is no store yet.
 */
function administrator(as: (actor: Actor) => Service, findOrganizationId: () => Promise<string>): Service {
  const permissions = new Set(PERMISSIONS);
  const anywhere = as({ organizationId: "", permissions });
  let within: Service | undefined;
  const answer = async (name: OperationName, input: never) => {
    if (operationRow(name).constant) return anywhere[name](input);
    within ??= as({ organizationId: await findOrganizationId(), permissions });
    return within[name](input);
  };
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(names.map((name) => [name, (input: never) => answer(name, input)])) as unknown as Service;
}

function randomToken(): string {
  return formatToken(randomBytes(TOKEN_BYTES));
}
