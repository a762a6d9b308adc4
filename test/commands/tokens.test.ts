/** Tests `formctl local tokens`: the accepted forms of an expiry, and the list of tokens. */

import { describe, expect, it } from "vitest";
import type { TokenView } from "../../src/local-service.ts";
import { openCli } from "./cli.ts";

describe("formctl local tokens create --expires", () => {
  // The clock of the test is at 2026-03-02T09:00:00Z.
  it.each([
    ["30m", "2026-03-02T09:30:00.000Z"],
    ["12h", "2026-03-02T21:00:00.000Z"],
    ["90d", "2026-05-31T09:00:00.000Z"],
    ["2w", "2026-03-16T09:00:00.000Z"],
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31T12:00Z", "2027-01-31T12:00:00.000Z"],
    ["2027-01-31T12:30:15Z", "2027-01-31T12:30:15.000Z"],
  ])("accepts %s", async (expires, expiresAt) => {
    const cli = await openCli();
    const created = await cli.run("local", "tokens", "create", "--name", "ci", "--expires", expires, "-o", "json");
    expect(created.json()).toMatchObject({ expiresAt });
    const listed = (await cli.run("local", "tokens", "list", "-o", "json")).json() as TokenView[];
    expect(listed).toMatchObject([{ name: "ci", expiresAt, lastUsedAt: null }]);
  });

  it.each([
    ["2027-02-31", 64],
    ["2027-01-31T12:00:00", 64],
    ["31.1.2027", 64],
    ["90", 64],
    ["-1d", 64],
    ["2026-03-02", 3],
  ])("refuses %s", async (expires, code) => {
    const cli = await openCli();
    const refused = await cli.run("local", "tokens", "create", "--name", "ci", `--expires=${expires}`);
    expect(refused.code).toBe(code);
    expect((await cli.run("local", "tokens", "list", "-o", "name")).stdout).toBe("");
  });

  it("is printed with the token, and in the list", async () => {
    const cli = await openCli();
    const created = await cli.run("local", "tokens", "create", "--name", "ci", "--expires", "2027-01-31");
    expect(created.stderr).toMatch(/Expires: +2027-01-31T00:00:00Z/);
    expect((await cli.run("local", "tokens", "list")).stdout).toContain("2027-01-31T00:00:00Z");
  });
});
