/**
 * Tests `forms create` with the name of an existing form. The API allows duplicate names, so the command looks for the
 * name first.
 */

import { describe, expect, it } from "vitest";
import type { Form } from "../../src/schemas/form.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { type Cli, openCli } from "./cli.ts";
import { OBJECT } from "./forms-scene.ts";
import { SHAPES } from "../proxy/manners.ts";
import { speaksNewer } from "../proxy/newer.ts";
import { insertProxy, type Manner } from "../proxy/proxy.ts";
import { openRemoteScene } from "./remote-scene.ts";

const NAMED = ["forms", "create", OBJECT, "--name", "Quick look"] as const;
const CREATE = [...NAMED, "--types", "VIEW"] as const;

async function idsOf(cli: Cli): Promise<string[]> {
  return ((await cli.run("forms", "list", OBJECT, "--json")).json() as Form[]).map(({ id }) => id);
}

async function created(cli: Cli, ...options: string[]): Promise<Form> {
  return (await cli.run(...CREATE, ...options, "--json")).json() as Form;
}

async function openBehind(manner: Manner): Promise<Cli> {
  const { cli } = await openRemoteScene();
  await insertProxy(cli, manner);
  return cli;
}

/** Every kind of target. Each target uses the store of the test's program. */
const TARGETS: Record<string, () => Promise<Cli>> = {
  "a local store": () => openCli(),
  "a server": async () => (await openRemoteScene()).cli,
  "a server that ignores filters": () => openBehind(speaksNewer()),
  "a documented server": () => openBehind(SHAPES.documented()),
  "a live server": () => openBehind(SHAPES.live()),
};

describe.each(Object.entries(TARGETS))("with a name that exists, on %s", (_target, open) => {
  it("refuses without a terminal, and names the form and the options", async () => {
    const cli = await open();
    const { id } = await created(cli);
    const { code, error } = await cli.run(...CREATE, "--json");
    expect(code).toBe(6);
    expect(error()).toMatchObject({
      code: "FORM_EXISTS",
      message: `1 form of ${OBJECT} is named "Quick look": ${id}`,
      exitCode: 6,
    });
    expect(error().hint).toContain("--if-not-exists");
    expect(error().hint).toContain("--allow-duplicate");
    expect(await cli.run(...CREATE, "--dry-run", "--yes")).toMatchObject({ code: 6, stdout: "" });
    expect(await idsOf(cli)).toEqual([id]);
  });

  it("creates another form with --allow-duplicate", async () => {
    const cli = await open();
    const { id } = await created(cli);
    const other = await cli.run(...CREATE, "--allow-duplicate");
    expect(other).toMatchObject({ code: 0 });
    const ids = await idsOf(cli);
    expect(ids).toHaveLength(2);
    const added = ids.find((each) => each !== id);
    expect(other.stderr).toContain(`${OBJECT}/${added} `);
    const third = await cli.run(...CREATE);
    expect(third.code).toBe(6);
    expect(third.stderr).toContain(`2 forms of ${OBJECT} are named "Quick look": ${ids.join(", ")}`);
  });

  it("shows the form with --if-not-exists, and creates it if there is none", async () => {
    const cli = await open();
    const form = await created(cli, "--if-not-exists");
    const { code, stderr, json } = await cli.run(...CREATE, "--if-not-exists", "--json");
    expect(code).toBe(0);
    expect(stderr).toContain(`The form "Quick look" already exists: ${form.id}. Nothing was changed.\n`);
    expect(json()).toMatchObject({ id: form.id, name: "Quick look" });
    expect(await idsOf(cli)).toEqual([form.id]);
  });
});

describe("with a name that exists", () => {
  it("asks at a terminal", async () => {
    const cli = await openCli();
    const { id } = await created(cli);
    const no = await cli.answering([false], ...CREATE);
    expect(no).toMatchObject({ code: 8, stdout: "" });
    expect(no.asked).toEqual([`1 form of ${OBJECT} is named "Quick look": ${id}. Create another one?`]);
    expect(await idsOf(cli)).toHaveLength(1);
    expect(await cli.answering([true], ...CREATE)).toMatchObject({ code: 0 });
    expect(await idsOf(cli)).toHaveLength(2);
    const dry = await cli.answering([], ...CREATE, "--dry-run");
    expect(dry).toMatchObject({ code: 0, asked: [] });
    expect(dry.stderr).toContain("warning: 2 forms");
  });

  it("reports each difference from the existing form with --if-not-exists, and changes nothing", async () => {
    const cli = await openCli();
    const form = await created(cli);
    const options = ["--types", "VIEW,EDIT", "--inactive", "--public", "--title", "Hi", "--if-not-exists"];
    const { code, stderr, json } = await cli.run(...NAMED, ...options, "--json");
    expect(code).toBe(0);
    expect(json()).toEqual(form);
    expect(stderr).toContain(
      `warning: It differs: types is VIEW, not VIEW, EDIT; isActive is true, not false; isPublic is false, not true; ` +
        `config is null, not {"title":"Hi"}. To change it: formctl forms update ${OBJECT}/${form.id}\n`,
    );
    expect((await cli.run("forms", "get", `${OBJECT}/${form.id}`, "--json")).json()).toEqual(form);
  });

  it("sends nothing with --if-not-exists and --dry-run", async () => {
    const cli = await openCli();
    await created(cli);
    const { json, stderr } = await cli.run(...CREATE, "--if-not-exists", "--dry-run", "--json");
    expect(json()).toEqual({ dryRun: true, requests: [] });
    expect(stderr).toContain("already exists");
  });

  it("refuses --if-not-exists if several forms have the name", async () => {
    const cli = await openCli();
    await created(cli);
    await created(cli, "--allow-duplicate");
    const { code, error } = await cli.run(...CREATE, "--if-not-exists", "--json");
    expect(code).toBe(6);
    expect(error()).toMatchObject({ code: "AMBIGUOUS_NAME" });
    for (const id of await idsOf(cli)) expect(error().message).toContain(id);
  });

  it("checks the name of a file", async () => {
    const cli = await openCli();
    const file = cli.file("form.yaml", "name: Quick look\ntypes: [VIEW]\nconfig: null\n");
    expect((await cli.run("forms", "create", OBJECT, "-f", file)).code).toBe(0);
    expect((await cli.run("forms", "create", OBJECT, "-f", file)).code).toBe(6);
    const shown = await cli.run("forms", "create", OBJECT, "-f", file, "--if-not-exists");
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stderr).not.toContain("differs");
    expect(shown.stderr).not.toContain("Next:");
  });

  it("compares whole names: case, spaces inside and parts are different names", async () => {
    const cli = await openCli();
    await created(cli);
    for (const name of ["quick look", "Quick  look", "Quick", "Quick look 2"])
      expect(await cli.run("forms", "create", OBJECT, "--name", name, "--types", "VIEW")).toMatchObject({ code: 0 });
    const padded = await cli.run("forms", "create", OBJECT, "--name", " Quick look ", "--types", "VIEW");
    expect(padded.code).toBe(6);
  });

  it("accepts the name in another object", async () => {
    const cli = await openCli();
    await created(cli);
    const other = await cli.run("forms", "create", "staffing/placement", "--name", "Quick look", "--types", "VIEW");
    expect(other.code).toBe(0);
  });

  it("refuses both options together", async () => {
    const cli = await openCli();
    const { code, error } = await cli.run(...CREATE, "--if-not-exists", "--allow-duplicate", "--json");
    expect(code).toBe(64);
    expect(error().message).toContain("--if-not-exists and --allow-duplicate can't be combined");
  });
});

describe("the requests of forms create", () => {
  const requests = (stderr: string) =>
    stderr.split("\n").flatMap((line) => /^(GET|POST) \S+forms/.exec(line)?.[0].split(" ")[0] ?? []);

  it("are one list, and then the form", async () => {
    const { cli } = await openRemoteScene();
    expect(requests((await cli.run(...CREATE, "--verbose")).stderr)).toEqual(["GET", "POST"]);
  });

  it("create the form with a warning if the token may not list forms", async () => {
    const { cli, newToken } = await openRemoteScene();
    cli.env["FORMCTL_TOKEN"] = await newToken(PERMISSIONS.filter((each) => each !== "api.custom_forms.read"));
    const { code, stderr } = await cli.run(...CREATE);
    expect(code).toBe(0);
    expect(stderr).toContain(`The forms of ${OBJECT} can't be listed: whether one is named "Quick look" is unknown.`);
    expect((await cli.run(...CREATE, "--if-not-exists")).code).toBe(4);
  });
});
