/**
 * Tests two rules of output. Invalid output options are refused before the first request. A failure after a write
 * reports the write.
 */

import { describe, expect, it } from "vitest";
import type { Command } from "../../src/commands/command.ts";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { GLOBAL_OPTIONS } from "../../src/commands/global-flags.ts";
import { longFlag } from "../../src/commands/invocation.ts";
import { readCommandLine } from "../../src/commands/program.ts";
import { unwritableOutput } from "../../src/terminal/descriptors.ts";
import type { Reply } from "../client/table-server.ts";
import { openCli } from "./cli.ts";
import { failReadsAfterWrite, openOutputScene, WRITING, writingLine } from "./output-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const PATHS = Object.keys(WRITING);
/** `apply` reports each of its steps, so the general report is not tested. */
const REPORTED = PATHS.filter((path) => path !== "apply");
/** These commands write files. They send only reads. */
const FILES_ONLY = ["export", "codemod"];
/**
 * These commands report each of their steps. They need files, an earlier run or a second target. Their tests are in
 * test/migrations and test/promotion.
 */
const ELSEWHERE = ["migrate baseline", "migrate down", "migrate repair", "migrate run", "promote"];
/** These commands need a terminal. Their test is test/e2e/edit.test.ts. */
const IN_EDITOR = ["forms edit", "layouts edit"];
const CANDIDATE = "staffing/candidate";
const PROFILE = `${CANDIDATE}/Profile`;
const FAULTS: [what: string, reply: Reply][] = [
  ["403", { status: 403, body: { error: { code: "FORBIDDEN", message: "not permitted" } } }],
  ["500", { status: 500, body: { error: { code: "BROKEN", message: "broken" } } }],
  ["cut", { status: 0, cut: true }],
];
const FULL_DISK = unwritableOutput(new Error("ENOSPC: no space left on device"));

async function commandsOf(group: Group, path: readonly string[] = []): Promise<{ path: string; command: Command }[]> {
  const found = [];
  for (const [name, node] of Object.entries(group.commands)) {
    const own = [...path, name];
    if (isGroup(node)) found.push(...(await commandsOf(node, own)));
    else found.push({ path: own.join(" "), command: (await node.load()).default });
  }
  return found;
}

it("tries every command that writes", async () => {
  const writing = (await commandsOf(tree)).filter(({ command }) => command.writes === true);
  expect(writing.map(({ path }) => path).toSorted()).toEqual(
    [...PATHS, ...FILES_ONLY, ...ELSEWHERE, ...IN_EDITOR].toSorted(),
  );
});

describe.each(PATHS)("%s", (path) => {
  it.each([
    ["a query that can't be read", ["-o", "json", "--query", "a["]],
    ["a query with an unknown function", ["-o", "json", "--query", "[].nosuch(@)"]],
    ["a query for a table", ["-o", "table", "--query", "id"]],
    ["a query for names", ["-o", "name", "--query", "id"]],
    ["an unknown format", ["-o", "jason"]],
    ["a negation of --yes", ["--no-yes"]],
    ["a negation of --dry-run", ["--no-dry-run"]],
  ])("sends no request for %s", async (_what, flags) => {
    const scene = await openOutputScene();
    const { code } = await scene.cli.run(...writingLine(path, scene), ...flags);
    expect([code, scene.received]).toEqual([64, []]);
  });

  it("sends no request where the setting names an unknown format", async () => {
    const scene = await openOutputScene();
    scene.cli.env["FORMCTL_OUTPUT"] = "jason";
    const { code } = await scene.cli.run(...writingLine(path, scene));
    expect([code, scene.received]).toEqual([64, []]);
  });

  it("sends its write (control)", async () => {
    const scene = await openOutputScene();
    const { code, stderr } = await scene.cli.run(...writingLine(path, scene), "-o", "json", "--query", "@");
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(scene.received.filter(({ method }) => method !== "GET")).not.toEqual([]);
  });

  it("prints the whole document if the query can't be evaluated", async () => {
    const scene = await openOutputScene();
    const line = [...writingLine(path, scene), "-o", "json", "-q", "--query", "abs(@)"];
    const { code, json, error } = await scene.cli.run(...line);
    expect(code).toBe(64);
    expect(json()).toBeDefined();
    const done = "(POST|PUT|PATCH|DELETE) /v1/.* is done; then the command failed: ";
    expect(error()).toMatchObject({
      code: "USAGE",
      message: expect.stringMatching(
        `^${path === "apply" ? "" : done}--query can't be evaluated: Invalid type: abs`,
      ) as string,
      hint: "The command is done, and stdout has the whole document.",
      exitCode: 64,
    });
  });
});

describe.each(REPORTED)("%s", (path) => {
  it("reports its write where the answer can't be printed", async () => {
    const scene = await openOutputScene();
    scene.cli.outFails = FULL_DISK;
    const { code, error } = await scene.cli.run(...writingLine(path, scene), "-o", "json", "-q");
    const writes = scene.received.filter(({ method }) => method !== "GET");
    expect(code).toBe(1);
    const { message, done, ...rest } = error();
    expect(rest).toMatchObject({ code: "OUTPUT_UNWRITABLE", exitCode: 1 });
    // The error names the last write. An earlier write may have been refused.
    const { method, url } = writes.at(-1)!;
    expect(message).toContain(`${method} ${url}`);
    expect(message).toContain("is done; then the command failed: can't write the output: ENOSPC");
    expect(done?.at(-1)?.replace(/ \(\w+\)$/, "")).toBe(`${method} ${url}`);
  });

  it.each(FAULTS)("succeeds if nothing can be read after its write: %s", async (_what, reply) => {
    const scene = await openOutputScene();
    failReadsAfterWrite(scene, reply);
    const { code, stderr } = await scene.cli.run(...writingLine(path, scene), "-o", "json", "-q");
    expect([code, stderr]).toEqual([0, ""]);
    expect(scene.received.filter(({ method }) => method !== "GET")).not.toEqual([]);
  });
});

it.each(FAULTS)("reports the write when the next read fails: %s", async (_what, reply) => {
  const scene = await openOutputScene();
  failReadsAfterWrite(scene, reply);
  const { answer } = scene;
  scene.answer = async (request, real) => {
    const answered = await answer(request, real);
    if (!request.url.endsWith("/versions")) return answered;
    // Simulates a server whose lists omit the content. The command then needs another read to compare the restored
    // draft.
    const { data } = answered.body as { data: Record<string, unknown>[] };
    return { ...answered, body: { data: data.map(({ regions: _regions, blocks: _blocks, ...version }) => version) } };
  };
  const restore = ["layouts", "versions", "restore", PROFILE, "1", "--publish", "--yes"];
  const { code, error } = await scene.cli.run(...restore, "-o", "json");
  expect(code).toBe(7);
  expect(error()).toMatchObject({
    code: "STOPPED_AFTER_WRITE",
    message: expect.stringMatching(/^POST \/v1\/.* \(ver_\w+\) is done; then the command failed: /) as string,
    hint: "Check the current state before you try again.",
    done: [expect.stringMatching(/^POST /)],
  });
});

it("reports a write that was accepted and can't be confirmed, where that can't be printed", async () => {
  const scene = await openOutputScene();
  scene.answer = async ({ method }, reply) => (method === "PATCH" ? { status: 202 } : reply());
  scene.cli.outFails = FULL_DISK;
  const { code, error } = await scene.cli.run(...writingLine("layouts update", scene), "-o", "json");
  expect(code).toBe(1);
  expect(error()).toMatchObject({ code: "OUTPUT_UNWRITABLE", done: [expect.stringMatching(/^PATCH /)] });
});

describe("a further write that is refused", () => {
  const refused: Reply = { status: 403, body: { error: { code: "FORBIDDEN", message: "not permitted" } } };

  it("reports the defaults that were cleared before the form was to be deleted", async () => {
    const scene = await openOutputScene();
    scene.answer = async ({ method }, reply) => (method === "DELETE" ? refused : reply());
    const { code, error } = await scene.cli.run(...writingLine("forms delete", scene), "-o", "json");
    expect(code).toBe(4);
    expect(error()).toMatchObject({
      code: "FORBIDDEN",
      message: "the default for VIEW is cleared, but the form is not deleted: not permitted",
      done: [expect.stringMatching(/^PATCH .*\/forms\/defaults$/)],
      api: { status: 403, code: "FORBIDDEN" },
    });
  });

  it("reports the default that was taken from another layout", async () => {
    const scene = await openOutputScene();
    const [holder, other] = scene.pages;
    let isCleared = false;
    scene.answer = async ({ method, url }, reply) => {
      if (method === "PUT" && url.includes(other) && isCleared) return refused;
      isCleared ||= method === "PUT" && url.includes(holder);
      return reply();
    };
    const { code, error } = await scene.cli.run(...writingLine("layouts assignments set", scene), "-o", "json");
    expect(code).toBe(4);
    expect(error()).toMatchObject({ code: "FORBIDDEN", api: { status: 403 } });
    expect(error().message).toBe(
      `PUT /v1/view-layouts/${holder}/assignments is done; then the command failed: not permitted`,
    );
  });

  it("comes also where the first one was accepted and can't be confirmed", async () => {
    const scene = await openOutputScene();
    let isWritten = false;
    scene.answer = async ({ method }, reply) => {
      if (method === "GET" && isWritten) return { status: 503, body: {} };
      const answered = await reply();
      isWritten ||= method === "PATCH";
      return method === "PATCH" ? { status: 202 } : answered;
    };
    const { code } = await scene.cli.run(...writingLine("forms delete", scene), "-o", "json");
    expect(code).toBe(0);
    expect(scene.received.filter(({ method }) => method !== "GET").map(({ method }) => method)).toEqual([
      "PATCH",
      "DELETE",
    ]);
  });

  it.each([
    [
      ["layouts", "draft", "push", PROFILE, "draft.json", "--publish"],
      /^the draft is saved as ver_\w+, but not published: /,
    ],
    [
      ["layouts", "versions", "restore", PROFILE, "1", "--publish", "--yes"],
      /^the version is restored as the draft ver_\w+, but not published: /,
    ],
  ])("reports the draft that was saved before it was to be published: %j", async (line, message) => {
    const scene = await openOutputScene();
    scene.answer = async ({ url }, reply) => (url.endsWith("/publish") ? refused : reply());
    const { code, error } = await scene.cli.run(...line, "-o", "json");
    expect(code).toBe(4);
    expect(error().message).toMatch(message);
    expect(error().done).toHaveLength(1);
  });

  it("reports that the draft is not published where the server accepts no more requests", async () => {
    const scene = await openOutputScene();
    const limited = { status: 429, headers: { "Retry-After": "600" }, body: {} };
    scene.answer = async ({ url }, reply) => (url.endsWith("/publish") ? limited : reply());
    const push = ["layouts", "draft", "push", PROFILE, "draft.json", "--publish"];
    const { code, error } = await scene.cli.run(...push, "-o", "json");
    expect(code).toBe(7);
    expect(error().message).toMatch(/^the draft is saved as ver_\w+, but not published: /);
  });

  it("reports the draft where the outcome of publishing it is unknown", async () => {
    const scene = await openOutputScene();
    scene.answer = async ({ url }, reply) => (url.endsWith("/publish") ? { status: 0, cut: true } : reply());
    const push = ["layouts", "draft", "push", PROFILE, "draft.json", "--publish"];
    const { code, error } = await scene.cli.run(...push, "-o", "json");
    expect(code).toBe(7);
    expect(error()).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      message: expect.stringMatching(/^PUT .*\/draft \(ver_\w+\) is done; then the command failed: /) as string,
    });
  });
});

describe("a token that may only manage", () => {
  it("clears a default without the names of the forms", async () => {
    const { cli, newToken } = await openRemoteScene();
    await cli.run("forms", "create", CANDIDATE, "--name", "Profile", "--types", "VIEW");
    await cli.run("forms", "defaults", "set", CANDIDATE, "VIEW", "Profile");
    cli.env["FORMCTL_TOKEN"] = await newToken(["api.custom_forms.manage"]);
    expect((await cli.run("forms", "list", CANDIDATE)).code).toBe(4);
    const { code, stdout, json } = await cli.run("forms", "defaults", "clear", CANDIDATE, "VIEW", "-o", "json");
    expect([code, stdout]).toEqual([0, expect.stringContaining("defaultViewFormId")]);
    expect(json()).toMatchObject({ defaultViewFormId: null });
  });
});

describe("a file that can't be written", () => {
  it.each([
    [["plan", "new.yaml", "--out", "."], 3],
    [["plan", "new.yaml", "--out", "new.yaml/plan.json"], 1],
    [["export", CANDIDATE, "--into", "new.yaml"], 1],
    [["export", CANDIDATE, "--into", "new.yaml/below"], 1],
    [["layouts", "draft", "scaffold", PROFILE, "--out", "no/such/draft.yaml"], 1],
    [["layouts", "draft", "scaffold", PROFILE, "--out", "new.yaml/draft.yaml"], 1],
    [["layouts", "draft", "scaffold", PROFILE, "--out", "new.yaml"], 3],
  ] as const)("is found before the first request: %j", async (line, expected) => {
    const scene = await openOutputScene();
    const { code } = await scene.cli.run(...line);
    expect([code, scene.received]).toEqual([expected, []]);
  });

  it("would be found only afterwards (control)", async () => {
    const scene = await openOutputScene();
    await scene.cli.run("plan", "new.yaml", "--out", "plan.json");
    expect(scene.received).not.toEqual([]);
  });
});

describe("a command of the local store", () => {
  it.each([
    ["a query that can't be read", ["-o", "json", "--query", "a["]],
    ["a query for a table", ["-o", "table", "--query", "token"]],
    ["an unknown format", ["-o", "jason"]],
  ])("changes nothing for %s", async (_what, flags) => {
    const cli = await openCli();
    const { code } = await cli.run("local", "tokens", "create", "--name", "ci", ...flags);
    expect(code).toBe(64);
    expect((await cli.run("local", "tokens", "list", "-o", "json")).json()).toEqual([]);
  });

  it("reports a token that can't be printed, and how to revoke it", async () => {
    const cli = await openCli();
    cli.outFails = FULL_DISK;
    const { code, error } = await cli.run("local", "tokens", "create", "--name", "ci", "-o", "json");
    delete cli.outFails;
    const [{ id }] = (await cli.run("local", "tokens", "list", "-o", "json")).json() as [{ id: string }];
    expect(code).toBe(1);
    expect(error()).toMatchObject({
      code: "OUTPUT_UNWRITABLE",
      message: expect.stringMatching(new RegExp(`^the token ${id} was created; then the command failed: `)) as string,
      hint: `The token can't be shown again. Revoke it and create another: formctl local tokens revoke ${id}`,
    });
    expect((await cli.run("local", "tokens", "revoke", id)).code).toBe(0);
  });

  it("prints the whole token if the query can't be evaluated", async () => {
    const cli = await openCli();
    const create = ["local", "tokens", "create", "--name", "ci"];
    const { code, json, error } = await cli.run(...create, "-o", "json", "--query", "abs(@)");
    expect(code).toBe(64);
    expect(json()).toMatchObject({ name: "ci", token: expect.any(String) as string });
    expect(error().message).toMatch(/^the token \w+ was created; then the command failed: --query can't be evaluated/);
  });

  it("reports the work of every command", async () => {
    const store = (await commandsOf(tree)).filter(({ command }) => command.writes === "store");
    expect(store.filter(({ command }) => !command.done).map(({ path }) => path)).toEqual([]);
  });
});

describe("the negation of an option without one", () => {
  const read = (...line: string[]) => readCommandLine(line, { version: "0.0.0-test", width: 80, out: () => undefined });

  it("is refused by every command", async () => {
    const commands = await commandsOf(tree);
    expect(commands.length).toBeGreaterThan(60);
    const globals = GLOBAL_OPTIONS.map(([flags]) => longFlag(flags));
    for (const { path, command } of commands) {
      const own = Object.values(command.options).map(({ flags }) => longFlag(flags));
      const known = new Set([
        ...globals,
        ...own,
        "--help",
        "--version",
        ...(command.writes === true ? ["--dry-run"] : []),
      ]);
      for (const name of known) {
        if (name.startsWith("--no-") || known.has(`--no-${name.slice(2)}`)) continue;
        const line = [...path.split(" "), `--no-${name.slice(2)}`];
        await expect(read(...line)).rejects.toThrow(`unknown option "--no-${name.slice(2)}"`);
      }
    }
  });

  it("is accepted for the option itself (control)", async () => {
    const unknown: string[] = [];
    for (const { path, command } of await commandsOf(tree)) {
      for (const { flags, kind } of Object.values(command.options)) {
        const line = [...path.split(" "), longFlag(flags), ...(kind === "flag" ? [] : [""])];
        await read(...line).catch(({ message }: Error) => {
          if (message.includes("unknown option")) unknown.push(line.join(" "));
        });
      }
    }
    expect(unknown).toEqual([]);
  });

  it("is refused together with the option", async () => {
    for (const twins of [
      ["--config", "a.yaml", "--no-config"],
      ["--no-config", "--config", "a.yaml"],
    ])
      await expect(read("forms", "update", PROFILE, ...twins)).rejects.toThrow(
        "--config and --no-config can't be combined",
      );
    expect((await read("forms", "update", PROFILE, "--no-config"))?.input).toMatchObject({ noConfig: true });
  });
});
