/** Tests `formctl explain`, which describes the fields of files from their schemas. */

import { KIND_NAMES } from "../../src/commands/explain.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeEach, describe, expect, it } from "vitest";
import { EDITOR_KINDS } from "../../src/manifests/editor-schemas.ts";
import { textWidth } from "../../src/terminal/width.ts";
import { type Cli, openCli } from "./cli.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openCli(null);
  cli.env["NO_COLOR"] = "1";
});

async function explain(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run("explain", ...words);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

describe("formctl explain", () => {
  it("prints the meaning, type, default, limits, values and an example of a field", async () => {
    cli.columns = 80;
    expect(await explain("layout.blocks.grid")).toMatchInlineSnapshot(`
      "Field:     layout.blocks.grid
      File:      A layout file: exactly the body of a draft
      Type:      object
      Required:  no

      The position in the grid of the region or container. A container has 12 columns.
      Without it, the block has the full width.

      Example:
        grid:
          colSpan: 6

      FIELD     TYPE    MEANING
      colSpan   number  The width in columns: a whole number from 1 to the columns of
                        the grid. Without it, the full width
      colStart  number  The first column: a whole number of at least 1
      rowSpan   number  The height in rows: a whole number of at least 1
      rowStart  number  The first row: a whole number of at least 1
      "
    `);
    expect(await explain("draft.blocks.requiredPolicy")).toMatch(
      /^Type: +string\n(.*\n)?Default: +"optional"\nValues: +optional, required, system_locked$/m,
    );
    expect(await explain("draft.regions")).toMatch(/^Limits: +at most 100 items$/m);
    expect(await explain("form.types")).toMatch(/^Type: +list of strings\n(.*\n)?Values: +CREATE, VIEW, EDIT$/m);
    expect(await explain("form.publish")).toMatch(/^Default: +true$/m);
    expect(await explain("form.name")).toMatch(/^Limits: +1 to 200 characters/m);
    expect(await explain("form.config")).toMatch(/^Type: +object or null$/m);
  });

  it("lists the kinds without a field, and each kind is explained", async () => {
    const { json } = await cli.run("explain", "-o", "json");
    const kinds = (json() as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(
      [...EDITOR_KINDS.filter((kind) => kind !== "Manifest"), "Project", "Migration"].toSorted(),
    );
    for (const kind of kinds) expect(await explain(kind)).toContain("MEANING");
    expect((await explain("-o", "name")).trim().split("\n").toSorted()).toEqual([...KIND_NAMES].toSorted());
  });

  it("finds a field by its path in a plan or a message, and without a kind", async () => {
    expect(await explain("layout.blocks[2].children[0].config")).toContain("Field:     layout.blocks.children.config");
    expect(await explain("blocks.grid")).toContain("Field:     draft.blocks.grid");
    expect(await explain("layout.surface")).toContain("A layout that no form owns");
    expect(await explain("project.references.prod.roles")).toContain("The id of each role");
    expect(await explain("project.references.prod.scripts")).toContain("The id of each script, by its key");
  });

  it.each([
    ["fomr", "Did you mean form?"],
    ["layout.blocks.gird", "Did you mean layout.blocks.grid?"],
    ["layout.block.grid.colSpan", "Did you mean layout.blocks.grid.colSpan?"],
    ["colSpan", "Did you mean draft.blocks.grid.colSpan"],
    ["form.access.zzz", "Fields of form.access: users, roles"],
    ["zzz", "List the kinds: formctl explain"],
    ["", "List the kinds: formctl explain"],
  ])("refuses %j, and suggests the nearest field", async (field, hint) => {
    const { code, stdout, stderr } = await cli.run("explain", field);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain(`unknown field "${field}"`);
    expect(stderr).toContain(hint);
  });

  it("prints all fields below a field with --recursive, and a block in a block once", async () => {
    const text = await explain("draft", "--recursive");
    expect(text).toContain("\n  blocks  <list of objects>\n    id  <string>\n");
    expect(text).toContain("\n    children  <list of objects, as blocks>\n");
    expect(text.match(/colSpan/g)).toHaveLength(1);
    expect(text).toContain("\n      colSpan  <number>\n");
  });

  it("prints the part of the schema with -o json, as a complete schema", async () => {
    const { json } = await cli.run("explain", "form.access", "-o", "json");
    const schema = json() as { description: string; $defs: object };
    expect(schema.description).toContain("The complete access");
    expect(Object.keys(schema.$defs)).not.toContain("Block");
    const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    expect(accepts({ users: [], roles: [{ role: "Recruiter", types: ["VIEW"] }] })).toBe(true);
    expect(accepts({ users: [], roles: [{ role: "Recruiter", types: ["READ"] }] })).toBe(false);
    expect((await cli.run("explain", "form", "-o", "json")).json()).toEqual(
      (await cli.run("schema", "Form", "-o", "json")).json(),
    );
  });

  it.each([40, 80])("fits a terminal of %i columns", async (columns) => {
    cli.columns = columns;
    for (const field of ["", "form", "layout.blocks", "organization.organizations.modules.objects", "form.access"]) {
      const { stdout } = await cli.run("explain", ...(field === "" ? [] : [field]), "--no-color");
      // The path of a field is not wrapped, so that the user can copy the path.
      const lines = stdout.split("\n").filter((line) => !/^( {2}|Field:)/.test(line));
      const wide = lines.filter((line) => textWidth(line) > columns);
      expect({ field, wide }).toEqual({ field, wide: [] });
    }
  });
});
