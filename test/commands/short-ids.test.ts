/** Tests the short ids that lists print on a narrow terminal. Commands accept short ids in place of full ids. */

import { expect, it } from "vitest";
import { newPage, openScene, PROFILE, publishTwice } from "./layouts-scene.ts";

it("are accepted for forms, layouts, versions and tokens", async () => {
  const cli = await openScene();
  await publishTwice(cli);
  const ids = async (...words: string[]) => (await cli.run(...words, "-o", "name")).stdout.trimEnd().split("\n");
  const short = async (...words: string[]) => (await ids(...words))[0]!.slice(0, 10);

  const form = await short("forms", "list", "staffing/candidate");
  expect(form).toMatch(/^frm_\w{6}$/);
  for (const address of [`staffing/candidate/${form}`, form])
    expect((await cli.run("forms", "get", address)).stdout).toContain("Candidate profile");

  const layoutId = await newPage(cli, "Home");
  const layout = layoutId.slice(0, 10);
  expect((await cli.run("layouts", "get", layout, "--query", "id", "--raw")).stdout).toBe(`${layoutId}\n`);
  expect((await cli.run("export", layout)).stdout).toContain("name: Home");
  const renamed = await cli.run("layouts", "update", layout, "--name", "Start", "--query", "name", "--raw");
  expect(renamed.stdout).toBe("Start\n");

  const [, previous = ""] = await ids("layouts", "versions", "list", PROFILE);
  const version = await cli.run("layouts", "versions", "get", PROFILE, previous.slice(0, 10), "-o", "name");
  expect(version.stdout).toBe(`${previous}\n`);

  cli.file("c.yaml", "schemaVersion: 1\nregions: []\nblocks: []\n");
  const [draft = ""] = await ids("layouts", "draft", "push", layout, "c.yaml", "--expect-draft", "none");
  const again = await cli.run("layouts", "draft", "push", layout, "c.yaml", "--expect-draft", draft.slice(0, 10));
  expect(again.stdout).toContain("Saved draft");

  await cli.run("local", "tokens", "create", "--name", "ci");
  const token = await short("local", "tokens", "list");
  expect((await cli.run("local", "tokens", "revoke", token)).stdout).toContain("Revoked the token ci");
});

it("are looked up only if a text may be a short id, and are otherwise sent unchanged", async () => {
  const cli = await openScene();
  for (const text of ["lay_zzzzzz", "lay_aaaaaaaaaaaaaaaaaaaaaaaa"]) {
    const { code, stderr } = await cli.run("layouts", "get", text);
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(text) as string });
  }
});
