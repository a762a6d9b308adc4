/** Tests `formctl layouts` list, get, create, update, archive, surfaces and resolve through command lines. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Layout, SurfaceDefinitions } from "../../src/schemas/layout.ts";
import type { Cli } from "./cli.ts";
import { newPage, openScene, PROFILE, publishTwice } from "./layouts-scene.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openScene();
});

const PAGE = ["layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW,EDIT", "--name", "Contractor page"];
const CARD = "layouts create --surface DYNAMIC_OBJECT --modes VIEW --name Card --target moduleKey=staffing".split(" ");
const BOARD = "layouts create --surface DASHBOARD --modes EDIT --name Board".split(" ");
const created = async () => (await cli.run(...PAGE, "-o", "name")).stdout.trim();

describe("layouts list", () => {
  it("shows every layout with its published version", async () => {
    await publishTwice(cli);
    const { code, stdout } = await cli.run("layouts", "list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +ID +SURFACE +TARGET +MODES +PUBLISHED +DRAFT\n/);
    expect(stdout).toMatch(/Candidate profile +lay_\w+ +DYNAMIC_OBJECT +moduleKey=staffing .* VIEW, EDIT +2 +-\n/);
  });

  it("filters by surface, mode and object", async () => {
    await created();
    const names = async (...flags: string[]) => {
      const { json } = await cli.run("layouts", "list", ...flags, "--json");
      return (json() as Layout[]).map(({ name }) => name);
    };
    expect(await names("--surface", "CONTRACTOR")).toEqual(["Contractor page"]);
    expect(await names("--object", "staffing/placement")).toEqual(["Placement desk"]);
    expect(await names("--mode", "create", "--object", "staffing/candidate")).toEqual([]);
    expect(await names()).toHaveLength(4);
  });

  it("reports an empty list on stderr", async () => {
    const { code, stdout, stderr } = await cli.run("layouts", "list", "--surface", "USER");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "No layout matches.\n" });
  });

  it("refuses a surface or mode that does not exist", async () => {
    expect((await cli.run("layouts", "list", "--surface", "INVOICE")).code).toBe(64);
    expect((await cli.run("layouts", "list", "--mode", "WORK")).code).toBe(64);
  });
});

describe("layouts get", () => {
  it("shows a form's layout", async () => {
    const { code, stdout } = await cli.run("layouts", "get", PROFILE);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Id: +lay_\w+\nName: +Candidate profile\nSurface: +DYNAMIC_OBJECT\n/);
    expect(stdout).toMatch(/\nDraft: +version 1, valid_with_warnings \(ver_\w+\)\n/);
  });

  it("prints the API's record as a document", async () => {
    const id = await created();
    const { json } = await cli.run("layouts", "get", id, "--json");
    expect(json()).toMatchObject({ id, name: "Contractor page", supportedModes: ["VIEW", "EDIT"], assignments: [] });
  });

  it("refuses a missing layout or form", async () => {
    const { code, error } = await cli.run("layouts", "get", "lay_none", "--json");
    expect(code).toBe(5);
    expect(error()).toMatchObject({ code: "NOT_FOUND", exitCode: 5 });
    expect((await cli.run("layouts", "get", "staffing/candidate/None")).code).toBe(5);
    expect((await cli.run("layouts", "get", "staffing/candidate")).code).toBe(64);
  });
});

describe("layouts create", () => {
  it("creates a layout with a first draft, and suggests the next commands", async () => {
    const { code, stdout, stderr } = await cli.run(...PAGE);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Name: +Contractor page\nSurface: +CONTRACTOR\nModes: +VIEW, EDIT\n/);
    expect(stderr).toMatch(/Next: formctl layouts draft scaffold lay_\w+ --out draft\.yaml\n/);
  });

  it("sends a target and metadata", async () => {
    cli.file("meta.yaml", "owner: sales\n");
    const { code, json } = await cli.run(
      ...CARD,
      "--target",
      "objectKey=candidate",
      "--metadata",
      "meta.yaml",
      "--json",
    );
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      target: { moduleKey: "staffing", objectKey: "candidate" },
      metadata: { owner: "sales" },
    });
  });

  it("shows the existing layout with --if-not-exists, and creates one only if there is none", async () => {
    const first = await cli.run(...PAGE, "--if-not-exists", "-o", "name");
    expect(first.code).toBe(0);
    const id = first.stdout.trim();
    const again = await cli.run(...PAGE, "--if-not-exists", "-o", "name");
    expect(again).toMatchObject({ code: 0, stdout: `${id}\n` });
    expect(again.stderr).toContain(`The layout "Contractor page" already exists: ${id}. Nothing was changed.`);
    expect(again.stderr).not.toContain("Next:");
    cli.file("page.yaml", "{surface: CONTRACTOR, supportedModes: [VIEW], target: {}, name: Contractor page}");
    const other = await cli.run("layouts", "create", "-f", "page.yaml", "--if-not-exists", "-o", "name");
    expect(other.stdout).toBe(`${id}\n`);
    expect(other.stderr).toContain(
      `It differs: its modes are EDIT, VIEW, not VIEW. To change it: formctl layouts update ${id} --modes VIEW`,
    );
    const scoped = await cli.run(...PAGE, "--target", "scopeId=export", "--if-not-exists", "-o", "name");
    expect(scoped.stdout.trim()).not.toBe(id);
  });

  it("refuses --if-not-exists if several layouts have the name, surface and target", async () => {
    const ids = [await created(), await created()];
    const { code, stderr } = await cli.run(...PAGE, "--if-not-exists");
    expect(code).toBe(6);
    expect(stderr).toContain('2 layouts have the address "CONTRACTOR/Contractor page": ');
    for (const id of ids) expect(stderr).toContain(id);
  });

  it("lists all missing options without a terminal", async () => {
    const { code, stderr } = await cli.run("layouts", "create", "--name", "Page");
    expect(code).toBe(64);
    expect(stderr).toContain("missing options: --surface, --modes");
  });

  it("prompts for missing values at a terminal", async () => {
    const answers = ["DASHBOARD", ["VIEW"], "Board", "main"];
    const { code, stdout, asked } = await cli.answering(answers, "layouts", "create");
    expect(code).toBe(0);
    expect(asked).toEqual(["Surface:", "Modes:", "Name of the layout:", "Target dashboardKey:"]);
    expect(stdout).toContain("dashboardKey=main");
  });

  it.each([
    [["--target", "dashboard=main"], 64, 'has an unknown member "dashboard"'],
    [["--target", "dashboardKey"], 64, "must be KEY=VALUE"],
    [["--target", "dashboardKey=a", "--target", "dashboardKey=b"], 64, "specifies dashboardKey twice"],
    [["--target", "moduleKey=staffing"], 64, "--target dashboardKey is required for DASHBOARD"],
    [["--target", "dashboardKey=..", "--modes", "VIEW"], 64, ""],
    [["--target", "dashboardKey=main", "--metadata", "none.yaml"], 3, "does not exist"],
  ])("refuses %j", async (flags, wanted, message) => {
    const { code, stderr } = await cli.run(...BOARD, ...flags);
    expect(code).toBe(wanted);
    expect(stderr).toContain(message);
  });

  it("is refused for a form's target, and for an object that does not exist", async () => {
    const ofForm = ["--target", "objectKey=candidate", "--target", "formId=frm_1"];
    expect((await cli.run(...CARD, ...ofForm)).code).toBe(6);
    expect((await cli.run(...CARD, "--target", "objectKey=nobody")).code).toBe(3);
  });

  it("sends nothing with --dry-run", async () => {
    const { code, stdout } = await cli.run(...PAGE, "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^POST \/v1\/view-layouts\n/);
    expect((await cli.run("layouts", "list", "--surface", "CONTRACTOR", "-o", "name")).stdout).toBe("");
  });
});

describe("layouts update", () => {
  it("changes the name, and replaces the metadata or removes it", async () => {
    const id = await created();
    cli.file("meta.json", { owner: "sales" });
    const { code, stdout } = await cli.run("layouts", "update", id, "--name", "Page", "--metadata", "meta.json");
    expect(code).toBe(0);
    expect(stdout).toMatch(/Name: +Page\n/);
    expect(stdout).toMatch(/Metadata: +\{"owner":"sales"\}\n/);
    const { json } = await cli.run("layouts", "update", id, "--no-metadata", "--json");
    expect(json()).toMatchObject({ name: "Page", metadata: null });
  });

  it("changes the modes of an organization's layout, not those of a form's", async () => {
    const id = await created();
    const { json } = await cli.run("layouts", "update", id, "--modes", "VIEW", "--json");
    expect(json()).toMatchObject({ supportedModes: ["VIEW"] });
    const { code, error } = await cli.run("layouts", "update", PROFILE, "--modes", "VIEW", "--json");
    expect(code).toBe(6);
    expect(error().code).toBe("LAYOUT_FORM_OWNED");
  });

  it("refuses a command without a change, and a file that is not an object", async () => {
    expect((await cli.run("layouts", "update", PROFILE)).code).toBe(64);
    cli.file("list.yaml", "- 1\n");
    const { code, stderr } = await cli.run("layouts", "update", PROFILE, "--metadata", "list.yaml");
    expect(code).toBe(3);
    expect(stderr).toContain("list.yaml:1:1");
  });
});

describe("layouts archive", () => {
  it("requires confirmation, and lists what is lost", async () => {
    const id = await newPage(cli, "Home");
    const { code, stderr } = await cli.run("layouts", "archive", id);
    expect(code).toBe(8);
    expect(stderr).toContain(
      'confirmation required: archive the layout "Home". Will be deleted permanently: 1 version.',
    );
    expect(stderr).toContain("To confirm, add --allow-delete.");
    expect((await cli.run("layouts", "archive", id, "--json")).error()).toMatchObject({ exitCode: 8 });
  });

  it("hides the layout", async () => {
    const id = await newPage(cli, "Home");
    const { code, json } = await cli.run("layouts", "archive", id, "--allow-delete", "--json");
    expect(code).toBe(0);
    expect(json()).toEqual({ id, name: "Home", status: "ARCHIVED" });
    for (const words of [["get"], ["versions", "list"], ["publish"], ["archive", "--allow-delete"]]) {
      expect((await cli.run("layouts", ...words, id)).code).toBe(5);
    }
    expect((await cli.run("layouts", "list", "--surface", "ORGANIZATION", "-o", "name")).stdout).toBe("");
  });

  it("is confirmed by --allow-delete or at the prompt, but not by --yes", async () => {
    const [first, second, third] = [await newPage(cli, "1"), await newPage(cli, "2"), await newPage(cli, "3")];
    expect((await cli.run("layouts", "archive", first, "--yes")).code).toBe(8);
    expect((await cli.answering([false], "layouts", "archive", first, "--yes")).asked).toHaveLength(1);
    expect((await cli.answering([true], "layouts", "archive", second)).stdout).toContain("Archived 2");
    expect((await cli.answering([false], "layouts", "archive", third)).code).toBe(8);
  });

  it("refuses the layout of a form before a request is sent", async () => {
    const { stdout } = await cli.run("layouts", "get", PROFILE, "-o", "name");
    for (const layout of [PROFILE, stdout.trim()]) {
      const { code, stderr } = await cli.run("layouts", "archive", layout, "--allow-delete", "--verbose");
      expect(code).toBe(6);
      expect(stderr).toContain(`formctl forms delete '${PROFILE}'`);
      expect(stderr).not.toContain("/archive");
    }
  });

  it("sends the request anyway with --force", async () => {
    const { code, stderr } = await cli.run("layouts", "archive", PROFILE, "--allow-delete", "--force", "--verbose");
    expect(code).toBe(6);
    expect(stderr).toMatch(/POST \/v1\/view-layouts\/lay_\w+\/archive 409/);
  });

  it("sends nothing with --dry-run", async () => {
    const id = await newPage(cli, "Home");
    const { code, stdout } = await cli.run("layouts", "archive", id, "--dry-run");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `POST /v1/view-layouts/${id}/archive\n` });
    expect((await cli.run("layouts", "get", id)).code).toBe(0);
  });
});

describe("layouts surfaces", () => {
  it("lists the page families", async () => {
    const { code, stdout } = await cli.run("layouts", "surfaces");
    expect(code).toBe(0);
    expect(stdout).toMatch(/DYNAMIC_OBJECT +CREATE, VIEW, EDIT +main \(grid, 12\), sidebar \(sidebar, 4\)\n/);
    expect((await cli.run("layouts", "surfaces", "-o", "name")).stdout).toContain("DASHBOARD\n");
  });

  it("shows one of them", async () => {
    const { json } = await cli.run("layouts", "surfaces", "DASHBOARD", "--json");
    expect((json() as SurfaceDefinitions).surfaces).toMatchObject([{ surface: "DASHBOARD" }]);
    expect((await cli.run("layouts", "surfaces", "INVOICE")).code).toBe(64);
  });
});

describe("layouts resolve", () => {
  const who = ["layouts", "resolve", "--surface", "ORGANIZATION", "--mode", "VIEW", "--member"];

  it("returns the layout of a role, then the organization default, else none", async () => {
    expect((await cli.run(...who, "ana@northwind.example")).stdout).toContain("No published layout");
    expect((await cli.run(...who, "ana@northwind.example", "--json")).json()).toBeNull();
    const home = await newPage(cli, "Home");
    const desk = await newPage(cli, "Recruiters");
    await cli.run("layouts", "assignments", "set", home, "--default");
    await cli.run("layouts", "assignments", "set", desk, "--role", "Recruiter=1");
    expect((await cli.run(...who, "ana@northwind.example")).stdout).toMatch(/^Recruiters \(.*by a role\n$/);
    const { json } = await cli.run(...who, "dana@northwind.example", "--json");
    expect(json()).toMatchObject({ layoutId: home, layoutName: "Home", reason: "ORGANIZATION_DEFAULT" });
    expect((await cli.run(...who, "dana@northwind.example", "-o", "name")).stdout).toBe(`${home}\n`);
  });

  it("is refused for an unknown member or a missing flag", async () => {
    expect((await cli.run(...who, "nobody@northwind.example")).code).toBe(5);
    const { code, stderr } = await cli.run("layouts", "resolve", "--mode", "VIEW");
    expect(code).toBe(64);
    expect(stderr).toContain("--surface, --member");
  });
});
