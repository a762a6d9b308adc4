/** The names of scripts and roles in `references` with which a promotion finds their ids. */

import { expect, it } from "vitest";
import {
  applyTo,
  manifestsFor,
  openPromotionScene,
  type PromotionScene,
  referencesOf,
  type TestSide,
} from "./scene.ts";

type NamedBy = "key" | "name";

/** Writes references in which roles and scripts have their keys or their names. */
function writeReferences(scene: PromotionScene, by: NamedBy): void {
  const { staging, production } = scene;
  const references = referencesOf(staging, production);
  for (const { name, organization } of [staging, production]) {
    const ids = (records: readonly { key: string; name: string; id: string }[]) =>
      Object.fromEntries(records.map((record) => [record[by], record.id]));
    Object.assign(references[name]!, { roles: ids(organization.roles), scripts: ids(organization.scripts) });
  }
  scene.writeProject({ references });
}

/** Applies manifests to staging in which a binding has the id or the key of its script, and promotes them. */
async function promoted(bound: "id" | "key", from: (side: TestSide) => string, by: NamedBy) {
  const scene = await openPromotionScene();
  const { cli, staging, production } = scene;
  const { id, key } = staging.organization.scripts[0]!;
  const manifests = Object.entries(manifestsFor(staging)).map(([file, text]) => [
    file,
    bound === "id" ? text : text.replaceAll(id, key),
  ]);
  await applyTo(scene, staging, Object.fromEntries(manifests) as Record<string, string>);
  writeReferences(scene, by);
  const words = ["--from", from(staging), "--to", production.name, "staffing/candidate"];
  const { code, stderr } = await cli.run("promote", ...words, "--dry-run");
  return { code, isUnnamed: stderr.includes(`the script ${key} of staging has no name in references.staging.scripts`) };
}

const inStore = ({ store }: TestSide) => `${store}#northwind`;
const onServer = ({ name }: TestSide) => name;

it.each(["key", "name"] as const)("finds the scripts and roles of a local store by their %s", async (by) => {
  for (const bound of ["id", "key"] as const) expect((await promoted(bound, inStore, by)).code).toBe(0);
});

it("finds a script of a server that a binding names by its key, only by that key", async () => {
  expect(await promoted("key", onServer, "key")).toEqual({ code: 0, isUnnamed: false });
  expect(await promoted("key", onServer, "name")).toEqual({ code: 3, isUnnamed: true });
  expect(await promoted("id", onServer, "name")).toEqual({ code: 0, isUnnamed: false });
});
