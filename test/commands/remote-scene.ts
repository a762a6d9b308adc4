/** A program with a server on its store. */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { PERMISSIONS, type Permission } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { type Cli, openCli, openLocal } from "./cli.ts";

export type RemoteScene = {
  cli: Cli;
  url: string;
  token: string;
  newToken: (permissions: readonly Permission[]) => Promise<string>;
};

/** Opens the scene. Only the environment contains the URL of the server and the token. */
export async function openRemoteScene(): Promise<RemoteScene> {
  const cli = await openCli();
  const local = openLocal(cli, join(cli.home, "local.db"));
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    handler: serviceHandler(local, { host: "127.0.0.1", version: "0.0.0-test" }),
  });
  onTestFinished(async () => {
    await server.stop();
    await local.close();
  });
  const { url } = server;
  const newToken = async (permissions: readonly Permission[]) => {
    const request = { organization: "northwind", name: "test", permissions, expiresAt: null };
    return (await local.createToken(request)).token;
  };
  const token = await newToken(PERMISSIONS);
  delete cli.env["FORMCTL_ORGANIZATION"];
  cli.env["FORMCTL_BASE_URL"] = url;
  cli.env["FORMCTL_TOKEN"] = token;
  return { cli, url, token, newToken };
}
