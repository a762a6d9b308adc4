/** `--watch` on lists, and `forms wait`. */

import { expect, describe, it } from "vitest";
import { type Cli, openCli } from "./cli.ts";
import { aForm, aUsableProfile, OBJECT, PROFILE } from "./forms-scene.ts";
import { openScene, publishTwice, PROFILE as LAYOUT } from "./layouts-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

/** Makes a change at each wait of the program, and then ends the program. @returns the waiting times in milliseconds */
function whileWaiting(cli: Cli, changes: readonly (() => Promise<unknown>)[]): number[] {
  const left = [...changes];
  const waited: number[] = [];
  cli.sleep = async (milliseconds) => {
    waited.push(milliseconds);
    cli.clock.now = new Date(cli.clock.now.getTime() + milliseconds);
    const change = left.shift();
    if (change) await change();
    else cli.ending.abort(new Error("ended by the test"));
  };
  return waited;
}

const nothing = async () => undefined;

describe("a list with --watch", () => {
  it("prints the changed records as lines", async () => {
    const cli = await openCli();
    const first = await aForm(cli, "First", ["VIEW"]);
    const address = { moduleKey: "staffing", objectKey: "candidate", formId: first.id };
    const waited = whileWaiting(cli, [
      nothing,
      () => cli.behind((service) => service.updateForm({ ...address, body: { name: "Renamed" } })),
      () => aForm(cli, "Second", ["EDIT"]),
      () => cli.behind((service) => service.deleteForm(address)),
    ]);
    const { stdout } = await cli.run("forms", "list", OBJECT, "--watch", "-o", "jsonl");
    const lines = stdout.trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line) as { id: string; name?: string; deleted?: boolean });
    expect(records.map(({ name, deleted }) => name ?? deleted)).toEqual(["First", "Renamed", "Second", true]);
    expect(records.at(-1)).toEqual({ id: first.id, deleted: true });
    expect(waited).toEqual([2000, 2000, 2000, 2000, 2000]);
  });

  it("replaces the table on a terminal when the list has changed", async () => {
    const cli = await openCli();
    await aForm(cli, "First", ["VIEW"]);
    cli.columns = 80;
    const waited = whileWaiting(cli, [nothing, nothing, () => aForm(cli, "Second", ["EDIT"])]);
    const { stdout } = await cli.run("forms", "list", OBJECT, "--watch", "--interval", "5s", "--no-color");
    const [before, one = "", two = "", ...others] = stdout.split("\u001B[H\u001B[2J");
    expect([before, others]).toEqual(["", []]);
    expect(one).toMatch(/^NAME .*\nFirst .*\n$/);
    expect(two).toMatch(/^NAME .*\nFirst .*\nSecond .*\n$/);
    expect(waited).toEqual([5000, 5000, 5000, 5000]);
  });

  it("works for layouts and versions", async () => {
    const cli = await openScene();
    const names = async (...words: string[]) => {
      whileWaiting(cli, [() => publishTwice(cli)]);
      const { stdout } = await cli.run("layouts", ...words, "--watch", "-o", "jsonl", "--query", "[].[name, status]");
      return stdout.trimEnd().split("\n").length;
    };
    expect(await names("list")).toBe(4);
    cli.ending = new AbortController();
    expect(await names("versions", "list", LAYOUT)).toBeGreaterThan(2);
  });

  it("uses the default object, and asks for the layout", async () => {
    const cli = await openScene();
    whileWaiting(cli, []);
    cli.env["FORMCTL_OBJECT"] = OBJECT;
    const list = ["forms", "list", "--watch", "-o", "jsonl"];
    expect((await cli.run(...list)).stdout).toMatch(/^\{"id":/);
    whileWaiting(cli, []);
    const { code, stderr } = await cli.run("layouts", "versions", "list", "--watch", "-o", "jsonl");
    expect([code, stderr]).toEqual([64, expect.stringContaining("missing argument LAYOUT")]);
  });

  it("ends when the reader of stdout has closed the pipe", async () => {
    const cli = await openCli();
    await aForm(cli, "First", ["VIEW"]);
    whileWaiting(cli, [() => aForm(cli, "Second", ["VIEW"]), () => aForm(cli, "Third", ["VIEW"]), nothing, nothing]);
    cli.closeAfter = 1;
    const { code, stdout } = await cli.run("forms", "list", OBJECT, "--watch", "-o", "jsonl");
    expect([code, stdout.trimEnd().split("\n").length]).toEqual([0, 1]);
  });

  it("is refused for formats that are one document", async () => {
    const cli = await openCli();
    for (const format of ["json", "yaml", "name"]) {
      const { code, stderr } = await cli.run("forms", "list", OBJECT, "--watch", "-o", format);
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("Use -o jsonl") as string });
    }
  });
});

describe("forms wait", () => {
  const wait = (cli: Cli, ...words: string[]) => cli.run("forms", "wait", PROFILE, "--for", ...words);

  it("prints the form when it can be used in all modes", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW", "EDIT"]);
    const waited = whileWaiting(cli, [nothing, nothing, () => publish(cli)]);
    const { code, json, stderr } = await wait(cli, "usable=VIEW,EDIT", "-o", "json");
    const waiting = "Waiting for Candidate profile: VIEW draft only, EDIT draft only …\n";
    expect({ code, stderr }).toEqual({ code: 0, stderr: waiting });
    expect(json()).toMatchObject({ name: "Candidate profile", usableTypes: ["VIEW", "EDIT"] });
    expect(waited).toEqual([500, 750, 1125]);
  });

  it("ends at once for a usable form, on a server too", async () => {
    const { cli } = await openRemoteScene();
    cli.env["FORMCTL_ORGANIZATION"] = "northwind";
    await aUsableProfile(cli);
    delete cli.env["FORMCTL_ORGANIZATION"];
    const waited = whileWaiting(cli, []);
    const { code, stdout } = await wait(cli, "usable=view");
    expect({ code, waited }).toEqual({ code: 0, waited: [] });
    expect(stdout).toMatch(/^Name: +Candidate profile\n/);
  });

  it("fails after the timeout, with the states of the modes", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW", "EDIT"]);
    const waited = whileWaiting(
      cli,
      Array.from({ length: 100 }, () => nothing),
    );
    const outcome = await wait(cli, "usable=VIEW", "--timeout", "2m", "-o", "json");
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.error()).toMatchObject({
      code: "WAIT_TIMED_OUT",
      message: '"Candidate profile" can\'t be used after 120 s: VIEW draft only',
      exitCode: 1,
    });
    expect(waited.reduce((sum, each) => sum + each, 0)).toBe(120_000);
    expect(Math.max(...waited)).toBe(5000);
  });

  it("fails at once if the form lacks the mode, or does not exist", async () => {
    const cli = await openCli();
    expect((await wait(cli, "usable=VIEW")).code).toBe(5);
    await aForm(cli, "Candidate profile", ["VIEW", "EDIT"]);
    const waited = whileWaiting(cli, []);
    const { code, stderr } = await wait(cli, "usable=CREATE");
    expect({ code, waited }).toEqual({ code: 3, waited: [] });
    expect(stderr).toContain('"Candidate profile" does not support CREATE');
  });
});

async function publish(cli: Cli): Promise<void> {
  const [form] = await cli.behind((service) =>
    service.listAvailableForms({ moduleKey: "staffing", objectKey: "candidate", query: {} }),
  );
  const layoutId = form!.viewLayoutId;
  const block = (fieldKey: string) =>
    ({ id: fieldKey, type: "field", source: "dynamic_field", ref: { fieldKey }, regionKey: "main" }) as const;
  const { draftVersionId } = await cli.behind((service) =>
    service.saveDraft({
      layoutId,
      body: {
        clientMutationId: "save",
        schemaVersion: 1,
        regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
        blocks: [block("full_name"), block("email")],
      },
    }),
  );
  await cli.behind((service) =>
    service.publishLayout({ layoutId, body: { clientMutationId: "publish", draftVersionId } }),
  );
}
