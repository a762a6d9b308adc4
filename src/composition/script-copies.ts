/** Serves copies of a target on this machine, each with its own faults, for the rehearsal of failures. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { FailureCopies, ScriptCopyOptions } from "../commands/command.ts";
import { FormctlError } from "../base/error.ts";
import type { Host } from "../base/host.ts";
import type { LocalService } from "../local-service.ts";
import { copyWholeServer, type ServerCopyOptions } from "../rehearsal/whole-server.ts";
import type { Fault } from "../schemas/fault.ts";
import { openLocal } from "./local-store.ts";
import { serveOnLoopback } from "./loopback.ts";
import type { OpenLocalTarget } from "./local-target.ts";
import { missingUploads } from "./script-copy.ts";
import { openServerCopy } from "./target-copy.ts";

type CopiesOptions = ScriptCopyOptions & Pick<Host, "now"> & { folder: string; version: string };

/** Copies a local store once. Each opened copy is a copy of this file. @throws ORGANIZATION_UNCLEAR */
export async function copiesOfStore(
  { copyTo }: Pick<OpenLocalTarget, "copyTo">,
  organization: string | undefined,
  options: CopiesOptions,
): Promise<FailureCopies> {
  const base = join(options.folder, "target.db");
  const { uploads } = await copyTo(base, organization);
  let copies = 0;
  return {
    unknown: missingUploads(uploads),
    open(faults, onFault) {
      const path = join(options.folder, `copy-${++copies}.db`);
      copyFileSync(base, path);
      return openCopy(openLocal(path, options.now, { serves: true }), organization, { ...options, faults, onFault });
    },
  };
}

/** Reads a server once. Each opened copy has its records. @throws the errors of reading the server */
export async function copiesOfServer(
  source: Pick<ServerCopyOptions, "service">,
  options: CopiesOptions,
): Promise<FailureCopies> {
  const { seed, unknown } = await copyWholeServer({ ...options, ...source });
  return {
    unknown,
    async open(faults, onFault) {
      const local = await openServerCopy(seed, options.now);
      return openCopy(local, seed.organization.key, { ...options, faults, onFault });
    },
  };
}

async function openCopy(
  local: LocalService,
  named: string | undefined,
  { version, concurrency, faults, onFault }: CopiesOptions & { faults: readonly Fault[]; onFault: () => void },
): ReturnType<FailureCopies["open"]> {
  const organization = named ?? (await onlyOrganization(local));
  const server = await serveOnLoopback(local, {
    version,
    name: "rehearsal",
    organization,
    faults: { list: faults, seed: 0, onFault },
  });
  const lastSeq = async () => (await local.log({ organization, limit: 1 }))[0]?.seq ?? 0;
  let seen = await lastSeq();
  return {
    copy: { kind: "remote", baseUrl: server.baseUrl, token: server.token },
    endFaults: server.endFaults,
    async takeWrites() {
      const from = seen;
      seen = await lastSeq();
      const entries = await local.log({ organization, limit: Math.max(1, seen - from) });
      return entries.filter(({ seq }) => seq > from).map(({ operation }) => operation);
    },
    async seed() {
      const service = await local.service(organization);
      const { seed } = await copyWholeServer({
        service,
        organization: undefined,
        nameOf: () => undefined,
        concurrency,
      });
      return seed;
    },
    async close() {
      await server.stop();
      await local.close();
    },
  };
}

/** @throws ORGANIZATION_UNCLEAR if the store does not have exactly one organization */
async function onlyOrganization(local: LocalService): Promise<string> {
  const { organizations } = await local.show();
  const [only, ...others] = organizations.map(({ key }) => key);
  if (only !== undefined && others.length === 0) return only;
  throw new FormctlError(
    "ORGANIZATION_UNCLEAR",
    only === undefined ? "the local store has no organization" : "the local store has several organizations",
    only === undefined ? "Add one: formctl local init --demo" : `Specify one: --organization ${only}`,
  );
}
