/** Tests the effect of options for request members on the service. */

import { beforeEach, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.ts";
import { aForm, OBJECT } from "./forms-scene.ts";
import { DESK, droppingPayRate, newPage, openScene, PROFILE } from "./layouts-scene.ts";
import { openRecordingScene } from "./recording-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const namesOf = (document: unknown) => (document as { name: string }[]).map(({ name }) => name);

describe("forms list", () => {
  async function threeForms(cli: Cli): Promise<Cli> {
    await cli.run("forms", "create", OBJECT, "--name", "Intake", "--types", "CREATE", "--public");
    await cli.run("forms", "create", OBJECT, "--name", "Look", "--types", "VIEW");
    await cli.run("forms", "create", OBJECT, "--name", "Desk", "--types", "CREATE,VIEW", "--inactive");
    return cli;
  }
  const isPublic = { field: "isPublic", operator: "eq", value: true };
  const isNamed = { field: "name", operator: "in", value: ["Look", "Desk"] };

  it.each<[options: string[], names: string[]]>([
    [
      ["--filter-json", JSON.stringify({ op: "or", items: [isPublic, isNamed] })],
      ["Look", "Intake", "Desk"],
    ],
    [
      ["--filter-json", "{op: and, items: [{field: name, operator: in, value: [Look, Desk]}]}"],
      ["Look", "Desk"],
    ],
    [
      ["-f", "or.yaml"],
      ["Look", "Intake", "Desk"],
    ],
    [
      ["-f", "or.yaml", "--filter", "types=CREATE"],
      ["Intake", "Desk"],
    ],
    [
      ["-f", "or.yaml", "--filter", "types=CREATE", "--filter-json", JSON.stringify({ op: "and", items: [isNamed] })],
      ["Desk"],
    ],
    [["-f", "-"], ["Intake"]],
  ])("lists the forms that match %j, locally and on a server", async (options, names) => {
    for (const cli of [await openCli(), (await openRemoteScene()).cli]) {
      await threeForms(cli);
      cli.file("or.yaml", { op: "or", items: [isPublic, { op: "and", items: [isNamed] }] });
      cli.stdin = JSON.stringify({ op: "or", items: [isPublic] });
      expect(namesOf((await cli.run("forms", "list", OBJECT, ...options, "--sort", "-name", "--json")).json())).toEqual(
        names,
      );
    }
  });

  it.each<[options: string[], meta: object]>([
    [[], { total: 3 }],
    [["--filter", "public=true"], { total: 1 }],
    [["--page", "2", "--limit", "2"], { page: 2, limit: 2, total: 3, hasMore: false }],
    [
      ["--limit", "2", "--count", "hasMore"],
      { page: 1, limit: 2, hasMore: true, nextCursor: expect.any(String) as string },
    ],
    [["--count", "none", "--limit", "1"], { page: 1, limit: 1 }],
    [["--count", "exact"], { page: 1, limit: 20, total: 3, hasMore: false }],
  ])("prints the meta of the list with %j, locally and on a server", async (options, meta) => {
    for (const cli of [await openCli(), (await openRemoteScene()).cli]) {
      await threeForms(cli);
      const plain = (await cli.run("forms", "list", OBJECT, ...options, "-o", "json")).json();
      const { code, json } = await cli.run("forms", "list", OBJECT, ...options, "-o", "json", "--meta");
      expect(code).toBe(0);
      expect(json()).toEqual({ data: plain, meta });
    }
  });

  it("accepts the output setting for --meta, and selects from the document with --query", async () => {
    const cli = await threeForms(await openCli());
    await cli.run("config", "set", "output", "json");
    expect((await cli.run("forms", "list", OBJECT, "--meta", "--query", "meta.total")).stdout).toBe("3\n");
    const { code, stderr } = await cli.run("forms", "list", OBJECT, "--meta", "-o", "table");
    expect(code).toBe(64);
    expect(stderr).toContain("--meta and -o table can't be combined");
  });

  it("asks for columns, and for all pages where no page is named", async () => {
    const { cli, received } = await openRecordingScene();
    expect((await cli.run("forms", "list", OBJECT, "--columns", "name,types")).code).toBe(0);
    const queries = received.map(({ url }) => new URL(url, "http://server").searchParams);
    expect(queries.map((query) => query.get("columns"))).toEqual(queries.map(() => '["name","types"]'));
  });

  it("asks for one page where a count is named", async () => {
    const { cli, received } = await openRecordingScene();
    await cli.run("forms", "list", OBJECT, "--count", "none");
    expect(received.map(({ url }) => new URL(url, "http://server").search)).toEqual(["?count=none"]);
  });
});

describe("layouts create", () => {
  it("sends a null target member, and reads the whole body from a file", async () => {
    const cli = await openScene();
    const board = ["layouts", "create", "--surface", "CONTRACTOR", "--modes", "VIEW", "--name", "Board"];
    const { json } = await cli.run(
      ...board,
      "--target",
      "scopeId=",
      "--target",
      "entityId=e1",
      "--dry-run",
      "-o",
      "json",
    );
    expect(json()).toMatchObject({ requests: [{ body: { target: { scopeId: null, entityId: "e1" } } }] });
    expect((await cli.run(...board, "--target", "scopeId=")).code).toBe(0);
    cli.file("layout.yaml", "surface: USER\nsupportedModes: [VIEW]\ntarget: {scopeId: null}\nname: User page\n");
    const created = await cli.run("layouts", "create", "-f", "layout.yaml", "--json");
    expect(created.json()).toMatchObject({ surface: "USER", name: "User page", supportedModes: ["VIEW"] });
  });

  it("prints the place of a mistake in the file, found here or by the service", async () => {
    const cli = await openScene();
    cli.file("short.yaml", "surface: DASHBOARD\nsupportedModes: [VIEW]\ntarget: {}\nname: Board\n");
    const short = await cli.run("layouts", "create", "-f", "short.yaml");
    expect(short.code).toBe(3);
    expect(short.stderr).toMatch(/^short\.yaml:3:\d+ .*dashboardKey is required for DASHBOARD/);
    cli.file(
      "unknown.yaml",
      "surface: DYNAMIC_OBJECT\nsupportedModes: [VIEW]\ntarget:\n  moduleKey: staffing\n  objectKey: nobody\nname: Card\n",
    );
    const unknown = await cli.run("layouts", "create", "-f", "unknown.yaml");
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toMatch(/^unknown\.yaml:\d+:\d+ /);
  });
});

describe("layouts update -f", () => {
  it("sends the body of the file", async () => {
    const cli = await openScene();
    cli.file("change.yaml", "name: Card\nmetadata: {owner: sales}\n");
    const { json } = await cli.run("layouts", "update", PROFILE, "-f", "change.yaml", "--json");
    expect(json()).toMatchObject({ name: "Card", metadata: { owner: "sales" } });
  });
});

describe("--client-mutation-id", () => {
  it("repeats a write without a second effect", async () => {
    const cli = await openScene();
    const create = ["layouts", "create", "--surface", "USER", "--modes", "VIEW", "--name", "User page"];
    const once = await cli.run(...create, "--client-mutation-id", "create 1", "-o", "name");
    const again = await cli.run(...create, "--client-mutation-id", "create 1", "-o", "name");
    expect(again.stdout).toBe(once.stdout);
    const other = await cli.run(...create, "--target", "scopeId=s", "--client-mutation-id", "create 1", "--json");
    expect(other.error()).toMatchObject({ code: "IDEMPOTENCY_CONFLICT", exitCode: 6 });
  });

  it("is that of the draft with --publish, and the publication has another", async () => {
    const { cli, received } = await openRecordingScene();
    const push = ["layouts", "draft", "push", DESK, "b.yaml", "--publish"];
    cli.file("b.yaml", droppingPayRate().replace(/^clientMutationId: .*\n/m, ""));
    await cli.run(...push, "--client-mutation-id", "push 1");
    const ids = received
      .filter(({ method }) => method !== "GET")
      .map(({ url, body }) => [
        url.split("/").at(-1),
        (JSON.parse(body) as { clientMutationId: string }).clientMutationId,
      ]);
    expect(ids).toEqual([
      ["draft", "push 1"],
      ["publish", expect.not.stringMatching(/^push 1$/) as string],
    ]);
  });

  it("may repeat that of the file, and not contradict it", async () => {
    const cli = await openScene();
    cli.file("own.json", {
      clientMutationId: "in-file",
      schemaVersion: 1,
      regions: [{ key: "main", layout: "grid" }],
      blocks: [],
    });
    const push = ["layouts", "draft", "push", PROFILE, "own.json", "--client-mutation-id"];
    expect((await cli.run(...push, "in-file")).code).toBe(0);
    const { code, error } = await cli.run(...push, "other", "-o", "json");
    expect(code).toBe(64);
    expect(error().message).toBe(
      `--client-mutation-id other and the clientMutationId "in-file" of the file can't be combined`,
    );
  });

  it("stays that of the set while --take-over clears the default of another layout", async () => {
    const cli = await openScene();
    const [first, second] = [await newPage(cli, "First"), await newPage(cli, "Second")];
    const set = ["layouts", "assignments", "set"];
    await cli.run(...set, first, "--default");
    const line = [...set, second, "--default", "--take-over", "--client-mutation-id", "set 1", "-o", "name"];
    expect((await cli.run(...line)).code).toBe(0);
    const conflict = await cli.run(...set, second, "--no-default", "--client-mutation-id", "set 1", "--json");
    expect(conflict.error().code).toBe("IDEMPOTENCY_CONFLICT");
  });
});

describe("layouts publish", () => {
  let cli: Cli;
  beforeEach(async () => {
    cli = await openScene();
  });

  it.each(["none", "-"])("publishes with --expect-published %s only while nothing is published", async (none) => {
    await cli.run("layouts", "draft", "push", PROFILE, "a.yaml");
    expect((await cli.run("layouts", "publish", PROFILE, "--expect-published", none)).code).toBe(0);
    await cli.run("layouts", "versions", "restore", PROFILE, "1");
    const { code, error } = await cli.run("layouts", "publish", PROFILE, "--expect-published", none, "--json");
    expect(code).toBe(6);
    expect(error().code).toBe("DRAFT_STALE");
    const latest = (await cli.run("layouts", "versions", "get", PROFILE, "latest", "-o", "name")).stdout.trim();
    expect((await cli.run("layouts", "publish", PROFILE, "--expect-published", latest)).code).toBe(0);
  });

  it("saves a draft with --expect-draft none only where there is no draft", async () => {
    const push = ["layouts", "draft", "push", PROFILE, "a.yaml", "--expect-draft", "none", "--client-mutation-id"];
    cli.file("a.yaml", { schemaVersion: 1, regions: [{ key: "main", layout: "grid" }], blocks: [] });
    expect((await cli.run(...push, "push 1", "--json")).error().code).toBe("DRAFT_STALE");
    await cli.run("layouts", "publish", PROFILE);
    expect((await cli.run(...push, "push 2")).code).toBe(0);
  });

  it("makes a change whose needed effect is confirmed, and asks for the other one", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--publish");
    cli.file("b2.yaml", droppingPayRate());
    await cli.run("layouts", "draft", "push", DESK, "b2.yaml");
    const publish = ["layouts", "publish", DESK];
    const other = await cli.run(...publish, "--confirm-type-change", "d_pay");
    expect(other.code).toBe(8);
    expect(other.stderr).toContain("--confirm-field-change d_pay");
    expect(other.stderr).not.toContain("--confirm-type-change");
    expect((await cli.run(...publish, "--confirm-value-clear", "d_pay")).code).toBe(0);
  });
});

describe("forms update -f", () => {
  it("makes the change of the file, and refuses a last mode that is removed only after reading", async () => {
    const cli = await openCli();
    await aForm(cli, "Card", ["VIEW"]);
    cli.file("change.yaml", "name: Profile\ntypes: [VIEW, EDIT]\nconfig: {title: T}\n");
    const { json } = await cli.run("forms", "update", `${OBJECT}/Card`, "-f", "change.yaml", "--json");
    expect(json()).toMatchObject({ name: "Profile", types: ["VIEW", "EDIT"], config: { title: "T" } });
    const removed = await cli.run("forms", "update", `${OBJECT}/Profile`, "--remove-type", "VIEW,EDIT", "--json");
    expect(removed.code).toBe(3);
  });

  it("prints the line and column of each mistake, and sends nothing", async () => {
    const { cli, received } = await openRecordingScene();
    cli.file("change.yaml", `name: ""\ntypes: [VIEW, PRINT]\nconfig:\n  title: ${"x".repeat(17_000)}\n`);
    const { code, stderr } = await cli.run("forms", "update", PROFILE, "-f", "change.yaml");
    expect(code).toBe(3);
    expect(stderr).toMatch(/change\.yaml:1:\d+ .*name must not be blank/);
    expect(stderr).toMatch(/change\.yaml:2:\d+ .*types\[1\] must be one of CREATE, VIEW, EDIT/);
    expect(received).toEqual([]);
  });

  it("prints the line and column of a config over 16 KiB", async () => {
    const { cli, received } = await openRecordingScene();
    cli.file("change.yaml", `name: New\nconfig:\n  title: ${"x".repeat(17_000)}\n`);
    const { code, stderr } = await cli.run("forms", "update", PROFILE, "-f", "change.yaml");
    expect(code).toBe(3);
    expect(stderr).toMatch(/change\.yaml:[23]:\d+ .*config must be at most 16 KiB of JSON/);
    expect(received).toEqual([]);
  });
});
