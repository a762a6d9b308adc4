/**
 * Tests layouts as code on servers that follow the API document exactly, and on servers with deviations. Over a socket.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { followsDocument, manners, pagesOf } from "../proxy/manners.ts";
import { insertProxy, type Manner, refusal } from "../proxy/proxy.ts";
import type { Cli, Outcome } from "./cli.ts";
import { behindNorthwind, openManifestsScene } from "./manifests-scene.ts";

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

/** Opens a server that follows the API document, with further deviations. */
async function openScene(...deviations: readonly Manner[]) {
  const { cli } = await openManifestsScene("a server");
  const server = await insertProxy(cli, { manners: [...deviations, followsDocument()] });
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

it.each<[string, ...Manner[]]>([
  ["that follows the document"],
  ["that answers writes with 204", manners["204 for each write except a creation"]()],
  ["whose lists state no total", manners["lists without page information"]()],
  ["whose refusals name no member", manners["refuses optional members without a cause"]()],
  ["that does not show which version is published", manners["shows no status of versions"]()],
  ["that refuses the mutation id of a new layout", manners["refuses optional members by name"]()],
])("applies in one run, and sends nothing the second time, on a server %s", async (_, ...deviations) => {
  const { cli, server } = await openScene(...deviations);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  const since = server.received.length;
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(server.writes(since)).toEqual([]);
  expect((await cli.run("plan", "manifests", "--detailed-exitcode")).code).toBe(0);
});

it("creates no second layout for a profile of the same server, or for a pipeline that uses its URL", async () => {
  const { cli, server } = await openScene(manners["refuses optional members by name"]());
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  await cli.run("profiles", "add", "prod", "--base-url", server.url);
  delete cli.env["FORMCTL_BASE_URL"];
  cli.env["FORMCTL_PROFILE"] = "prod";
  const since = server.received.length;
  // The target doesn't show some properties. So formctl writes these properties once more under the new name of the
  // target.
  expect(await apply(cli)).toMatchObject({ exitCode: 0 });
  expect(server.writes(since).filter((write) => write.startsWith("POST "))).toEqual([]);
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
  expect(server.writes(since)).toEqual([]);

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
  const { cli } = await openScene(manners["204 for each write except a creation"]());
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
  const { cli } = await openScene(pagesOf(2));
  await apply(cli);
  const { outcome } = await apply(cli);
  expect(outcome).toBe("unchanged");
});

it("takes the first page for the whole list where a server has no pages, unless it may be incomplete", async () => {
  const { cli } = await openScene(manners["ignores page numbers"](), pagesOf(90));
  await apply(cli);
  expect(await apply(cli)).toMatchObject({ outcome: "unchanged" });
});

it("reports where the published version is not shown, and applies an earlier state again", async () => {
  const { cli, server } = await openScene(manners["shows no status of versions"]());
  await apply(cli);
  const { stdout } = await cli.run("status", "manifests", "--target", "CONTRACTOR/Card");
  expect(stdout).toContain("unobservable");
  for (const label of ["Danger", "Risk"]) {
    const since = server.received.length;
    cli.file("manifests/card.yaml", CARD.replace("label: Risk", `label: ${label}`));
    expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
    expect(server.writes(since)).toHaveLength(2);
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
  let isLost = false;
  await insertProxy(cli, {
    answer({ status }, { method, path }) {
      if (isLost || method !== "POST" || path !== "/v1/view-layouts" || status >= 300) return undefined;
      isLost = true;
      return refusal(504);
    },
    manners: [manners["recognizes no repeated write"](), manners["knows none of our headers"]()],
  });
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
