/** A program with a server that records every request. The store has a few forms and layouts. */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newCanary } from "../canary.ts";
import { byTable, type Received, startServer } from "../client/table-server.ts";
import { type Cli, openLocal } from "./cli.ts";
import { people } from "./forms-scene.ts";
import { DESK, newPage, openScene, PROFILE } from "./layouts-scene.ts";

export type RecordingScene = {
  cli: Cli;
  /** The requests, in order. */
  received: Received[];
  /**
   * Replaces placeholders in a text:
   * - `$FORM`, `$LAYOUT`, `$PAGE`, `$DRAFT`, `$VERSION` and `$ROLE` by ids;
   * - `$SERVER` by the URL of the server;
   * - `$STORE` by the path of the store and its organization.
   */
  withIds: (text: string) => string;
};

/**
 * Opens the scene. The placeholders of {@link RecordingScene.withIds} are:
 * - `$FORM`: the form {@link PROFILE};
 * - `$LAYOUT`: its layout;
 * - `$VERSION`: the first version of the layout, which is published;
 * - `$DRAFT`: the draft of the layout;
 * - `$PAGE`: a layout without an owning form.
 *
 * The files are those of {@link openScene}.
 */
export async function openRecordingScene(): Promise<RecordingScene> {
  const cli = await openScene();
  const { recruiter = "" } = await people(cli);
  const page = await newPage(cli, "Page");
  await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "--publish");
  await cli.run("layouts", "versions", "restore", PROFILE, "1");
  await cli.run("layouts", "draft", "push", DESK, "b.yaml");
  const form = (await cli.run("forms", "get", PROFILE, "-o", "json")).json() as { id: string; viewLayoutId: string };
  const versions = (await cli.run("layouts", "versions", "list", PROFILE, "-o", "json")).json() as {
    id: string;
    status: string;
  }[];
  const idOf = (status: string) => versions.find((version) => version.status === status)?.id ?? "";
  const ids: Record<string, string> = {
    $FORM: form.id,
    $LAYOUT: form.viewLayoutId,
    $PAGE: page,
    $DRAFT: idOf("DRAFT"),
    $VERSION: idOf("PUBLISHED"),
    $ROLE: recruiter,
  };
  const local = openLocal(cli, join(cli.home, "local.db"));
  const service = await local.service("northwind");
  const server = await startServer((request) => byTable(service, request));
  Object.assign(ids, { $SERVER: server.url, $STORE: `${join(cli.home, "local.db")}#northwind` });
  onTestFinished(async () => {
    await server.close();
    await local.close();
  });
  cli.env = { FORMCTL_HOME: cli.home, FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: newCanary() };
  return {
    cli,
    received: server.received,
    withIds: (text) => text.replace(/\$[A-Z]+/g, (name) => ids[name] ?? name),
  };
}
