/**
 * The output of a refusal. It has the complete error of the service, unchanged in the document and readable in the
 * text.
 */

import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { FormctlError } from "../src/base/error.ts";
import { refusal } from "../src/client/error-answer.ts";
import type { AnswerBody } from "../src/client/exchange.ts";
import { httpService } from "../src/client/http-service.ts";
import { failureText, printFailure } from "../src/commands/print-failure.ts";
import { describeFailure } from "../src/composition/exit.ts";
import { localRefusal, type Service } from "../src/service.ts";
import { plain } from "../src/terminal/style.ts";
import { testTerminal } from "./terminal/test-terminal.ts";
import { type Reply, startServer } from "./client/table-server.ts";
import { type Cli, openCli } from "./commands/cli.ts";
import { propertyRuns } from "./effort.ts";

const all = { "content-type": "application/json" };
const JSON_ANSWER = { get: (name: string) => new Headers(all).get(name), all };

function refused(status: number, body: AnswerBody): Error {
  return refusal({ status, headers: JSON_ANSWER, body });
}

function printed(error: unknown, json: boolean): string {
  const terminal = testTerminal();
  printFailure(describeFailure(error), { json, terminal, sources: new Map() });
  return terminal.stderr;
}

/** Returns `error.api` of the JSON document. */
function apiOf(status: number, value: unknown): unknown {
  const text = printed(refused(status, { kind: "json", value }), true);
  return (JSON.parse(text) as { error: { api?: unknown } }).error.api;
}

function textOf(status: number, value: unknown): string {
  return printed(refused(status, { kind: "json", value }), false);
}

describe("error.api", () => {
  it.each<[string, object]>([
    ["a validation without a state", { validation: { errors: [{ message: "wrong", line: 3 }] } }],
    ["a validation of another shape", { validation: ["wrong"] }],
    ["impacts of another shape", { impacts: [{ field: "pay", loses: 57 }, "and more", null] }],
    ["impacts that are an object", { impacts: { pay: { loses: 57 } } }],
    ["field errors that are a list", { fieldErrors: [{ field: "name", message: "is taken" }] }],
    ["field errors that are objects", { fieldErrors: { name: [{ code: "TAKEN", message: "is taken" }], types: 4 } }],
    ["errors that are text", { errors: "wrong" }],
    ["members of the wrong type", { meta: "x", clientMutationId: 7, relationTableErrors: [], idempotencyConflict: 1 }],
    ["a code that is a number", { code: 4091 }],
    ["unknown members", { requestId: "r_1", details: { a: [1] } }],
  ])("keeps %s", (_what, members) => {
    const error = { code: "X", message: "no", ...members };
    expect(apiOf(409, { error })).toEqual({ ...error, status: 409 });
  });

  it.each<[string, unknown, object]>([
    ["an error that is text", { error: "no", requestId: "r_1" }, { error: "no", requestId: "r_1" }],
    ["a problem document", { type: "about:blank", title: "no", status: 409 }, { type: "about:blank", title: "no" }],
    ["members at the top", { code: "X", message: "no" }, { code: "X", message: "no" }],
    [
      "members beside the error",
      { error: { code: "X" }, requestId: "r_1" },
      { code: "X", body: { error: { code: "X" }, requestId: "r_1" } },
    ],
    [
      "a status of the error's own",
      { error: { code: "X", status: "closed" } },
      { code: "X", body: { error: { code: "X", status: "closed" } } },
    ],
    ["a list", ["no"], { body: ["no"] }],
    ["a text", "no", { body: "no" }],
  ])("keeps an answer that is or has %s", (_what, answer, said) => {
    expect(apiOf(409, answer)).toEqual({ ...said, status: 409 });
  });

  it("keeps an answer that is not JSON", () => {
    const text = printed(refused(502, { kind: "text", text: "<p>Bad gateway</p>" }), true);
    expect(JSON.parse(text)).toMatchObject({
      error: { code: "HTTP_502", api: { status: 502, body: "<p>Bad gateway</p>" } },
    });
  });

  it("is the status alone where the answer is empty", () => {
    const text = printed(refused(409, { kind: "empty", certain: true }), true);
    expect((JSON.parse(text) as { error: { api: unknown } }).error.api).toEqual({ status: 409 });
  });
});

describe("the text of a refusal", () => {
  it("has the code after the message", () => {
    expect(textOf(409, { error: { code: "FORM_IS_DEFAULT", message: '"Intake" is the default for CREATE' } })).toBe(
      'error: "Intake" is the default for CREATE (FORM_IS_DEFAULT)\n',
    );
    expect(textOf(409, { error: { code: "ODD_ONE", message: "no" } })).toBe("error: no (ODD_ONE)\n");
    expect(textOf(409, { error: { code: "ODD_ONE", message: "ODD_ONE: no" } })).toBe("error: ODD_ONE: no\n");
    expect(textOf(409, { error: "no" })).toBe("error: no (HTTP_409)\n");
  });

  it("has no code where formctl refuses without a request", () => {
    expect(printed(localRefusal(409, "FORM_IS_DEFAULT", "no"), false)).toBe("error: no\n");
  });

  it("has no code of formctl for a write whose outcome is unknown", () => {
    const cause = refused(500, { kind: "json", value: { error: { code: "CRASHED", message: "no" } } });
    const text = printed(new FormctlError("OUTCOME_UNKNOWN", "the outcome is unknown", "Look first.", cause), false);
    expect(text).toBe("error: the outcome is unknown\nhint: Look first.\n");
  });

  it("has every member in a fixed order", () => {
    const error = {
      clientMutationId: "m_1",
      idempotencyConflict: { firstSeenAt: "2026-03-01T09:00:00Z" },
      relationTableErrors: { rows: 2 },
      unavailableMutationScopes: ["forms", "layouts"],
      meta: { currentDraftVersionId: "ver_2" },
      impacts: [
        { draftId: "d_1", fieldKey: "pay", action: "delete", reasons: ["VALUE_CLEAR"], valueCount: 57, records: 9 },
        { field: "rate", loses: 3 },
      ],
      validation: { errors: [{ code: "WRONG", path: "blocks[0]", message: "is wrong" }], warnings: ["is odd"] },
      errors: [{ message: "is wrong" }, "something else"],
      fieldErrors: { name: ["is taken", { message: "is long" }], types: "is empty" },
      message: "no",
      code: "X",
    };
    expect(textOf(409, { error })).toBe(
      [
        "error: no (X)",
        "  name: is taken",
        "  name: is long",
        "  types: is empty",
        "  something else",
        "  blocks[0]  error  WRONG  is wrong",
        "  warning  is odd",
        '  d_1: delete pay (VALUE_CLEAR; 57 values; {"records":9}): --confirm-field-change d_1',
        '  {"field":"rate","loses":3}',
        '  meta: {"currentDraftVersionId":"ver_2"}',
        "  unavailable: forms, layouts",
        '  relation tables: {"rows":2}',
        "  first used at 2026-03-01T09:00:00Z",
        "  clientMutationId: m_1",
        "",
      ].join("\n"),
    );
  });

  it.each<[unknown, string]>([
    [{ state: "invalid" }, "  validation: invalid\n"],
    ["invalid", "  validation: invalid\n"],
    [{ blocks: 3 }, '  validation: {"blocks":3}\n'],
    [7, "  validation: 7\n"],
    [["is wrong"], "  error  is wrong\n"],
  ])("has a validation of the shape %j", (validation, line) => {
    expect(textOf(409, { error: { code: "X", message: "no", validation } })).toBe(`error: no (X)\n${line}`);
  });

  it("starts the details with the partially applied changes", () => {
    const error = { code: "X", message: "no", fieldErrors: { a: "b" }, meta: { partiallyApplied: true } };
    expect(textOf(409, { error })).toBe('error: no (X)\n  partially applied: {"partiallyApplied":true}\n  a: b\n');
  });
});

const MEMBERS = [
  "fieldErrors",
  "errors",
  "validation",
  "impacts",
  "meta",
  "unavailableMutationScopes",
  "relationTableErrors",
  "idempotencyConflict",
  "clientMutationId",
  "code",
  "message",
  "__proto__",
] as const;

/** Any JSON, with frequent use of the member names that the reader looks for. */
function anyJson(): fc.Arbitrary<unknown> {
  const names = ["state", "errors", "warnings", "message", "code", "path", "line", "file", "severity", "draftId"];
  const more = ["fieldKey", "action", "reasons", "valueCount", "requires", "referencedByLayouts", "firstSeenAt"];
  const key = fc.oneof(fc.constantFrom(...names, ...more, "partiallyApplied", "currentDraftVersionId"), fc.string());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("list"), tie("object")),
    leaf: fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    list: fc.array(tie("tree"), { maxLength: 3 }),
    object: fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
  }));
  return tree.map((value): unknown => JSON.parse(JSON.stringify(value)));
}

const anyError = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...MEMBERS), anyJson()), { selector: ([name]) => name })
  .map((entries): unknown => Object.fromEntries(entries));
const anyStatus = fc.constantFrom(400, 401, 403, 404, 405, 409, 412, 422, 429, 500, 503);

describe("any JSON in any member of an error", () => {
  const hasNoise = (value: unknown) => /undefined|NaN|\[object|internal error/.test(JSON.stringify(value));

  it("is unchanged in the document", () => {
    fc.assert(
      fc.property(anyStatus, anyError, (status, error) => {
        expect(apiOf(status, { error })).toEqual({ ...(error as object), status });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("never prints undefined, NaN or [object Object]", () => {
    fc.assert(
      fc.property(anyStatus, anyError, fc.boolean(), (status, error, isInner) => {
        fc.pre(!hasNoise(error));
        const failure = refused(status, { kind: "json", value: isInner ? { error } : error });
        for (const json of [false, true])
          expect(printed(failure, json)).not.toMatch(/undefined|NaN|\[object|internal error/);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });
});

async function openRefusing(answer: (method: string, url: string) => Reply): Promise<Cli> {
  const cli = await openCli(null);
  const server = await startServer(async ({ method, url }) => answer(method, url));
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
  cli.env["FORMCTL_TOKEN"] = "tok_refusals_test_0123456789";
  return cli;
}

const DRAFTS = { data: [{ id: "ver_1", version: 1, status: "DRAFT" }] };
const PUBLISH = ["layouts", "publish", "lay_1"];

describe("a publish that a server refuses with impacts", () => {
  const refusing = (error: object) =>
    openRefusing((method) => (method === "GET" ? { status: 200, body: DRAFTS } : { status: 409, body: { error } }));

  it("requires confirmation with any code, and keeps the error of the server", async () => {
    const error = {
      code: "CHANGES_COST",
      message: "no",
      impacts: [{ draftId: "d_1", fieldKey: "pay", action: "drop" }],
    };
    const cli = await refusing(error);
    const { code, error: document } = await cli.run(...PUBLISH, "--json");
    expect(code).toBe(8);
    expect(document()).toMatchObject({
      code: "CHANGES_COST",
      message: "drop pay",
      hint: "To confirm and publish: formctl layouts publish lay_1 --confirm-field-change d_1",
      api: { ...error, status: 409 },
    });
  });

  it("is a conflict where all of them are confirmed", async () => {
    const cli = await refusing({ code: "CHANGES_COST", message: "no", impacts: [{ draftId: "d_1" }] });
    const { code, stderr } = await cli.run(...PUBLISH, "--confirm-field-change", "d_1");
    expect(code).toBe(6);
    expect(stderr).not.toContain("To publish all the same");
  });

  it("prints impacts of another shape as they are", async () => {
    const cli = await refusing({ code: "CHANGES_COST", message: "values would be lost", impacts: [{ field: "pay" }] });
    const { code, stderr } = await cli.run(...PUBLISH);
    expect(code).toBe(8);
    expect(stderr).toBe('error: values would be lost (CHANGES_COST)\n  {"field":"pay"}\n');
    const asked = await cli.answering([true], ...PUBLISH);
    expect(asked).toMatchObject({ code: 8, asked: [] });
  });

  it("is an invalid draft where the validation has errors without a state", async () => {
    const cli = await refusing({ code: "NO", message: "no", validation: { errors: [{ message: "is wrong" }] } });
    const { code, stderr } = await cli.run(...PUBLISH);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "error: no (NO)\n  error  is wrong\n" });
  });
});

describe("a draft that is not the expected one", () => {
  const stale = (meta: object) =>
    printed(refused(409, { kind: "json", value: { error: { code: "DRAFT_STALE", message: "no", meta } } }), false);

  it("was published or deleted where there is no draft", () => {
    expect(stale({ currentDraftVersionId: null })).toContain(
      "hint: The layout has no draft: it was published or deleted. See: formctl layouts versions list LAYOUT\n",
    );
  });

  it("is shown where there is another", () => {
    expect(stale({ currentDraftVersionId: "ver_2" })).toContain(
      "hint: The current draft is ver_2. See: formctl layouts draft show LAYOUT\n",
    );
    expect(stale({})).toContain("hint: The draft changed. See: formctl layouts draft show LAYOUT\n");
  });

  it("is not the cause where another version was published", () => {
    expect(stale({ currentDraftVersionId: "ver_2", currentPublishedVersionId: "ver_1" })).toContain(
      "hint: Another version was published. See: formctl layouts versions list LAYOUT\n",
    );
  });
});

describe("a refusal without a request", () => {
  it("has no api member", async () => {
    const cli = await openCli();
    const object = "staffing/candidate";
    await cli.run("forms", "create", object, "--name", "Intake", "--types", "CREATE");
    const form = `${object}/Intake`;
    await cli.behind(async (service) => {
      const address = { moduleKey: "staffing", objectKey: "candidate" };
      const { data } = await service.listForms({ ...address, query: {} });
      const intake = data.find(({ name }) => name === "Intake");
      await service.updateFormDefaults({ ...address, body: { defaultCreateFormId: intake?.id ?? null } });
    });
    const refusals: [code: string, exitCode: number, argv: string[]][] = [
      ["FORM_IS_DEFAULT", 6, ["forms", "delete", form, "--allow-delete"]],
      ["LAYOUT_FORM_OWNED", 6, ["layouts", "archive", form, "--allow-delete"]],
    ];
    for (const [code, exitCode, argv] of refusals) {
      const { error } = await cli.run(...argv, "--json");
      expect(error()).toMatchObject({ code, exitCode });
      expect(error()).not.toHaveProperty("api");
      expect((await cli.run(...argv)).stderr).not.toContain(code);
    }
  });

  it("has none for a missing draft", async () => {
    const cli = await openRefusing((_method, url) =>
      url.includes("/versions") ? { status: 200, body: { data: [] } } : { status: 405 },
    );
    const { error } = await cli.run(...PUBLISH, "--json");
    expect(error()).toMatchObject({ code: "DRAFT_MISSING", exitCode: 6 });
    expect(error()).not.toHaveProperty("api");
  });

  it("has none for an id that can't be one, which is still not found", async () => {
    const service: Service = httpService({
      baseUrl: "http://127.0.0.1:9",
      token: { reveal: () => "x" } as never,
      fetch: () => Promise.reject(new Error("a request was sent")),
      deadline: 1_000,
      now: () => new Date(0),
      sleep: async () => undefined,
      random: () => 0,
    });
    const error: unknown = await service.getLayout({ layoutId: ".." }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 404 });
    expect(describeFailure(error)).toMatchObject({ code: "NOT_FOUND", exitCode: 5 });
    expect(describeFailure(error)).not.toHaveProperty("api");
  });

  it("keeps the api member where the local engine refuses", async () => {
    const cli = await openCli();
    const { error } = await cli.run("layouts", "get", "lay_none", "--json");
    expect(error()).toMatchObject({ code: "NOT_FOUND", api: { status: 404, code: "NOT_FOUND" } });
  });
});

describe("the problems of a file that a service refuses", () => {
  it("hide neither the message nor the code of the refusal", () => {
    const problem = {
      severity: "error" as const,
      code: "WRONG",
      message: "is wrong",
      file: "a.yaml",
      line: 1,
      column: 1,
    };
    const failure = { code: "DRAFT_INVALID", message: "no", exitCode: 3 as const, problems: [problem] };
    const api = {
      status: 409,
      code: "DRAFT_INVALID",
      message: "no",
      validation: { errors: [{ message: "is wrong" }] },
    };
    const view = {
      style: plain,
      width: Infinity,
      sources: new Map<string, string>(),
      confirmation: (id: string) => id,
    };
    expect(failureText({ ...failure, api }, view)).toBe(
      "a.yaml:1:1  error  WRONG  is wrong\n1 error\nerror: no (DRAFT_INVALID)\n",
    );
  });
});
