/**
 * Tests that a planted file in .formctl makes no plan skip a read. A repository or a CI cache could plant such a file.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readManifests } from "../../src/index.ts";
import { layoutText } from "./manifests-scene.ts";
import { openCli } from "./cli.ts";

const manifest = (...keys: string[]) => `kind: Form
object: staffing/candidate
name: Profile
types: [VIEW]
layout:
${layoutText(...keys).replaceAll(/^(?=.)/gm, "  ")}`;

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

it("finds a change despite a planted file", async () => {
  const cli = await openCli();
  cli.file("formctl.yaml", "manifests: forms\n");
  cli.file("forms/profile.yaml", manifest("full_name", "email"));
  expect((await cli.run("apply", "--yes")).code).toBe(0);
  const version = await cli.behind(async (service) => {
    const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: {} });
    return data.find(({ name }) => name === "Profile")!.layoutAvailability.VIEW!.versionId;
  });
  cli.file("forms/profile.yaml", manifest("full_name", "email", "phone"));

  // Plants the file that another version of formctl could have written as its cache.
  expect((await cli.run("plan", "--out", "../plan.json")).code).toBe(0);
  const { target: place } = JSON.parse(readFileSync(`${cli.home}/plan.json`, "utf8")) as { target: string };
  const { manifests } = await readManifests({ paths: ["forms"], cwd: cli.cwd, root: cli.cwd, env: {} });
  const { content } = manifests[0]!;
  const key = hash(JSON.stringify(["DYNAMIC_OBJECT", ["VIEW"], true, content]));
  const entries = { "staffing/candidate/Profile": { key, version, content: hash("any") } };
  const name = `${hash(place).slice(0, 16)}.json`;
  cli.file(`.formctl/cache/${name}`, { version: 2, place, entries });

  const planned = await cli.run("plan", "--detailed-exitcode", "-o", "json");
  expect(planned.code).toBe(2);
  expect(planned.json()).toMatchObject({ summary: { update: 1 } });
  expect((await cli.run("status", "--detailed-exitcode")).code).toBe(2);
  expect((await cli.run("apply", "--yes")).code).toBe(0);
  expect((await cli.run("plan", "--detailed-exitcode")).code).toBe(0);
  const shown = await cli.behind(async (service) => {
    const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: {} });
    return data.find(({ name: each }) => each === "Profile")!.layoutAvailability.VIEW!.versionId;
  });
  expect(shown).not.toBe(version);
});
