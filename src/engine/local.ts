/** The service of a local store. It has the operations of the API, and operations without an API endpoint. */

import { PERMISSIONS } from "../schemas/words.ts";
import { nodeCrypto } from "../base/node-modules.ts";
import type { CopyPart, LocalService, LogEntry, LogRequest } from "../local-service.ts";
import { type OperationName, operationRow, operations } from "../schemas/operations.ts";
import { formatToken, TOKEN_BYTES } from "../base/secret.ts";
import { type CallOptions, type FullService, withOperation } from "../service.ts";
import { withDamageCheck } from "../store/damage-check.ts";
import { inOrganization, type OrgTx, type Store, StoreError, type Tx } from "../store/store.ts";
import { emptyTrash, type UploadFiles } from "../store/uploads.ts";
import { answer as engineAnswer, type AnyInput, type Call, type EngineOptions } from "./engine.ts";
import type { NewId } from "./ids.ts";
import { chooseOrganization } from "./setup/choose-organization.ts";
import type { TokenHolders } from "./setup/token-holders.ts";
import { listAudit } from "../store/audit.ts";

export type LocalOptions = {
  store: Store;
  now: () => Date;
  newId: NewId;
  /** Generates the text of a new token. By default, it is random. */
  newToken?: () => string;
  /** Stores uploaded files. If undefined, uploads are refused. */
  files?: UploadFiles;
  /** Opens a private copy of the store: see `LocalService.copy`. If undefined, the store can't be copied. */
  copy?: (growth?: number, part?: CopyPart) => Promise<Store>;
};

/**
 * Opens the service of a local store. Operations without an API endpoint are loaded on first use, because most commands
 * need only the engine. `close` closes the store.
 */
export function openLocalService(options: LocalOptions): LocalService {
  const { newId, files, newToken = randomToken } = options;
  const store = withDamageCheck(options.store);
  const engine: EngineOptions = { ...options, store };
  const now = () => options.now().toISOString();
  let tokenHolders: Promise<TokenHolders> | undefined;

  const answer = async (call: Call): Promise<unknown> => {
    const result = await engineAnswer(engine, call);
    // `deleteForm` listed the files of the uploads in the table `file_trash`. `emptyTrash` deletes these files (R83).
    if (call.name === "deleteForm" && files) await emptyTrash(store, files);
    return result;
  };

  return {
    service: async (key) =>
      administrator(answer, async () => (await store.read((tx) => chooseOrganization(tx, key))).id),
    async authenticate(token, onRefused) {
      tokenHolders ??= import("./setup/token-holders.ts").then(({ openTokenHolders }) =>
        openTokenHolders(store, options.now),
      );
      const holder = await (await tokenHolders).find(token, onRefused);
      return (
        holder && {
          tokenId: holder.tokenId,
          organization: holder.organization,
          isCurrent: holder.isCurrent,
          version: holder.version,
          answer: (name, input, context) => answer({ actor: holder, context, name, input: input as AnyInput }),
        }
      );
    },
    async ping() {
      const { findAnyOrganization } = await import("../store/organizations.ts");
      await store.read((tx) => findAnyOrganization(tx));
    },
    async hasToken() {
      const { hasUnrevokedToken } = await import("../store/tokens.ts");
      return store.read((tx) => hasUnrevokedToken(tx));
    },
    version: () => store.version?.(),
    retries: () => store.retries?.() ?? 0,
    async log(request) {
      return store.read((tx) => listLog(tx, request));
    },

    async seed(file, onProgress) {
      const { seedFile } = await import("./setup/seed.ts");
      return seedFile(store, file, newId, onProgress);
    },
    async transaction(work) {
      const { inTransaction } = await import("./setup/transaction.ts");
      return inTransaction(store, files, (within) => work(openLocalService({ ...options, ...within })));
    },
    async show(key) {
      const { showOrganizations } = await import("./setup/show.ts");
      return { organizations: await store.read((tx) => showOrganizations(tx, key)) };
    },
    async check(onProgress) {
      const { checkStore } = await import("../store/invariants.ts");
      return checkStore(store, onProgress);
    },

    async createToken(request) {
      const { createToken } = await import("./setup/tokens.ts");
      const made = { id: newId("token"), token: newToken(), now: now() };
      return store.write((tx) => createToken(tx, request, made));
    },
    async listTokens(key) {
      const { listTokens } = await import("./setup/tokens.ts");
      return store.read((tx) => listTokens(tx, key));
    },
    async revokeToken(id) {
      const { revokeToken } = await import("./setup/tokens.ts");
      return store.write((tx) => revokeToken(tx, id, now()));
    },

    migrations: (key) => ({
      async read() {
        const { readMigrations } = await import("./setup/migration-record.ts");
        return store.read(async (tx) => readMigrations(await inChosenOrganization(tx, key)));
      },
      async write(entries, revision) {
        const { writeMigrations } = await import("./setup/migration-record.ts");
        const { id } = await store.read((tx) => chooseOrganization(tx, key));
        return store.write((tx) => writeMigrations(inOrganization(tx, id), { entries, revision, newId }), id);
      },
    }),

    holdsFiles: files !== undefined,
    async addUpload(request) {
      const { addUpload } = await import("./setup/uploads.ts");
      if (files) return addUpload(store, files, request, { newId, now: now() });
      throw new StoreError(
        "STORE_UNUSABLE",
        "this store can't hold uploaded files",
        "Use a store in a file: --store PATH",
      );
    },
    async listUploads(formId) {
      const { listUploads } = await import("./setup/uploads.ts");
      return store.read((tx) => listUploads(tx, formId));
    },

    async resolveLayout({ organization, ...question }) {
      const { resolveLayout } = await import("./resolve.ts");
      return store.read(async (tx) => resolveLayout(await inChosenOrganization(tx, organization), question));
    },

    async copy(growth, part) {
      if (!options.copy) {
        throw new StoreError("STORE_UNUSABLE", "this store can't be copied", "Use a store in a file: --store PATH");
      }
      // The copy gets no `files`. Otherwise the deletion of a form in the copy would delete uploaded files of this
      // store.
      const { store: _live, files: _files, copy: _copy, ...rest } = options;
      return openLocalService({ ...rest, store: await options.copy(growth, part) });
    },

    close: () => store.close(),
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

/**
 * Returns the service for an actor with all permissions in one organization. The first operation without a constant
 * response looks up the organization. Constant responses, such as the currencies, work without a store.
 */
function administrator(
  answer: (call: Call) => Promise<unknown>,
  findOrganizationId: () => Promise<string>,
): FullService {
  const permissions = new Set(PERMISSIONS);
  let organizationId: string | undefined;
  const answerOf =
    (name: OperationName) =>
    async (input: AnyInput, context: CallOptions = {}) => {
      context.signal?.throwIfAborted();
      if (!operationRow(name).constant) organizationId ??= await findOrganizationId();
      try {
        return await answer({ actor: { organizationId: organizationId ?? "", permissions }, context, name, input });
      } catch (error) {
        throw withOperation(error, name);
      }
    };
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(names.map((name) => [name, answerOf(name)])) as unknown as FullService;
}

async function inChosenOrganization(tx: Tx, key: string | undefined): Promise<OrgTx> {
  return inOrganization(tx, (await chooseOrganization(tx, key)).id);
}

function randomToken(): string {
  return formatToken(nodeCrypto().randomBytes(TOKEN_BYTES));
}

/** Returns the audit log of one organization or, by default, of all organizations, newest first. */
async function listLog(tx: Tx, { organization, operation, limit }: LogRequest): Promise<LogEntry[]> {
  const orgId = organization === undefined ? undefined : (await chooseOrganization(tx, organization)).id;
  const records = await listAudit(tx, { orgId, operation, limit });
  return records.map((record) => ({
    seq: record.seq,
    at: record.at,
    organization: record.organization_key,
    tokenId: record.token_id,
    tokenName: record.token_name,
    operation: record.operation,
    target: record.target,
    clientMutationId: record.client_mutation_id,
    requestId: record.request_id,
  }));
}
