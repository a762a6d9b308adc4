/** The store and its server: encrypted connections, and a server that stops and starts again. */

import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sql from "sql-template-tag";
import { beforeAll, describe, expect, it } from "vitest";
import { createPostgres, openPostgres, type PostgresOptions } from "../../../src/store/postgres/postgres.ts";
import type { Store, Tx } from "../../../src/store/store.ts";
import { newAuthority } from "../../e2e/certificates.ts";
import { postgresOfFile } from "../../postgres.ts";
import type { PostgresServer } from "../../postgres-server.ts";
import { temporaryFolders } from "../../temporary.ts";

const newFolder = temporaryFolders();
const serverOfFile = await postgresOfFile({ isDurable: true });

const countOrganizations = (tx: Tx) => tx.first<{ n: number }>(sql`SELECT count(*) AS n FROM organizations`);
const addOrganization = (id: string) => (tx: Tx) =>
  tx.run(sql`INSERT INTO organizations (id, key, name) VALUES (${id}, ${id}, ${id})`);

async function withStore<T>(url: string, work: (store: Store) => Promise<T>, options?: PostgresOptions): Promise<T> {
  const store = openPostgres(url, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

describe("a server that stops", () => {
  it.each(["SIGKILL", "SIGINT"] as const)(
    "after %s is unreachable, and is used again as soon as it runs",
    async (signal) => {
      const server = serverOfFile();
      const url = server.url(await server.createDatabase());
      await createPostgres(url);
      await withStore(
        url,
        async (store) => {
          await store.write(addOrganization("before"));
          process.kill(server.pid(), signal);
          await expect
            .poll(() => store.read(countOrganizations).catch(({ code }: { code: string }) => code))
            .toBe("STORE_UNREACHABLE");
          await expect(store.write(addOrganization("lost"))).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
          await server.start();
          await store.write(addOrganization("after"));
          expect(await store.read(countOrganizations)).toEqual({ n: 2 });
        },
        { connections: 5 },
      );
    },
  );
});

it.each(["127.0.0.1", "localhost"])("names the reason if nothing listens at %s", async (host) => {
  const read = withStore(`postgres://u@${host}:1/db`, (store) => store.read(countOrganizations));
  await expect(read).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: `can't connect to postgres://u@${host}:1/db: ECONNREFUSED`,
  });
});

describe("TLS", () => {
  const authority = newAuthority("Test authority");
  const files = { ca: "", other: "" };
  let server: PostgresServer;
  let at: (parameters: string, host?: string) => string;

  beforeAll(async () => {
    server = serverOfFile();
    if (!server) return;
    const folder = newFolder();
    files.ca = join(folder, "ca.pem");
    files.other = join(folder, "other.pem");
    writeFileSync(files.ca, authority.cert);
    writeFileSync(files.other, newAuthority("Another authority").cert);
    const { uid, gid } = statSync(server.folder);
    for (const [name, text] of Object.entries(authority.issue({ host: "localhost" }))) {
      const path = join(server.folder, `server.${name}`);
      writeFileSync(path, text, { mode: 0o600 });
      chownSync(path, uid, gid);
    }
    const url = server.url(await server.createDatabase());
    await createPostgres(url);
    at = (parameters, host = "localhost") => `${url.replace("127.0.0.1", host)}?${parameters}`;
  });

  const isEncrypted = (url: string) =>
    withStore(url, (store) =>
      store.read(async (tx) => {
        const row = await tx.first<{ ssl: string }>(
          sql`SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
        );
        return row?.ssl === "true";
      }),
    );

  it("is required where the URL requires it", async () => {
    await expect(isEncrypted(at("sslmode=require"))).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("has no TLS") as string,
    });
    expect(await isEncrypted(at("sslmode=disable"))).toBe(false);
  });

  it("verifies the authority and the host", async () => {
    for (const setting of ["ssl_cert_file = 'server.cert'", "ssl_key_file = 'server.key'", "ssl = on"])
      await server.query(`ALTER SYSTEM SET ${setting}`);
    await server.query("SELECT pg_reload_conf()");
    await expect.poll(() => isEncrypted(at("sslmode=require")).catch(String)).toBe(true);
    expect(await isEncrypted(at(`sslmode=verify-full&sslrootcert=${files.ca}`))).toBe(true);
    expect(await isEncrypted(at(`sslmode=verify-ca&sslrootcert=${files.ca}`, "127.0.0.1"))).toBe(true);
    for (const wrong of [
      at(`sslmode=verify-full&sslrootcert=${files.ca}`, "127.0.0.1"),
      at(`sslmode=verify-full&sslrootcert=${files.other}`),
      at(`sslmode=verify-ca&sslrootcert=${files.other}`),
      at("sslmode=verify-full"),
    ]) {
      await expect(isEncrypted(wrong)).rejects.toMatchObject({
        code: "STORE_UNREACHABLE",
        message: expect.stringContaining("is not trusted") as string,
      });
    }
  });
});
