/** Commands that read write nothing: neither on the target, nor into the project. */

import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Cli } from "./cli.ts";
import { openManifestsScene, PLACES } from "./manifests-scene.ts";

const READS = [
  ["validate", "manifests"],
  ["validate", "manifests", "--format", "sarif"],
  ["plan", "manifests"],
  ["plan", "manifests", "--prune", "--no-rehearse", "-o", "json"],
  ["status", "manifests"],
  ["status", "manifests", "--no-publish", "--format", "markdown"],
  ["apply", "manifests", "--dry-run"],
  ["export", "staffing/candidate"],
  ["export", "staffing/candidate", "--into", "manifests", "--dry-run"],
  ["migrate", "status"],
  ["migrate", "plan"],
  ["migrate", "run", "--dry-run"],
  ["forms", "list", "staffing/candidate"],
  ["config", "list"],
];

const MIGRATION = `match: { forms: [Profile] }
edits:
  - setForm: { member: isPublic, value: true }
`;

/** Returns the content and the time of the last change of each file of the project. */
function tree(cli: Cli): Record<string, string> {
  const names = readdirSync(cli.cwd, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(cli.cwd, name);
      const stats = statSync(path);
      return [name, stats.isFile() ? `${stats.mtimeMs} ${readFileSync(path, "utf8")}` : "folder"];
    }),
  );
}

/** Makes all files and folders of the project read-only, or writable again. Root may write anyway. */
function setWritable(cli: Cli, isWritable: boolean): void {
  const paths = ["", ...readdirSync(cli.cwd, { recursive: true, encoding: "utf8" })].map((name) => join(cli.cwd, name));
  for (const path of paths) chmodSync(path, (statSync(path).isDirectory() ? 0o500 : 0o400) | (isWritable ? 0o200 : 0));
}

describe.each(PLACES)("on %s", (place) => {
  it("reads work in a read-only checkout, without and with state, and write nothing", async () => {
    const { cli, writes } = await openManifestsScene(place);
    cli.file("migrations/1-deactivate.yaml", MIGRATION);
    await requireReads();
    await succeeded("apply", "manifests", "--yes");
    await succeeded("migrate", "run", "--yes");
    await requireReads();

    async function requireReads(): Promise<void> {
      setWritable(cli, false);
      onTestFinished(() => setWritable(cli, true));
      const before = { files: tree(cli), writes: await writes() };
      for (const argv of READS) {
        await succeeded(...argv);
        expect([argv, { files: tree(cli), writes: await writes() }]).toEqual([argv, before]);
      }
      setWritable(cli, true);
    }

    async function succeeded(...argv: string[]): Promise<void> {
      const { code, stderr } = await cli.run(...argv);
      expect([argv, code, stderr]).toEqual([argv, 0, expect.any(String)]);
    }
  });

  it("an apply changes the tree and the log, so the comparison finds writes", async () => {
    const { cli, writes } = await openManifestsScene(place);
    const before = { files: tree(cli), writes: await writes() };
    await cli.run("apply", "manifests", "--yes");
    expect(tree(cli)).not.toEqual(before.files);
    expect(await writes()).not.toBe(before.writes);
  });
});
