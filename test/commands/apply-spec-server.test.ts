/**
 * Tests layouts as code on servers that follow the API document exactly, and on servers with deviations. Over a socket.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { startServer } from "../client/table-server.ts";
import type { Cli, Outcome } from "./cli.ts";
import { behindNorthwind, openManifestsScene } from "./manifests-scene.ts";
import { type Manners, openSpecServer, writesOf } from "./spec-server.ts";

const CARD = `kind: Layout
surface: CONTRACTOR
name: Card
supportedModes: [VIEW]
assignments: {organizationDefault: true, roles: []}
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f_risk, type: field, source: custom_field, ref: {fieldKey: risk_class}, regionKey: main, config: {label: Risk}}
`;

async function openScene(manners: Partial<Manners> = {}) {
  const { cli } = await openManifestsScene("a server");
  const server = await openSpecServer(cli.env["FORMCTL_BASE_URL"]!, manners);
  cli.env["FORMCTL_BASE_URL"] = server.url;
  cli.file("manifests/card.yaml", CARD);
  return { cli, server };
}

async function apply(cli: Cli): Promise<Applied> {
  const outcome = await cli.run("apply", "manifests", "--yes", "-o", "json");
  const applied = documentOf(outcome);
  expect(applied.exitCode).toBe(outcome.code);
  return applied;
}

function documentOf({ stdout, stderr }: Outcome): Applied {
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Applied;
}

it.each<[string, Partial<Manners>]>([
  ["that follows the document", {}],
  ["that answers writes with 204", { isSilent: true }],
  ["whose lists state no total", { pageSize: 100 }],
  ["whose refusals name no member", { isCurt: true }],
  ["that does not show which version is published", { hidesStatus: true }],
  ["that refuses the mutation id of a new layout", { unknown: ["clientMutationId", "expectedDraftVersionId"] }],
])("applies in one run, and sends nothing the second time, on a server %s", async (_, manners) => {
  const { cli, server } = await openScene(manners);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  const since = server.received.length;
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(writesOf(server, since)).toEqual([]);
  expect((await cli.run("plan", "manifests", "--detailed-exitcode")).code).toBe(0);
});

it("creates no second layout for a profile of the same server, or for a pipeline that uses its URL", async () => {
  const { cli, server } = await openScene({ unknown: ["clientMutationId", "expectedDraftVersionId"] });
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  await cli.run("profiles", "add", "prod", "--base-url", server.url);
  delete cli.env["FORMCTL_BASE_URL"];
  cli.env["FORMCTL_PROFILE"] = "prod";
  const since = server.received.length;
  // The target doesn't show some properties. So formctl writes these properties once more under the new name of the
  // target.
  expect(await apply(cli)).toMatchObject({ exitCode: 0 });
  expect(writesOf(server, since).filter((write) => write.startsWith("POST "))).toEqual([]);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
});

it("refuses a plan for one path of a server on another path of it", async () => {
  const { cli, server } = await openScene();
  expect((await cli.run("plan", "manifests", "--out", "plan.json", "-q")).code).toBe(0);
  cli.env["FORMCTL_BASE_URL"] = `${server.url}/eu`;
  const since = server.received.length;
  const { code, stderr } = await cli.run("apply", "plan.json", "--yes");
  expect(code).toBe(64);
  expect(stderr).toContain(`the plan was created for ${server.url}, and the current target is ${server.url}/eu`);
  expect(writesOf(server, since)).toEqual([]);

  // The message names a profile in the format of other messages.
  await cli.run("profiles", "add", "prod", "--base-url", server.url);
  const other = await cli.run("apply", "plan.json", "--yes", "--profile", "prod");
  expect(other.stderr).toContain(
    `the plan was created for ${server.url}, and the current target is ${server.url}, profile prod\n`,
  );
  const told = await cli.run("plan", "manifests", "--format", "markdown", "--profile", "prod");
  expect(told.stdout).toContain(`### formctl plan for <code>${server.url}, profile prod</code>\n`);
});

it("reports writes that were accepted and can't be confirmed", async () => {
  const { cli } = await openScene({ isSilent: true });
  const { resources } = await apply(cli);
  const card = resources.find(({ address }) => address === "CONTRACTOR/Card")!;
  expect(card.steps).toMatchObject([
    { operation: "createLayout", status: "done" },
    { operation: "saveDraft", status: "done" },
    { operation: "publishLayout", status: "done" },
    { operation: "replaceAssignments", status: "done", unconfirmed: expect.stringContaining("accepted (204)") },
  ]);
  cli.file("manifests/card.yaml", CARD.replace("organizationDefault: true", "organizationDefault: false"));
  const { code, stderr } = await cli.run("apply", "manifests", "--yes", "--quiet");
  expect(code).toBe(0);
  expect(stderr).toContain("warning: CONTRACTOR/Card: replaceAssignments: accepted (204), not confirmed");
});

it("creates no form again that is on a later page than the server states", async () => {
  const { cli } = await openScene({ pageSize: 2 });
  await apply(cli);
  const { outcome } = await apply(cli);
  expect(outcome).toBe("unchanged");
});

it("takes the first page for the whole list where a server has no pages, unless it may be incomplete", async () => {
  const { cli } = await openScene({ pageSize: 90, ignoresPages: true });
  await apply(cli);
  expect(await apply(cli)).toMatchObject({ outcome: "unchanged" });
});

it("reports where the published version is not shown, and applies an earlier state again", async () => {
  const { cli, server } = await openScene({ hidesStatus: true });
  await apply(cli);
  const { stdout } = await cli.run("status", "manifests", "--target", "CONTRACTOR/Card");
  expect(stdout).toContain("unobservable");
  for (const label of ["Danger", "Risk"]) {
    const since = server.received.length;
    cli.file("manifests/card.yaml", CARD.replace("label: Risk", `label: ${label}`));
    expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
    expect(writesOf(server, since)).toHaveLength(2);
  }
  const shown = await behindNorthwind(cli, async (service) => {
    const card = (await service.listLayouts({})).find(({ name }) => name === "Card")!;
    const versions = await service.listVersions({ layoutId: card.id });
    return versions
      .filter(({ status }) => status === "PUBLISHED")
      .map(({ version, blocks }) => [version, blocks[0]?.config]);
  });
  expect(shown).toEqual([[3, { label: "Risk" }]]);
});

it("reports an unanswered creation of a layout as unknown, and finds the layout in the next run", async () => {
  const { cli } = await openManifestsScene("a server");
  cli.file("manifests/card.yaml", CARD);
  const real = cli.env["FORMCTL_BASE_URL"]!;
  let lost = 0;
  const server = await startServer(async ({ method, url, headers, body }) => {
    const isCreation = method === "POST" && url === "/v1/view-layouts";
    const response = await fetch(`${real}${url}`, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      ...(body !== "" && { body: isCreation ? body.replace(/"formctl-[^"]+"/, `"${crypto.randomUUID()}"`) : body }),
    });
    if (isCreation && ++lost === 1) return { status: 504, body: { error: { code: "TIMEOUT", message: "too late" } } };
    const text = await response.text();
    return { status: response.status, ...(text !== "" && { body: text }) };
  });
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
  const { exitCode, resources } = await apply(cli);
  expect(exitCode).toBe(9);
  const card = resources.find(({ address }) => address === "CONTRACTOR/Card")!;
  expect(card.steps.map(({ operation, status }) => `${operation} ${status}`).slice(0, 2)).toEqual([
    "createLayout unknown",
    "saveDraft skipped",
  ]);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  const cards = await behindNorthwind(cli, async (service) => (await service.listLayouts({})).map(({ name }) => name));
  expect(cards.filter((name) => name === "Card")).toEqual(["Card"]);
});

type Known = { address: string; layoutId: string };

it("offers no export of a layout of which the server shows only versions", async () => {
  const { cli } = await openScene();
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  const { resources } = (await cli.run("status", "manifests", "-o", "json")).json() as { resources: Known[] };
  const { layoutId } = resources.find(({ address }) => address === "CONTRACTOR/Card")!;
  const [, layout] = CARD.replace("label: Risk", "label: Danger").split("layout:\n");
  cli.file("draft.yaml", layout!.replaceAll(/^ {2}/gm, ""));
  expect((await cli.run("layouts", "draft", "push", layoutId, "draft.yaml", "--publish", "--yes")).code).toBe(0);
  const { stdout, stderr } = await cli.run("status", "manifests");
  expect(stdout).toMatch(/changed on target +CONTRACTOR\/Card/);
  expect(stderr).toContain("Next: formctl plan manifests\n");
  expect(stderr).not.toContain("formctl export");
  expect((await cli.run("export", layoutId, "--into", "manifests")).code).toBe(5);
});

it("states the next step where a layout exists that neither a list nor the lock shows", async () => {
  const { cli } = await openScene();
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  rmSync(join(cli.cwd, ".formctl"), { recursive: true });
  cli.file("manifests/card.yaml", CARD.replace("[VIEW]", "[EDIT]"));
  const { stderr } = await cli.run("apply", "manifests", "--yes", "--target", "CONTRACTOR/Card");
  // A second apply would get the same refusal, so the message asks for the id.
  expect(stderr).toContain("add its id to .formctl/lock.json first: formctl export LAYOUT_ID --into FOLDER");
});
