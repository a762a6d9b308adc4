/** Tests commands on servers that refuse the expected draft: what they omit, what they check themselves, and what they report. */

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { manners } from "../proxy/manners.ts";
import { openProxy } from "../proxy/proxy.ts";
import type { FullService } from "../../src/service.ts";
import type { Cli } from "./cli.ts";
import { behindNorthwind } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const REFUSING = "refuses optional members by name";

const CONTENT = {
  schemaVersion: 1 as const,
  regions: [{ key: "main", label: "Main", layout: "grid" as const }],
  blocks: [{ id: "about", type: "custom_html", source: "system", regionKey: "main", displayOrder: 0 } as const],
};

/** Opens a program with a layout that has a draft, on a server with the manner. */
async function openScene(manner: keyof typeof manners) {
  const { cli, url } = await openRemoteScene();
  cli.file("draft.json", CONTENT);
  const { layoutId, draftId } = await behindNorthwind(cli, async (service) => {
    const body = { name: "Intake", types: ["VIEW" as const] };
    const { viewLayoutId } = await service.createForm({ moduleKey: "staffing", objectKey: "candidate", body });
    return { layoutId: viewLayoutId, draftId: await saveDraft(service, viewLayoutId, "first") };
  });
  const proxy = await openProxy(url, manners[manner]());
  cli.env["FORMCTL_BASE_URL"] = proxy.url;
  cli.env["EDITOR"] = "test-editor";
  const bodies = () => proxy.received.flatMap(({ method, body }) => (method === "PUT" && body ? [body] : []));
  return { cli, layoutId, draftId, bodies };
}

async function saveDraft(service: FullService, layoutId: string, clientMutationId: string): Promise<string> {
  return (await service.saveDraft({ layoutId, body: { ...CONTENT, clientMutationId } })).draftVersionId;
}

/** Lets the editor change the draft, after another process did something. */
function edit(cli: Cli, meanwhile: () => Promise<unknown> = async () => undefined): void {
  cli.edit = async (path) => {
    await meanwhile();
    writeFileSync(path, readFileSync(path, "utf8").replace("label: Main", "label: Side"));
    return { exitCode: 0, signal: null };
  };
}

it("layouts edit saves without the expected draft, under another id", async () => {
  const { cli, layoutId, draftId, bodies } = await openScene(REFUSING);
  edit(cli);
  const { code, stderr } = await cli.answering(["push"], "layouts", "edit", layoutId);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [first, second, ...others] = bodies();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ expectedDraftVersionId: draftId });
  expect(second).not.toHaveProperty("expectedDraftVersionId");
  expect(second!["clientMutationId"]).not.toBe(first!["clientMutationId"]);
});

it("layouts edit does not overwrite the draft that another user saved meanwhile", async () => {
  const { cli, layoutId, draftId, bodies } = await openScene(REFUSING);
  edit(cli, () => behindNorthwind(cli, (service) => saveDraft(service, layoutId, "theirs")));
  const { code, stderr } = await cli.answering(["push"], "layouts", "edit", layoutId);
  expect(code).toBe(6);
  expect(stderr).toMatch(new RegExp(`the current draft of the layout ${layoutId} is ver_\\w+, not ${draftId}`));
  expect(bodies()).toHaveLength(1);
});

it("draft push does not omit a draft that the user expects, and does not blame the file", async () => {
  const { cli, layoutId, draftId, bodies } = await openScene(REFUSING);
  const { code, stderr } = await cli.run("layouts", "draft", "push", layoutId, "draft.json", "--expect-draft", draftId);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^error: the body is invalid/m);
  expect(stderr).not.toContain("draft.json:");
  expect(bodies()).toHaveLength(1);
});

it("draft push does not omit null if the user expects that there is no draft", async () => {
  const { cli, layoutId, bodies } = await openScene("409 with currentDraftVersionId null when none was expected");
  const { code } = await cli.run("layouts", "draft", "push", layoutId, "draft.json", "--expect-draft", "none");
  expect([code, bodies().length]).toEqual([6, 1]);
});
