/** A target for repeated applies of manifests. It is a program with its own store, or a server with such a store. */

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openLocal } from "../../src/composition/local-store.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { type Files, writeFiles } from "../arbitraries/manifest-files.ts";
import { manifestOrganization, manifestReferences } from "../arbitraries/manifest-pages.ts";
import { type Cli, openCli } from "../commands/cli.ts";

export type ConvergingScene = {
  cli: Cli;
  /** Replaces all files of a folder. */
  write(folder: string, files: Files): void;
  /** All files of a folder. */
  read(folder: string): Files;
  /** The number of writes that the service has done. */
  writes(): Promise<number>;
  /** @throws Error if a record in the store violates a rule */
  check(): Promise<void>;
  close(): Promise<void>;
};

export type Place = { name: string; open(): Promise<ConvergingScene> };

const organizations = { organizations: [manifestOrganization] };

async function openScene(): Promise<ConvergingScene> {
  const cli = await openCli(organizations);
  const path = join(cli.home, "local.db");
  const inFolder = (folder: string) => join(cli.cwd, folder);
  return {
    cli,
    write(folder, files) {
      rmSync(inFolder(folder), { recursive: true, force: true });
      mkdirSync(inFolder(folder), { recursive: true });
      writeFiles(inFolder(folder), files);
    },
    read(folder) {
      const entries = readdirSync(inFolder(folder), { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return Object.fromEntries(
        paths.map((file) => [file.slice(inFolder(folder).length + 1), readFileSync(file, "utf8")]),
      );
    },
    async writes() {
      const local = openLocal(path, () => cli.clock.now);
      const [last] = await local.log({ limit: 1 });
      await local.close();
      return last?.seq ?? 0;
    },
    async check() {
      const { code, stdout } = await cli.run("local", "check", "--store", path);
      if (code !== 0) throw new Error(`the store is not sound: ${stdout}`);
    },
    close: async () => undefined,
  };
}

export const inStore: Place = { name: "on the local store", open: openScene };

export const overSocket: Place = {
  name: "on a server",
  async open() {
    const scene = await openScene();
    const { cli } = scene;
    const local = openLocal(join(cli.home, "local.db"), () => cli.clock.now);
    const handler = serviceHandler(local, { host: "127.0.0.1", version: "0.0.0-test" });
    const server = await listen({ host: "127.0.0.1", port: 0, handler });
    const request = { organization: "northwind", name: "test", permissions: PERMISSIONS, expiresAt: null };
    const { token } = await local.createToken(request);
    delete cli.env["FORMCTL_ORGANIZATION"];
    cli.env["FORMCTL_BASE_URL"] = server.url;
    cli.env["FORMCTL_TOKEN"] = token;
    cli.file("formctl.json", { references: { [new URL(server.url).origin]: manifestReferences } });
    return {
      ...scene,
      async close() {
        await server.stop();
        await local.close();
      },
    };
  },
};
