/** Tests `formctl local copy` through command lines, between files and with PostgreSQL. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { postgresOfFile } from "../postgres.ts";
import { openCli } from "./cli.ts";

const server = await postgresOfFile();

describe("local copy", () => {
  it("copies a store into a new file", async () => {
    const cli = await openCli();
    const copied = await cli.run("local", "copy", join(cli.home, "local.db"), "copy.db");
    expect(copied).toMatchObject({ code: 0 });
    expect(copied.stdout).toBe(
      `Copied ${join(cli.home, "local.db")} into ${join(cli.cwd, "copy.db")}: 2 organizations, 0 forms, 0 layouts, 0 versions.\n`,
    );
    const shown = await cli.run("--store", "copy.db", "local", "show", "-o", "json");
    expect(shown.stdout).toBe((await cli.run("local", "show", "-o", "json")).stdout);
  });

  it("copies a store into a database and back, and reports the same for both", async () => {
    const cli = await openCli();
    const form = ["forms", "create", "staffing/candidate", "--name", "Intake", "--types", "CREATE,VIEW"];
    expect(await cli.run(...form)).toMatchObject({ code: 0 });
    const url = new URL(server().url(await server().createDatabase()));
    cli.env["PGPASSWORD"] = url.password;
    url.password = "";
    const file = join(cli.home, "local.db");
    const into = await cli.run("local", "copy", file, url.href, "-o", "json");
    expect(into).toMatchObject({ code: 0 });
    expect(JSON.parse(into.stdout)).toMatchObject({ from: file, counts: { organizations: 2, forms: 1, layouts: 1 } });
    const list = ["forms", "list", "staffing/candidate", "-o", "json"];
    const before = (await cli.run(...list)).stdout;
    expect((await cli.run("--store", url.href, ...list)).stdout).toBe(before);
    expect(await cli.run("--store", url.href, "local", "check")).toMatchObject({ stdout: "No problems found.\n" });
    expect(await cli.run("local", "copy", url.href, "back.db")).toMatchObject({ code: 0 });
    expect((await cli.run("--store", "back.db", ...list)).stdout).toBe(before);

    const again = await cli.run("local", "copy", file, url.href);
    expect(again).toMatchObject({ code: 6, stdout: "" });
    expect(again.stderr).toContain("the store already has records");
  });

  it("refuses a password on the command line, and does not print it", async () => {
    const cli = await openCli();
    const refused = await cli.run("local", "copy", "postgres://me:hidden-word@127.0.0.1/x", "copy.db");
    expect(refused).toMatchObject({ code: 64, stdout: "" });
    expect(refused.stderr).toContain("the URL of the store contains a password");
    expect(refused.stderr).not.toContain("hidden-word");
  });

  it("reports a missing store before it creates another one", async () => {
    const cli = await openCli();
    const missing = await cli.run("local", "copy", "nothing.db", "copy.db");
    expect(missing).toMatchObject({ code: 5, stdout: "" });
    expect(existsSync(join(cli.cwd, "copy.db"))).toBe(false);
  });

  it("refuses an option that selects another store", async () => {
    const cli = await openCli();
    const refused = await cli.run("local", "copy", "a.db", "b.db", "--store", "c.db");
    expect(refused).toMatchObject({ code: 64 });
    expect(refused.stderr).toContain("--store can't be used with FROM and TO");
  });
});
