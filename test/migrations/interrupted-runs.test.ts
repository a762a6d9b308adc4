/** A signal, another run, or a change of the target stops a run of migrations. */

import { afterEach, describe, expect, it, vi } from "vitest";
import { serverTarget, storeTarget } from "../../src/state/target.ts";
import { openRecord } from "../../src/migrations/open-record.ts";
import { createClient } from "../../src/index.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { LEASE_MS } from "../../src/migrations/hold.ts";
import { Interrupted } from "../../src/terminal/interrupted.ts";
import { join } from "node:path";
import { behindNorthwind } from "../commands/manifests-scene.ts";
import { type MigrateScene, openMigrateScene, PLACES } from "./migrate-scene.ts";

/** A script calls `globalThis.between` between its two steps. */
const TWO_STEPS = `await step("create A", () => service.createForm({ ...object, body: { name: "A", types: ["VIEW"] } }));
    await globalThis.between?.();
    await step("create B", () => service.createForm({ ...object, body: { name: "B", types: ["VIEW"] } }));`;

const between = (work: (() => void | Promise<void>) | undefined) => vi.stubGlobal("between", work);
afterEach(() => void vi.unstubAllGlobals());

const outcomes = ({ results }: Awaited<ReturnType<MigrateScene["migrate"]>>) =>
  results.migrations.map(({ name, outcome }) => `${name} ${outcome}`);

describe.each(PLACES)("a run on %s", (place) => {
  it("that gets a signal ends its request, starts no other, and is continued by the next run", async () => {
    const { cli, script, migrate, entries, forms } = await openMigrateScene(place);
    script("1-two", TWO_STEPS);
    script("2-later", "");
    between(() => cli.ending.abort(new Interrupted("SIGTERM")));
    const stopped = await migrate("run", "--yes");
    expect([stopped.code, outcomes(stopped)]).toEqual([143, ["1-two interrupted", "2-later skipped"]]);
    expect(await entries()).toMatchObject([{ state: "running", steps: [{ name: "create A" }] }]);
    cli.ending = new AbortController();
    between(undefined);
    const continued = await migrate("run", "--yes");
    expect([continued.code, outcomes(continued), await forms()]).toEqual([
      0,
      ["1-two done", "2-later done"],
      ["A", "B"],
    ]);
  });

  it("whose migration another run has taken over stops before its next write", async () => {
    const { cli, script, migrate, entries, forms } = await openMigrateScene(place);
    script("1-two", TWO_STEPS);
    between(() => takeOver(cli, place));
    const stopped = await migrate("run", "--yes");
    expect(stopped.code).toBe(9);
    expect(stopped.results.migrations).toMatchObject([
      { outcome: "partial", steps: ["create A"], error: { code: "MIGRATION_IN_PROGRESS" } },
    ]);
    expect(await forms()).toEqual(["A"]);
    expect(await entries()).toMatchObject([{ state: "running", holder: "another folder", by: "bob@build-8" }]);
    between(undefined);
    const refused = await migrate("run", "--yes");
    expect([refused.code, refused.error().message]).toEqual([
      6,
      "the migration 1-two is running: bob@build-8, since 2026-03-02T09:00:00.000Z",
    ]);
    cli.clock.now = new Date(cli.clock.now.getTime() + 3_600_001);
    expect([(await migrate("run", "--yes")).code, await forms()]).toEqual([0, ["A", "B"]]);
  });

  it("that fails at its first step is not partial, even if an earlier run stopped before this step", async () => {
    const { cli, script, migrate, entries } = await openMigrateScene(place);
    script(
      "1-delete",
      `await globalThis.between?.();
    await step("delete", () => service.deleteForm({ ...object, formId: "frm_unknown" }));`,
    );
    between(() => takeOver(cli, place));
    await migrate("run", "--yes");
    expect(await entries()).toMatchObject([{ state: "running", steps: [] }]);
    between(undefined);
    cli.clock.now = new Date(cli.clock.now.getTime() + 3_600_001);
    const failed = await migrate("run", "--yes");
    expect([failed.code, outcomes(failed)]).toEqual([5, ["1-delete failed"]]);
  });
});

/** Simulates that the machine sleeps until the lease has ended. Then another run takes the migration over. */
async function takeOver(cli: MigrateScene["cli"], place: string): Promise<void> {
  cli.clock.now = new Date(cli.clock.now.getTime() + LEASE_MS);
  const host = { processes: async () => systemProcesses(), sleep: async () => undefined };
  const common = { root: cli.cwd, folder: join(cli.cwd, "migrations"), host, onWarning: () => undefined };
  const change = async (target: Parameters<typeof openRecord>[0]["target"]) => {
    const record = await openRecord({ ...common, target });
    const { entries, revision } = await record.read();
    const heldUntil = new Date(cli.clock.now.getTime() + 3_600_000).toISOString();
    const taken = { holder: "another folder", by: "bob@build-8", heldUntil };
    await record.write(
      entries.map((entry) => ({ ...entry, ...taken })),
      revision,
    );
  };
  if (place === "a server") {
    const baseUrl = cli.env["FORMCTL_BASE_URL"]!;
    const service = createClient({ baseUrl, token: cli.env["FORMCTL_TOKEN"]! });
    await change(serverTarget({ baseUrl, service }));
    await service.close();
  } else {
    await behindNorthwind(cli, (_service, local) =>
      change(storeTarget({ local, store: "local.db", organization: "northwind" })),
    );
  }
}

describe("a run at a terminal", () => {
  it("asks once for all migrations, and changes nothing if the user declines", async () => {
    const { cli, script, entries, forms } = await openMigrateScene("a local store");
    script("1-two", TWO_STEPS);
    script("2-later", "");
    const declined = await cli.answering([false], "migrate", "run");
    expect([declined.code, await entries(), await forms()]).toEqual([8, [], []]);
    const ran = await cli.answering([true], "migrate", "run");
    expect([ran.code, await forms()]).toEqual([0, ["A", "B"]]);
    expect(ran.asked).toHaveLength(1);
    expect(ran.asked[0]).toContain("Run 2 migrations");
    expect(ran.stderr).toContain("1-two (script)");
  });
});
