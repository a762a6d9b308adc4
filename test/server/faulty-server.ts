/** A server with faults on a new store: the server of `formctl serve --fault`, without its process. */

import { onTestFinished } from "vitest";
import { serve } from "../../src/composition/serve.ts";
import { parseFault } from "../../src/schemas/fault.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";

export async function openFaultyServer(faults: readonly string[], seed = 7) {
  const world = await engineOnSqlite.open();
  const { token } = await world.local.createToken({
    organization: "northwind",
    name: "test",
    permissions: PERMISSIONS,
    expiresAt: null,
  });
  const log: Record<string, unknown>[] = [];
  const server = await serve(world.local, {
    host: "127.0.0.1",
    port: 0,
    version: "test",
    write: (lines) =>
      log.push(...lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as (typeof log)[0]]))),
    faults: { list: faults.map(parseFault), seed },
  });
  onTestFinished(async () => {
    await server.stop();
    await world.close();
  });
  /** The service of the store, without the server and its faults. */
  const service = await world.local.service("northwind");
  const object = { moduleKey: "staffing", objectKey: "candidate" };
  return {
    url: server.url,
    token,
    stop: server.stop,
    log,
    service,
    /** The names of the forms in the store that start with F. */
    async names() {
      const { data } = await service.listForms(object);
      return data.map(({ name }) => name).filter((name) => name.startsWith("F"));
    },
  };
}
