/** Tests the valid addresses of a FORM, a LAYOUT and an OBJECT. */

import { array, assert, constantFrom, dictionary, pre, property, sample, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseForm, parseLayout } from "../../src/commands/addresses.ts";
import { isPageAddress, layoutAddress, formAddress, objectText } from "../../src/lists/addresses.ts";
import { isSurface, SURFACES, TARGET_KEYS } from "../../src/schemas/words.ts";
import { quoted } from "../../src/base/shell-quote.ts";
import type { Cli } from "./cli.ts";
import { openDemo, wordsOf } from "./demo-cli.ts";

const key = stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,12}$/);
/** Names of all kinds: with separators, quotes, characters of shells, and characters of several bytes. */
const name = array(
  constantFrom("a", "B", "1", " ", "/", "'", '"', "$", "(", ")", "!", "`", "\\", "=", ",", "-", "é", "日", "🚀"),
  {
    minLength: 1,
    maxLength: 20,
  },
)
  .map((characters) => characters.join("").trim())
  .filter((text) => text !== "");

describe("printed addresses", () => {
  it("of forms are read as printed", () => {
    assert(
      property(key, key, name, (moduleKey, objectKey, form) => {
        const address = formAddress(objectText({ moduleKey, objectKey }), form);
        expect(parseForm(address)).toEqual({ moduleKey, objectKey, form });
        pre(!isSurface(moduleKey));
        expect(parseLayout(address)).toEqual({ moduleKey, objectKey, form });
      }),
    );
  });

  it("of layouts that no form owns are read as printed", () => {
    const target = dictionary(constantFrom(...TARGET_KEYS), key);
    assert(
      property(constantFrom(...SURFACES), target, name, (surface, members, layout) => {
        const address = layoutAddress(surface, members, layout);
        expect(isPageAddress(address)).toBe(true);
        expect(parseLayout(address)).toEqual({ short: address });
      }),
    );
  });

  it("are one word of a shell when quoted", () => {
    const names = sample(name, 200);
    expect(wordsOf(`formctl ${names.map((text) => quoted(text)).join(" ")}`)).toEqual(names);
  });
});

const OBJECT = "staffing/candidate";
const PROFILE = `${OBJECT}/Candidate profile`;
const address = { moduleKey: "staffing", objectKey: "candidate" };

describe("an address on the command line", () => {
  it.each(['R/D: it\'s "new" $(id) `id` 🚀', "-x", "a/b/c", "frm_1 copy", "CONTRACTOR/Contractor card"])(
    "finds the form %j by its address, by its id, and with the setting by its name",
    async (form) => {
      const cli = await openDemo();
      const { id, viewLayoutId } = await cli.behind((service) =>
        service.createForm({ ...address, body: { name: form, types: ["VIEW"] } }),
      );
      const shown = async (...argv: string[]) => (await cli.run(...argv, "-o", "name")).stdout.trim();
      expect(await shown("forms", "get", `${OBJECT}/${form}`)).toBe(id);
      expect(await shown("forms", "get", `${OBJECT}/${id}`)).toBe(id);
      expect(await shown("forms", "get", id)).toBe(id);
      expect(await shown("layouts", "get", `${OBJECT}/${form}`)).toBe(viewLayoutId);
      expect(await shown("layouts", "get", id)).toBe(viewLayoutId);
      expect(await shown("layouts", "get", viewLayoutId)).toBe(viewLayoutId);
      cli.env["FORMCTL_OBJECT"] = OBJECT;
      // A name with two slashes would be read as a full address.
      const alone = form === "a/b/c" ? `${OBJECT}/${form}` : form;
      expect((await cli.run("forms", "get", "-o", "name", "--", alone)).stdout.trim()).toBe(id);
    },
  );

  it("finds every layout by the address that plan prints", async () => {
    const cli = await openDemo();
    const layouts = await cli.behind((service) => service.listLayouts({ query: {} }));
    const pages = layouts.filter(({ target }) => !target.formId);
    expect(pages.length).toBeGreaterThan(3);
    for (const { id, surface, target, name: layout } of pages)
      expect((await cli.run("layouts", "get", layoutAddress(surface, target, layout), "-o", "name")).stdout).toBe(
        `${id}\n`,
      );
    const exported = await cli.run("export", "CONTRACTOR/Contractor card");
    expect(exported).toMatchObject({ code: 0 });
    expect(exported.stdout).toContain("name: Contractor card\n");
  });

  it("refuses an ambiguous address of a layout with the ids", async () => {
    const cli = await openDemo();
    const twin = ["--surface", "CONTRACTOR", "--modes", "VIEW", "--name", "Contractor card"];
    expect((await cli.run("layouts", "create", ...twin)).code).toBe(0);
    const twice = await cli.run("layouts", "get", "CONTRACTOR/Contractor card", "--json");
    expect(twice.error()).toMatchObject({ code: "AMBIGUOUS_NAME", exitCode: 6 });
    expect(twice.error().message).toMatch(/2 layouts have the address .*: lay_\w+, lay_\w+/);
  });

  it("finds the layout of a form whose name is the setting's", async () => {
    const cli = await openDemo();
    cli.env["FORMCTL_OBJECT"] = OBJECT;
    const full = await cli.run("layouts", "versions", "list", `${OBJECT}/Candidate profile`, "-o", "name");
    expect((await cli.run("layouts", "versions", "list", "Candidate profile", "-o", "name")).stdout).toBe(full.stdout);
    const { stderr, code } = await cli.run("layouts", "get", "Missing");
    expect(code).toBe(5);
    expect(stderr).toContain('the form "Missing" of staffing/candidate does not exist');
  });
});

describe("a module with the name of a surface", () => {
  it("is used if no layout has the address", async () => {
    const cli = await openDemo();
    const objects = [{ key: "profile", name: "Profile" }];
    const modules = [{ key: "USER", name: "Users", objects }];
    const file = cli.file("org.json", { organizations: [{ key: "northwind", name: "Northwind Staffing", modules }] });
    expect((await cli.run("local", "seed", file)).code).toBe(0);
    const created = await cli.run("forms", "create", "USER/profile", "--name", "Card", "--types", "VIEW", "--json");
    expect(created.code).toBe(0);
    expect((await cli.run("layouts", "get", "USER/profile/Card", "--json")).json()).toMatchObject({ name: "Card" });
    expect((await cli.run("layouts", "get", "USER/missing/Card")).code).toBe(5);
  });
});

describe("a text that is no full address", () => {
  it.each<[argv: string[], code: number, hint: string]>([
    [["forms", "list", "staffing.candidate"], 64, "Did you mean staffing/candidate?"],
    [["forms", "list", "candidate"], 64, "Did you mean staffing/candidate?"],
    [["forms", "list", "Candidate"], 64, "Did you mean staffing/candidate?"],
    [["forms", "list", "staffing/candidat/"], 64, "Did you mean staffing/candidate?"],
    [["layouts", "list", "--object", "candidate"], 64, "Did you mean staffing/candidate?"],
    [["forms", "list", "missing"], 64, "Objects: compliance/document_check, staffing/candidate"],
    [["forms", "get", "Candidate profile"], 64, quoted(`${OBJECT}/Candidate profile`)],
    [["forms", "get", "candidate/Candidate profile"], 64, quoted(`${OBJECT}/Candidate profile`)],
    [["forms", "get", "staffing.candidate/Candidate profile"], 64, quoted(`${OBJECT}/Candidate profile`)],
    [["forms", "get", OBJECT], 64, `Did you mean ${quoted(`${OBJECT}/Candidate intake`)} or `],
    [["forms", "get", "frm_nobody"], 5, "List the forms of an object"],
    [["forms", "get", ""], 64, "MODULE/OBJECT/FORM"],
    [["layouts", "get", "missing"], 5, "List the layouts"],
    [["layouts", "get", "Contractor card"], 64, "CONTRACTOR/Contractor card"],
    [["layouts", "get", "CONTRACTOR/Contractor crad"], 5, "CONTRACTOR/Contractor card"],
    [["layouts", "get", "DASHBOARD/Ops board"], 5, "DASHBOARD dashboardKey=main/Ops board"],
    [["layouts", "get", "Candidate profile"], 64, quoted(`${OBJECT}/Candidate profile`)],
  ])("%j gets the address that it can mean", async (argv, code, hint) => {
    const cli = await openDemo();
    const outcome = await cli.run(...argv, "--json");
    expect(outcome.code).toBe(code);
    expect(outcome.error().hint ?? "").toContain(hint);
  });

  it.each<[argv: string[], hint: string]>([
    [
      ["forms", "get", "staffing/candidate/Candidate", "profile"],
      `Quote the name: formctl forms get ${quoted(`${OBJECT}/Candidate profile`)}`,
    ],
    [
      ["layouts", "draft", "push", "staffing/candidate/Candidate", "profile", "draft.yaml"],
      `Quote the name: formctl layouts draft push ${quoted(`${OBJECT}/Candidate profile`)} draft.yaml`,
    ],
    [
      ["layouts", "versions", "get", "staffing/candidate/Candidate", "profile"],
      `Did you mean ${quoted(`${OBJECT}/Candidate intake`)} or ${quoted(PROFILE)}?`,
    ],
    [["forms", "get", "staffing/candidate/Candidate", "fctl_0123456789"], "Quote a name that has spaces."],
    [["doctor", "now"], "See: formctl doctor --help"],
  ])("%j gets the next step", async (argv, hint) => {
    const cli = await openDemo();
    const outcome = await cli.run(...argv, "--json");
    expect(outcome.error().hint).toBe(hint);
  });
});

describe("on a server", () => {
  const server = (cli: Cli) => Object.assign(cli.env, { FORMCTL_BASE_URL: "http://127.0.0.1:9", FORMCTL_TOKEN: "x" });

  it.each<[argv: string[], message: string, hint: string]>([
    [["forms", "get", "frm_1"], "without its object", "formctl config set object MODULE/OBJECT"],
    [["forms", "list", "staffing.candidate"], "must be MODULE/OBJECT", "Did you mean staffing/candidate?"],
    [["forms", "list", "candidate"], "must be MODULE/OBJECT", ""],
    [["forms", "get"], "missing argument FORM", "FORM: MODULE/OBJECT/FORM by name or id"],
    [["forms", "access", "grant", "a/b/c"], "missing options: --types, --role or --member", "--role: Role by id"],
  ])("%j sends no request", async (argv, message, hint) => {
    const cli = await openDemo();
    server(cli);
    const outcome = await cli.run(...argv, "--json");
    expect(outcome.error()).toMatchObject({ code: "USAGE", exitCode: 64 });
    expect(outcome.error().message).toContain(message);
    expect(outcome.error().hint ?? "").toContain(hint);
  });
});
