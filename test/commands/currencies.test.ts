/** Tests `formctl currencies` through command lines. */

import { describe, expect, it } from "vitest";
import { openCli } from "./cli.ts";

describe("currencies list", () => {
  it("lists the whole catalog as records with a code and a name", async () => {
    const cli = await openCli();
    const { code, json, stderr } = await cli.run("currencies", "list", "--json");
    const currencies = json() as { code: string; name: string }[];
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(currencies.length).toBeGreaterThan(150);
    expect(currencies).toContainEqual({ code: "EUR", name: "Euro" });
  });

  it("answers without a store", async () => {
    const cli = await openCli(null);
    delete cli.env["FORMCTL_ORGANIZATION"];
    const { code, stdout } = await cli.run("currencies", "list", "-o", "name");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toContain("PLN");
  });

  it.each(["zlot", "ZLOT", " pln "])("finds a currency by code or name in any case: %j", async (text) => {
    const cli = await openCli();
    const { stdout } = await cli.run("currencies", "list", "--search", text);
    expect(stdout).toBe("CODE  NAME\nPLN   Zloty\n");
  });

  it("reports on stderr that nothing matches", async () => {
    const cli = await openCli();
    const { code, stdout, stderr } = await cli.run("currencies", "list", "--search", "doubloon");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("No currency matches");
  });
});

describe("currencies get", () => {
  it("shows a currency by its code in any case", async () => {
    const cli = await openCli();
    expect((await cli.run("currencies", "get", "eur", "--json")).json()).toEqual({ code: "EUR", name: "Euro" });
    expect((await cli.run("currencies", "get", "EUR")).stdout).toBe("Code:  EUR\nName:  Euro\n");
    expect((await cli.run("currencies", "get", "EUR", "-o", "name")).stdout).toBe("EUR\n");
  });

  it.each([
    ["EUT", "Did you mean EUR (Euro)? formctl currencies get EUR"],
    ["QQQ", "List the currencies: formctl currencies list"],
  ])("offers the nearest currency to %s", async (wanted, hint) => {
    const cli = await openCli();
    const outcome = await cli.run("currencies", "get", wanted, "--json");
    expect(outcome.code).toBe(5);
    expect(outcome.error()).toMatchObject({ code: "NOT_FOUND", hint, exitCode: 5 });
  });

  it.each(["euro", "EU", "E1R", "", "€€€"])("refuses %j, which can't be a code", async (text) => {
    const cli = await openCli();
    const outcome = await cli.run("currencies", "get", text, "--json");
    expect(outcome.code).toBe(3);
    expect(outcome.error()).toMatchObject({
      message: expect.stringContaining("is not a currency code") as string,
      hint: `Search by name: formctl currencies list --search ${text === "" ? "TEXT" : text === "€€€" ? "'€€€'" : text}`,
    });
  });
});
