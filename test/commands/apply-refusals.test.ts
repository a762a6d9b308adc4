/** Tests the output of an apply if the server refuses one of its writes. */

import { expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { openProxy, refusal } from "../proxy/proxy.ts";
import type { Cli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const MANIFEST = `kind: Form
object: staffing/placement
name: Desk
types: [VIEW]
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f_title, type: field, source: dynamic_field, ref: {fieldKey: title}, regionKey: main, config: {label: Title}}
`;

/** Opens a server that refuses writes to paths with the ending `end`. */
async function openScene(end: string, error: object): Promise<Cli> {
  const { cli, url } = await openRemoteScene();
  const proxy = await openProxy(url, {
    request: ({ method, path }) => (method !== "GET" && path.endsWith(end) ? refusal(409, error) : undefined),
  });
  cli.env["FORMCTL_BASE_URL"] = proxy.url;
  cli.file("manifests/desk.yaml", MANIFEST);
  return cli;
}

async function failedStep(cli: Cli) {
  const { json } = await cli.run("apply", "manifests", "--yes", "-o", "json");
  const document = json() as Applied;
  return document.resources.flatMap(({ steps }) => steps).find(({ error }) => error);
}

it("reports a missing draft as published or deleted", async () => {
  const error = { code: "DRAFT_STALE", message: "no", meta: { currentDraftVersionId: null } };
  expect(await failedStep(await openScene("/draft", error))).toMatchObject({
    error: {
      exitCode: 6,
      hint: "The draft was published or deleted after the plan was created. Review the changes: formctl plan. Then apply again.",
      api: { ...error, status: 409 },
    },
  });
});

it("requires a confirmation of impacts under any error code", async () => {
  const error = { code: "CHANGES_COST", message: "no", impacts: [{ draftId: "d_1", loses: 57 }] };
  expect(await failedStep(await openScene("/publish", error))).toMatchObject({
    error: { exitCode: 8, hint: expect.stringContaining("confirmFieldChanges"), api: { ...error, status: 409 } },
  });
});
