/**
 * Tests the environment variables in manifests. A variable of formctl is refused. If the project lists variables, all
 * others are refused.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newCanary } from "../canary.ts";
import { type Cli, openCli } from "./cli.ts";
import { layoutText } from "./manifests-scene.ts";

const SECRET = newCanary();

const manifest = (title: string) => `kind: Form
object: staffing/candidate
name: Profile
types: [VIEW]
config: {title: "${title}"}
layout: ./profile.layout.yaml
`;

async function open(title: string, project = "manifests: forms\n"): Promise<Cli> {
  const cli = await openCli();
  cli.file("formctl.yaml", project);
  cli.file("forms/profile.yaml", manifest(title));
  cli.file("forms/profile.layout.yaml", layoutText("phone"));
  // A token requires a target, so the store is named explicitly.
  cli.env["FORMCTL_STORE"] = join(cli.home, "local.db");
  Object.assign(cli.env, { FORMCTL_TOKEN: SECRET, INTAKE_TITLE: "Welcome", OTHER: "other secret" });
  return cli;
}

const COMMANDS = ["validate", "plan", "plan --out plan.json", "status", "apply --yes"];
const LOCATION = { file: "forms/profile.yaml", line: 5, column: 17 };

describe("a manifest", () => {
  it.each(COMMANDS)("of which a value is the token is refused: formctl %s", async (line) => {
    for (const name of ["FORMCTL_TOKEN", "FORMCTL_TOKEN:-none", "formctl_token", "FORMCTL_OF_TOMORROW:-x"]) {
      const cli = await open(`a \${${name}}`);
      const { code, stdout, stderr } = await cli.run(...line.split(" "));
      expect(code).toBe(3);
      expect(stdout + stderr).toContain("names that begin with FORMCTL_ are reserved for formctl");
      expect(stdout + stderr).toContain("forms/profile.yaml:5:17");
    }
  });

  it("has the location, for scripts", async () => {
    const cli = await open("a ${FORMCTL_TOKEN}");
    expect((await cli.run("validate", "-o", "json")).json()).toMatchObject({
      problems: [{ ...LOCATION, code: "ENV_REFUSED", severity: "error" }],
    });
  });

  it("is refused where its layout uses one, too", async () => {
    const cli = await open("a");
    cli.file("forms/profile.layout.yaml", layoutText("phone").replace("label: Main", 'label: "${FORMCTL_TOKEN}"'));
    const { code, stdout } = await cli.run("validate");
    expect(code).toBe(3);
    expect(stdout).toContain("forms/profile.layout.yaml:3:");
  });

  it.each(COMMANDS)("may use what the project lists, and nothing else: formctl %s", async (line) => {
    const project = "manifests: forms\nvariables: [INTAKE_TITLE]\n";
    const listed = await open("a ${INTAKE_TITLE}", project);
    expect((await listed.run(...line.split(" "))).code).toBe(0);
    const other = await open("a ${OTHER}", project);
    const { code, stdout, stderr } = await other.run(...line.split(" "));
    expect(code).toBe(3);
    expect(stdout + stderr).toContain("can't use the environment variable OTHER: the project does not list it");
    expect(stdout + stderr).not.toContain("other secret");
  });

  it("may use any other where the project lists none", async () => {
    const cli = await open("a ${OTHER} $${FORMCTL_TOKEN}");
    expect((await cli.run("apply", "--yes")).code).toBe(0);
    expect((await cli.run("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

describe("the list of a project", () => {
  it.each([["variables: INTAKE_TITLE"], ["variables: [1]"], ["variables: [A-B]"], ["variables: [FORMCTL_TOKEN]"]])(
    "is refused where it is none: %s",
    async (line) => {
      const cli = await open("a", `manifests: forms\n${line}\n`);
      const { code, stderr } = await cli.run("validate");
      expect(code).toBe(3);
      expect(stderr).toMatch(/variables(\[0\])? must be/);
    },
  );

  it("is documented in the schemas and the help", async () => {
    const cli = await open("a");
    expect((await cli.run("schema", "Project")).json()).toMatchObject({ properties: { variables: { type: "array" } } });
    expect((await cli.run("schema", "Form")).stdout).toContain(
      "Variables of formctl, and those that formctl.yaml does not list, are refused",
    );
    expect((await cli.run("help", "manifests")).stdout.replaceAll(/\s+/g, " ")).toContain("FORMCTL_ are refused");
    expect(readFileSync(join(import.meta.dirname, "../../docs/layouts-as-code.md"), "utf8")).toContain("variables: [");
  });
});
