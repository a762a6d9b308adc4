/** A project with migration files, on a local store and on a server in front of one. */

import type { Results } from "../../src/commands/migrate/results.ts";
import type { MigrationEntry } from "../../src/migrations/record.ts";
import { openRecord } from "../../src/migrations/open-record.ts";
import { storeTarget, serverTarget } from "../../src/state/target.ts";
import { createClient } from "../../src/index.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { join } from "node:path";
import { type Cli, openCli, type Outcome } from "../commands/cli.ts";
import { behindNorthwind, PLACES, type Place } from "../commands/manifests-scene.ts";
import { openRemoteScene } from "../commands/remote-scene.ts";

export { PLACES, type Place };

export type MigrateScene = {
  cli: Cli;
  place: Place;
  /** Writes a migration file. @returns the name of the migration */
  script: (name: string, body: string, down?: string) => string;
  migrate: (...words: string[]) => Promise<Outcome & { results: Results }>;
  entries: () => Promise<readonly MigrationEntry[]>;
  /** The names of the forms of candidates. */
  forms: () => Promise<string[]>;
};

const OBJECT = `const object = { moduleKey: "staffing", objectKey: "candidate" };\n`;

export async function openMigrateScene(place: Place): Promise<MigrateScene> {
  const cli = place === "a server" ? (await openRemoteScene()).cli : await openCli();
  return {
    cli,
    place,
    script(name, body, down) {
      const reversal = down === undefined ? "" : `  async down(service, step, answers) {\n${down}\n  },\n`;
      cli.file(
        `migrations/${name}.ts`,
        `import { defineMigration } from "formctl";\n${OBJECT}export default defineMigration({\n  async run(service, step) {\n${body}\n  },\n${reversal}});\n`,
      );
      return name;
    },
    async migrate(...words) {
      const outcome = await cli.run("migrate", ...words, "-o", "json");
      return { ...outcome, results: (outcome.stdout === "" ? undefined : outcome.json()) as Results };
    },
    entries: () => readEntries(cli, place),
    forms: () =>
      behindNorthwind(cli, async (service) =>
        (await service.listForms({ moduleKey: "staffing", objectKey: "candidate" })).data
          .map(({ name }) => name)
          .toSorted(),
      ),
  };
}

async function readEntries(cli: Cli, place: Place): Promise<readonly MigrationEntry[]> {
  const root = cli.cwd;
  const host = { processes: async () => systemProcesses(), sleep: async () => undefined };
  const options = { root, folder: join(root, "migrations"), host, onWarning: () => undefined };
  if (place === "a server") {
    const baseUrl = cli.env["FORMCTL_BASE_URL"]!;
    const client = createClient({ baseUrl, token: cli.env["FORMCTL_TOKEN"]! });
    try {
      return (await (await openRecord({ ...options, target: serverTarget({ baseUrl, service: client }) })).read())
        .entries;
    } finally {
      await client.close();
    }
  }
  return behindNorthwind(cli, async (_service, local) => {
    const target = storeTarget({ local, store: "local.db", organization: "northwind" });
    return (await (await openRecord({ ...options, target })).read()).entries;
  });
}
