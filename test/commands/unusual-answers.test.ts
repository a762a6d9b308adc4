/** Tests commands with responses that the API document allows, but that our own server never sends. */

import { describe, expect, it } from "vitest";
import { answering, FORMS, LAYOUTS, UNUSUAL_SERVER, openUnusualServer } from "./unusual-server.ts";

const FORM = { id: "frm_1", name: "Intake", types: ["CREATE"] };
const WHOLE = {
  ...FORM,
  isActive: true,
  isPublic: false,
  config: null,
  viewLayoutId: "lay_1",
  viewLayoutName: "Intake",
};
const LISTED = answering("get", FORMS, { data: [FORM] });
const READ = answering("get", `${FORMS}/frm_1`, { data: WHOLE });
const DRAFT = { schemaVersion: 1, regions: [{ key: "main", layout: "grid" }], blocks: [] };
const ODD_TEXT = /undefined|NaN|\[object Object\]|internal error/;

describe("forms list on a server that ignores filters", () => {
  const FORMS_SENT = [
    { ...WHOLE, id: "frm_1", name: "Candidate intake", types: ["CREATE"], isPublic: true },
    { ...WHOLE, id: "frm_2", name: "Old desk", types: ["VIEW", "EDIT"], isActive: false },
    { ...WHOLE, id: "frm_3", name: "Quick look", types: ["VIEW"], isDefaultView: true },
  ];
  const list = ["forms", "list", "staffing/candidate", "-o", "name"];
  const sent = (forms: object[], meta?: object) =>
    openUnusualServer(answering("get", FORMS, { data: forms, ...(meta && { meta }) }));
  const or = (...items: object[]) => JSON.stringify({ op: "or", items });

  it.each<[string, string, string[]]>([
    ["--filter", "name=Old desk", ["frm_2"]],
    ["--filter", "name!=Old desk", ["frm_1", "frm_3"]],
    ["--filter", "name~INTAKE", ["frm_1"]],
    ["--filter", "active=true", ["frm_1", "frm_3"]],
    ["--filter", "public=false", ["frm_2", "frm_3"]],
    ["--filter", "types=VIEW", ["frm_2", "frm_3"]],
    ["--filter", "types=VIEW,EDIT", ["frm_2"]],
    ["--filter-json", or({ field: "name", operator: "startsWith", value: "Quick" }), ["frm_3"]],
    ["--filter-json", or({ field: "name", operator: "in", value: ["Old desk", "Quick look"] }), ["frm_2", "frm_3"]],
    ["--filter-json", or({ field: "types", operator: "eq", value: ["EDIT", "VIEW"] }), ["frm_2"]],
    ["--filter-json", or({ field: "types", operator: "ne", value: ["VIEW"] }), ["frm_1", "frm_2"]],
    ["--filter-json", or({ field: "types", operator: "in", value: ["CREATE", "EDIT"] }), ["frm_1", "frm_2"]],
    ["--filter-json", or({ field: "id", operator: "startsWith", value: "frm_1" }), ["frm_1"]],
    ["--filter-json", or(), []],
    ["--filter-json", `{"op": "and", "items": []}`, ["frm_1", "frm_2", "frm_3"]],
    [
      "--filter-json",
      or({ field: "isPublic", operator: "eq", value: true }, { field: "isActive", operator: "ne", value: true }),
      ["frm_1", "frm_2"],
    ],
  ])("prints only the forms that match %s %s", async (option, filter, ids) => {
    const { cli } = await sent(FORMS_SENT);
    const { stdout, stderr } = await cli.run(...list, option, filter);
    expect({ ids: stdout.split("\n").slice(0, -1), stderr }).toEqual({ ids, stderr: "" });
  });

  it("refuses to list one page", async () => {
    const { cli } = await sent(FORMS_SENT, { page: 1, limit: 3, total: 3 });
    const { code, stdout, stderr } = await cli.run(...list, "--filter", "types=VIEW", "--page", "1");
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain("the server does not show a page of the matching forms, because it ignores the filter");
    expect(stderr).toContain("remove --page, --limit and --count");
  });

  it("fails if a form lacks the member of the filter, unless another condition decides", async () => {
    const { cli } = await sent([{ id: "frm_4", name: "Bare", types: ["VIEW"] }]);
    const { code, stderr } = await cli.run(...list, "--filter", "active=true");
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining('whether the form "Bare" (frm_4)') });
    const decided = await cli.run(...list, "--filter", "active=true", "--filter", "types=EDIT");
    expect(decided).toMatchObject({ code: 0, stdout: "" });
  });

  it("prints what a server sends that states to obey the filter", async () => {
    const { cli } = await sent(FORMS_SENT.slice(0, 1), { page: 1, limit: 100, total: 1, filtered: true });
    expect((await cli.run(...list, "--filter", "name~candidat?e")).stdout).toBe("frm_1\n");
  });
});

describe("layouts publish", () => {
  const versions = answering("get", `${LAYOUTS}/lay_1/versions`, { data: [{ id: "ver_1", status: "DRAFT" }] });
  it.each([
    ["204 without a body", undefined, "Accepted (204), not confirmed"],
    ["the id alone", { data: { id: "ver_1" } }, "Published a version (ver_1)."],
    ["a version record", { data: { id: "ver_1", version: 3, status: "PUBLISHED" } }, "Published version 3 (ver_1)."],
    ["the version in a member", { data: { version: { id: "ver_1", version: 3 } } }, "Published version 3 (ver_1)."],
    ["a version with a number as its id", { data: { id: 7 } }, "Published a version (7)."],
  ])("reports the error of the server: %s", async (_what, body, text) => {
    const { cli } = await openUnusualServer(versions, answering("post", `${LAYOUTS}/lay_1/publish`, body));
    const { code, stdout, stderr } = await cli.run("layouts", "publish", "lay_1", "--draft", "ver_1");
    expect({ code, text: stdout + stderr }).toMatchObject({ code: 0, text: expect.stringContaining(text) });
    expect(stdout + stderr).not.toMatch(ODD_TEXT);
  });

  it("names --draft where neither the list nor the record shows a draft", async () => {
    const { cli } = await openUnusualServer(answering("get", `${LAYOUTS}/lay_1/versions`, { data: [] }));
    const { code, stderr } = await cli.run("layouts", "publish", "lay_1");
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining("--draft ID") });
  });

  it("exits with 3 for a refusal with an invalid validation, whatever its code", async () => {
    const error = { code: "NOPE", message: "no", validation: { errors: [{ message: "the region is empty" }] } };
    const { cli } = await openUnusualServer(answering("post", `${LAYOUTS}/lay_1/publish`, { error }, 409));
    const { code, stderr } = await cli.run("layouts", "publish", "lay_1", "--draft", "ver_1", "--json");
    expect(code).toBe(3);
    expect((JSON.parse(stderr) as { error: { api: unknown } }).error.api).toEqual({ status: 409, ...error });
  });
});

describe("layouts draft push", () => {
  const push = ["layouts", "draft", "push", "lay_1", "draft.json"];
  const saved = (data: object) => answering("put", `${LAYOUTS}/lay_1/draft`, { data });
  const validation = { state: "valid", errors: [], warnings: [] };

  it("accepts a response with only the draft's id and validation", async () => {
    const { cli, sent } = await openUnusualServer(saved({ draftVersionId: "ver_9", validation, extra: 1 }));
    cli.file("draft.json", DRAFT);
    const { code, stdout } = await cli.run(...push);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Saved draft ver_9: valid.\n" });
    expect(sent).toEqual(["GET /v1/view-layouts/lay_1/versions", "PUT /v1/view-layouts/lay_1/draft"]);
    const { json } = await cli.run(...push, "--json");
    expect(json()).toMatchObject({ draftVersionId: "ver_9", validation, extra: 1, layoutId: "lay_1", problems: [] });
  });

  it("reads the draft version if the response has another version too", async () => {
    const { cli } = await openUnusualServer(
      saved({ version: { id: "ver_8" }, draftVersion: { id: "ver_9", validation } }),
    );
    cli.file("draft.json", DRAFT);
    expect((await cli.run(...push)).stdout).toBe("Saved draft ver_9: valid.\n");
  });

  it("keeps unknown members of a validation message, and reads a code that is a number", async () => {
    const message = { code: 40, message: "the page is empty", rows: { count: 0 } };
    const { cli } = await openUnusualServer(saved({ draftVersionId: "ver_9", validation: { errors: [message] } }));
    cli.file("draft.json", DRAFT);
    const { json } = await cli.run(...push, "--json");
    expect(json()).toMatchObject({ validation: { errors: [{ ...message, code: "40" }] } });
  });

  it.each([["layouts draft push"], ["layouts draft push --publish"], ["layouts versions restore"]])(
    "prints the number of a version that the response contains as a record: %s",
    async (command) => {
      const version = { id: "ver_9", version: 4, status: "DRAFT", validation };
      const { cli } = await openUnusualServer(
        saved({ version }),
        answering("get", `${LAYOUTS}/lay_1/versions`, { data: [{ id: "ver_1", version: 1, status: "PUBLISHED" }] }),
        answering("post", `${LAYOUTS}/lay_1/versions/ver_1/restore-draft`, { data: { version } }),
        answering("post", `${LAYOUTS}/lay_1/publish`, { data: { version: { id: "ver_9", version: 4 } } }),
      );
      cli.file("draft.json", DRAFT);
      const value = command.includes("push") ? "draft.json" : "1";
      const { stdout, stderr } = await cli.run(...command.split(" "), "lay_1", value);
      expect(stdout).toContain("draft ver_9 (version 4): valid.\n");
      expect(stdout + stderr).not.toMatch(ODD_TEXT);
    },
  );

  it("publishes the draft where the server does not report its state", async () => {
    const publish = answering("post", `${LAYOUTS}/lay_1/publish`, { data: { id: "ver_9" } });
    const { cli } = await openUnusualServer(saved({ draftVersionId: "ver_9" }), publish);
    cli.file("draft.json", DRAFT);
    const { code, stdout } = await cli.run(...push, "--publish");
    expect(code).toBe(0);
    expect(stdout).toBe("Saved draft ver_9: the server does not report whether it is valid.\nPublished it as ver_9.\n");
  });

  it("reports the saved draft where the publication fails", async () => {
    const { cli } = await openUnusualServer(saved({ draftVersionId: "ver_9" }));
    cli.file("draft.json", DRAFT);
    const { code, stderr } = await cli.run(...push, "--publish");
    expect(code).toBe(5);
    expect(stderr).toContain("the draft is saved as ver_9, but not published");
  });

  it("publishes nothing that has errors, though the server reports no state", async () => {
    const { cli } = await openUnusualServer(
      saved({ draftVersionId: "ver_9", validation: { errors: ["the page is empty"] } }),
    );
    cli.file("draft.json", DRAFT);
    const { code, stdout } = await cli.run(...push, "--publish");
    expect(code).toBe(3);
    expect(stdout).toContain("the page is empty");
    expect(stdout).toContain("Not published: the draft is invalid.");
  });
});

describe("forms update", () => {
  const UPDATE = ["forms", "update", "staffing/candidate/frm_1"];
  const PATCHED = (data: object) => answering("patch", `${FORMS}/frm_1`, { data });

  it("adds a mode where no answer has usableTypes", async () => {
    const { cli } = await openUnusualServer(LISTED, READ, PATCHED({ ...FORM, types: ["CREATE", "EDIT"] }));
    const { code, stdout, stderr } = await cli.run(...UPDATE, "--add-type", "EDIT");
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(ODD_TEXT);
  });

  it("keeps an unknown mode", async () => {
    const form = { ...WHOLE, types: ["VIEW", "WORKSPACE"] };
    const { cli } = await openUnusualServer(answering("get", `${FORMS}/frm_1`, { data: form }));
    const { json } = await cli.run(...UPDATE, "--add-type", "EDIT", "--dry-run", "--json");
    expect(json()).toMatchObject({ requests: [{ body: { types: ["VIEW", "WORKSPACE", "EDIT"] } }] });
  });

  it("reads the record before it replaces a member of the config: a list item may lack it", async () => {
    const config = { title: "Old", tone: "warm" };
    const { cli } = await openUnusualServer(LISTED, answering("get", `${FORMS}/frm_1`, { data: { ...WHOLE, config } }));
    const { json } = await cli.run(
      "forms",
      "update",
      "staffing/candidate/Intake",
      "--title",
      "New",
      "--dry-run",
      "--json",
    );
    expect(json()).toMatchObject({ requests: [{ body: { config: { title: "New", tone: "warm" } } }] });
  });

  it("refuses to change one text of a config that the server does not show", async () => {
    const { cli, sent } = await openUnusualServer(answering("get", `${FORMS}/frm_1`, { data: FORM }));
    const { code, stderr } = await cli.run(...UPDATE, "--title", "New");
    expect(code).toBe(7);
    expect(stderr).toContain('the server does not show the config of the form "Intake" (frm_1)');
    expect(sent.filter((line) => !line.startsWith("GET"))).toEqual([]);
  });
});

describe("names in the place of ids", () => {
  it.each(["available", "defaults"])("finds a form named %s by the list", async (name) => {
    const { cli, sent } = await openUnusualServer(
      answering("get", FORMS, { data: [{ ...FORM, name }] }),
      answering("get", `${FORMS}/frm_1`, { data: { ...WHOLE, name } }),
      answering("get", `${FORMS}/:other`, { data: [] }),
    );
    const { code, stdout } = await cli.run("forms", "get", `staffing/candidate/${name}`);
    expect(code).toBe(0);
    expect(stdout).toContain("frm_1");
    expect(sent.filter((line) => line.endsWith(`/${name}`))).toEqual([]);
  });

  it("asks for the list where the server answers 400 to a name in the place of an id", async () => {
    const { cli } = await openUnusualServer(
      LISTED,
      READ,
      answering("get", `${FORMS}/Intake`, { error: { code: "BAD_ID", message: "not an id" } }, 400),
    );
    expect((await cli.run("forms", "get", "staffing/candidate/Intake")).code).toBe(0);
  });
});

describe("versions", () => {
  const versionsOf = (data: object[]) => answering("get", `${LAYOUTS}/lay_1/versions`, { data });
  const content = { regions: [], blocks: [] };

  it("treats the highest number as the latest version, regardless of the order", async () => {
    const published = (id: string, version: number) => ({ id, version, status: "PUBLISHED", ...content });
    const { cli } = await openUnusualServer(
      versionsOf([published("ver_1", 1), published("ver_3", 3), published("ver_2", 2)]),
      answering("get", `${LAYOUTS}/lay_1/versions/:id`, { data: published("ver_3", 3) }),
    );
    const { json } = await cli.run("layouts", "versions", "get", "lay_1", "latest", "--json");
    expect(json()).toMatchObject({ id: "ver_3" });
  });

  it("treats the newest version as the latest if versions have no number", async () => {
    const published = (id: string, createdAt: string) => ({ id, createdAt, status: "PUBLISHED", ...content });
    const { cli, sent } = await openUnusualServer(
      versionsOf([published("ver_a", "2026-01-01T00:00:00Z"), published("ver_b", "2026-02-01T00:00:00Z")]),
      answering("get", `${LAYOUTS}/lay_1/versions/ver_b`, { data: published("ver_b", "2026-02-01T00:00:00Z") }),
    );
    expect((await cli.run("layouts", "versions", "get", "lay_1", "latest")).code).toBe(0);
    expect(sent.at(-1)).toBe("GET /v1/view-layouts/lay_1/versions/ver_b");
  });

  it("names the ids where the server does not report which version is the draft", async () => {
    const { cli } = await openUnusualServer(versionsOf([{ id: "ver_1" }, { id: "ver_2" }]));
    const { code, stderr } = await cli.run("layouts", "draft", "show", "lay_1");
    expect(code).toBe(7);
    expect(stderr).toContain("formctl layouts versions get lay_1 ID; it has ver_1, ver_2");
  });

  it("shows no empty content where the server shows none", async () => {
    const { cli } = await openUnusualServer(
      versionsOf([{ id: "ver_1", status: "DRAFT" }]),
      answering("get", `${LAYOUTS}/lay_1/versions/ver_1`, { data: { id: "ver_1", status: "DRAFT" } }),
    );
    const { code, stdout, stderr } = await cli.run("layouts", "draft", "show", "lay_1", "-o", "yaml");
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain("the server does not show the content of the version ver_1");
  });
});

describe("what is unknown", () => {
  it("is unknown, not none, in the list of layouts", async () => {
    const layouts = [
      { id: "lay_1", name: "Bare" },
      { id: "lay_2", name: "Drafted", currentVersionId: null, latestDraftVersionId: "ver_1" },
    ];
    const { cli } = await openUnusualServer(answering("get", LAYOUTS, { data: layouts }));
    const { stdout } = await cli.run("layouts", "list");
    const [, bare = "", drafted = ""] = stdout.split("\n");
    expect(bare).toMatch(/^Bare +lay_1 +unknown.*unknown +unknown$/);
    expect(drafted).toMatch(/ - +yes$/);
  });

  it("shows versions as unknown if they have no status", async () => {
    const { cli } = await openUnusualServer(answering("get", `${LAYOUTS}/lay_1/versions`, { data: [{ id: "ver_1" }] }));
    const { code, json } = await cli.run("layouts", "get", "lay_1", "--json");
    expect(code).toBe(0);
    expect(json()).toEqual({
      id: "lay_1",
      unreadable: expect.arrayContaining(["currentVersion", "latestDraftVersion"]) as unknown,
    });
    expect((await cli.run("layouts", "get", "lay_1")).stdout).toMatch(/published: +unknown\ndraft: +unknown/);
  });

  it("does not call a layout without versions missing", async () => {
    const { cli } = await openUnusualServer(answering("get", `${LAYOUTS}/lay_1/versions`, { data: [] }));
    expect((await cli.run("layouts", "get", "lay_1", "--json")).json()).toMatchObject({ currentVersionId: null });
  });
});

it("reports an invalid response in one sentence, with its location", async () => {
  const { cli } = await openUnusualServer(
    answering("get", FORMS, { data: [{ id: "frm_1", name: "A", types: ["VIEW"], usableTypes: "VIEW" }] }),
  );
  const { code, stderr } = await cli.run("forms", "list", "staffing/candidate");
  expect(code).toBe(7);
  expect(stderr).toBe(
    `error: ${UNUSUAL_SERVER} answers GET /v1/custom-modules/staffing/objects/candidate/forms with 200, but [0].usableTypes is not a list\n`,
  );
});

describe("a token that may change forms and not read them", () => {
  const forbidden = { error: { code: "FORBIDDEN", message: "no" } };
  const unread = [answering("get", `${UNUSUAL_SERVER}/*`, forbidden, 403)];
  const form = "staffing/candidate/frm_1";
  it.each([
    [["forms", "update", form, "--name", "New"], answering("patch", `${FORMS}/frm_1`)],
    [["forms", "delete", form, "--allow-delete"], answering("delete", `${FORMS}/frm_1`)],
    [["forms", "access", "set", form, "-f", "access.json", "--yes"], answering("put", `${FORMS}/frm_1/access`)],
    [["forms", "access", "clear", form, "--yes"], answering("put", `${FORMS}/frm_1/access`)],
    [["layouts", "archive", "lay_1", "--allow-delete"], answering("post", `${LAYOUTS}/lay_1/archive`)],
    [["layouts", "update", "lay_1", "--name", "New"], answering("patch", `${LAYOUTS}/lay_1`)],
  ])("%s", async (argv, handler) => {
    const { cli, sent } = await openUnusualServer(handler, ...unread);
    cli.file("access.json", { users: [], roles: [{ roleId: "rol_1", types: ["CREATE"] }] });
    const { code, stdout, stderr } = await cli.run(...argv);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(sent.filter((line) => !line.startsWith("GET"))).toHaveLength(1);
    expect(stdout + stderr).not.toMatch(ODD_TEXT);
  });

  it("is refused what depends on the form as it is", async () => {
    const { cli, sent } = await openUnusualServer(...unread);
    expect((await cli.run("forms", "update", form, "--add-type", "VIEW")).code).toBe(4);
    expect(sent.filter((line) => !line.startsWith("GET"))).toEqual([]);
  });
});
