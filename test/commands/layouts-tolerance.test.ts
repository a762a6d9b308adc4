/**
 * Tests the layout commands on a server with only the documented endpoints. The server can neither read nor list
 * layouts.
 */

import { describe, expect, it } from "vitest";
import { FormctlError } from "../../src/base/error.ts";
import { readCommandLine } from "../../src/commands/program.ts";
import { type CommandHost, runCommand } from "../../src/commands/run-command.ts";
import type { Block } from "../../src/schemas/draft.ts";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import { Secret } from "../../src/base/secret.ts";
import { type FullService, ServiceError } from "../../src/service.ts";
import { testTerminal } from "../terminal/test-terminal.ts";
import type { Cli } from "./cli.ts";
import { fixture, newPage, openScene, PROFILE, publishTwice, withoutMutationId } from "./layouts-scene.ts";

/**
 * Runs a command line on the service of `cli` without the undocumented endpoints. Requests to them fail with `status`.
 */
function typeAt(cli: Cli, status: 404 | 405, ...argv: string[]) {
  const refuse = async () => {
    throw new ServiceError(status, { code: `HTTP_${status}`, message: "no such endpoint" });
  };
  return typeAtServer(cli, (service) => ({ ...service, getLayout: refuse, listLayouts: refuse }), argv);
}

/** Runs a command line on a changed service of `cli`. The command has no access to the local store. */
async function typeAtServer(cli: Cli, change: (service: FullService) => FullService, argv: readonly string[]) {
  return cli.behind(async (service) => {
    const server = change(service);
    const terminal = testTerminal();
    const invocation = await readCommandLine(argv, { version: "0", width: 80, out: (text) => terminal.out(text) });
    const host: Partial<CommandHost> = {
      terminal,
      openService: async () => server,
      openLocal: async () => {
        throw new FormctlError("USAGE", "this needs a local store");
      },
      settings: { get: () => undefined } as unknown as CommandHost["settings"],
      newMutationId: () => crypto.randomUUID(),
      server: {
        token: async () => ({ token: new Secret("none"), source: "FORMCTL_TOKEN" }),
      } as unknown as CommandHost["server"],
      target: { kind: "remote", baseUrl: "https://server.example", origin: "https://server.example", namedBy: "flag" },
    };
    const code = await runCommand(invocation!, host as CommandHost);
    return { code, stdout: terminal.stdout, stderr: terminal.stderr };
  });
}

it.each([404, 405] as const)("shows the readable members of a layout, and lists the others (%i)", async (status) => {
  const cli = await openScene();
  await publishTwice(cli);
  const { code, stdout } = await typeAt(cli, status, "layouts", "get", PROFILE, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    name: "Candidate profile",
    supportedModes: ["VIEW", "EDIT"],
    currentVersion: { version: 2, status: "PUBLISHED" },
    latestDraftVersionId: null,
    unreadable: ["metadata", "status", "assignments", "createdAt", "updatedAt"],
  });
  const table = await typeAt(cli, status, "layouts", "get", PROFILE);
  expect(table.stdout).toMatch(/published: +version 2, valid/);
  expect(table.stdout).toMatch(/not readable: +metadata, status, assignments/);
});

it("reads only the versions of a layout by its id", async () => {
  const cli = await openScene();
  const id = await newPage(cli, "Home");
  const { stdout } = await typeAt(cli, 404, "layouts", "get", id, "--json");
  const layout = JSON.parse(stdout) as { unreadable: string[]; currentVersion: { version: number } };
  expect(layout.currentVersion.version).toBe(1);
  expect(layout.unreadable).toContain("surface");
});

it("distinguishes a missing layout from a missing endpoint", async () => {
  const cli = await openScene();
  const id = await newPage(cli, "Home");
  await expect(typeAt(cli, 404, "layouts", "get", "lay_none")).rejects.toMatchObject({
    refusal: { code: "NOT_FOUND" },
  });
  await expect(typeAt(cli, 404, "layouts", "list")).rejects.toThrow("this server does not list layouts");
  await expect(typeAt(cli, 404, "layouts", "assignments", "show", id)).rejects.toThrow(
    "does not return the assignments",
  );
  await expect(typeAt(cli, 404, "layouts", "draft", "scaffold", id)).rejects.toThrow("is unknown");
});

it("archives a layout with few known members, and accepts role ids", async () => {
  const cli = await openScene();
  const id = await newPage(cli, "Home");
  await expect(typeAt(cli, 404, "layouts", "assignments", "set", id, "--role", "Account Manager=1")).rejects.toThrow(
    "is not a valid role id",
  );
  expect((await typeAt(cli, 404, "layouts", "assignments", "set", id, "--default")).code).toBe(0);
  expect((await typeAt(cli, 404, "layouts", "archive", id, "--allow-delete")).stdout).toBe(`Archived ${id} (${id}).\n`);
});

it("writes the regions of a form's layout if its fields are unknown", async () => {
  const cli = await openScene();
  const { code, stdout, stderr } = await typeAt(cli, 404, "layouts", "draft", "scaffold", PROFILE);
  expect(code).toBe(0);
  expect(stdout).toContain("blocks: []");
  expect(stderr).toContain("The server does not list the fields");
});

describe("a draft that the server does not list", () => {
  /** A server whose list of versions contains only published ones. The record of the layout names the draft. */
  const unlisted = (service: FullService): FullService => ({
    ...service,
    listVersions: async (input) => (await service.listVersions(input)).filter(({ status }) => status !== "DRAFT"),
  });

  /** @returns the id of the layout with a draft that follows two published versions, or with only a draft */
  async function withDraft(cli: Cli, published: boolean): Promise<string> {
    if (published) await publishTwice(cli);
    cli.file("a3.yaml", withoutMutationId(fixture("candidate-profile.yaml")));
    await cli.run("layouts", "draft", "push", PROFILE, "a3.yaml");
    return (await cli.run("layouts", "draft", "show", PROFILE, "-o", "name")).stdout.trim();
  }

  it.each([true, false])("is shown and published (with published versions: %s)", async (published) => {
    const cli = await openScene();
    const draft = await withDraft(cli, published);
    const shown = await typeAtServer(cli, unlisted, ["layouts", "draft", "show", PROFILE]);
    expect(shown.stdout).toContain(draft);
    const { code, stdout } = await typeAtServer(cli, unlisted, ["layouts", "publish", PROFILE]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(draft) });
  });

  it("is a loss that a restored version requires to confirm, and that the archiving names", async () => {
    const cli = await openScene();
    await withDraft(cli, true);
    await cli.run("layouts", "draft", "push", PROFILE, "b.yaml");
    const restore = typeAtServer(cli, unlisted, ["layouts", "versions", "restore", PROFILE, "1"]);
    await expect(restore).rejects.toMatchObject({ code: "CONSENT_MISSING", message: expect.stringContaining("draft") });
    const id = await newPage(cli, "Home");
    cli.file("page.json", { schemaVersion: 1, regions: [{ key: "main", label: "Main", layout: "grid" }], blocks: [] });
    await cli.run("layouts", "draft", "push", id, "page.json");
    const archive = typeAtServer(cli, unlisted, ["layouts", "archive", id]);
    await expect(archive).rejects.toThrow("Will be deleted permanently: 1 version; the draft.");
  });

  it("does not exist if the record still names a version that is published", async () => {
    const cli = await openScene();
    await publishTwice(cli);
    const outdated = (service: FullService): FullService => ({
      ...service,
      async getLayout(input) {
        const layout = await service.getLayout(input);
        return { ...layout, latestDraftVersionId: layout.currentVersionId };
      },
    });
    await expect(typeAtServer(cli, outdated, ["layouts", "publish", PROFILE])).rejects.toMatchObject({
      refusal: { body: { code: "DRAFT_MISSING" } },
    });
  });
});

it("does not publish a restored draft whose content differs from the version", async () => {
  const cli = await openScene();
  await publishTwice(cli);
  const careless = (service: FullService): FullService => ({
    ...service,
    async restoreDraft(input) {
      const saved = await service.restoreDraft(input);
      return { ...saved, draftVersion: { ...saved.draftVersion, metadata: null } };
    },
  });
  const restore = ["layouts", "versions", "restore", PROFILE, "1", "--publish"];
  const { code, stdout } = await typeAtServer(cli, careless, restore);
  expect(code).toBe(6);
  expect(stdout).toContain("Not published: the content of the draft differs from the version.\n");
  const { json } = await cli.run("layouts", "versions", "list", PROFILE, "--json", "--query", "[].status");
  expect(json()).toEqual(["DRAFT", "PUBLISHED", "ARCHIVED"]);
});

it("publishes a restored draft with the content of the version and other block ids, on a server with bare lists", async () => {
  const cli = await openScene();
  await publishTwice(cli);
  const renamed = (blocks: readonly Block[]): Block[] =>
    blocks.map((block) => ({
      ...block,
      id: `srv_${block.id}`,
      ...(block.children && { children: renamed(block.children) }),
    }));
  const renaming = (service: FullService): FullService => ({
    ...service,
    async listVersions(input) {
      const versions = await service.listVersions(input);
      return versions.map(({ blocks: _blocks, regions: _regions, ...version }) => version as LayoutVersion);
    },
    async restoreDraft(input) {
      const saved = await service.restoreDraft(input);
      const blocks = renamed(saved.draftVersion.blocks);
      return { ...saved, draftVersion: { ...saved.draftVersion, blocks, scriptBindings: [] } };
    },
    async getVersion(input) {
      return { ...(await service.getVersion(input)), scriptBindings: [] };
    },
  });
  const { code, stdout } = await typeAtServer(cli, renaming, [
    "layouts",
    "versions",
    "restore",
    PROFILE,
    "1",
    "--publish",
  ]);
  expect(stdout).toContain("Published it as version 3.\n");
  expect(code).toBe(0);
});

it("prints the response to a write, however few members it has", async () => {
  const cli = await openScene();
  const id = await newPage(cli, "Home");
  const latestDraftVersion = { id: "ver_2" };
  const answers = [
    { layout: { id }, text: [`Id: +${id}`] },
    { layout: { id, name: "Casa", latestDraftVersion }, text: ["Id: .*", "Name: +Casa", "Draft: +ver_2"] },
  ];
  for (const { layout, text } of answers) {
    const little = async () => layout as Awaited<ReturnType<FullService["updateLayout"]>>;
    const words = ["layouts", "update", id, "--name", "Casa"];
    const { code, stdout, stderr } = await typeAtServer(
      cli,
      (service) => ({ ...service, updateLayout: little }),
      words,
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("internal error")]);
    expect(stdout).toMatch(new RegExp(`^${text.join("\n")}\n$`));
  }
});
