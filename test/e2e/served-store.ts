/** A store that is served by a process of the program. */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ending, FORMCTL, formctl, start } from "./program.ts";
import type { OtherTarget } from "./rerun-document.ts";

/** Serves the local store of a home folder. Returns the settings that select the server. */
export async function serveStore(home: string): Promise<OtherTarget> {
  const words = ["local", "tokens", "create", "--name", "ci", "--permission", "all", "-q"];
  const { stdout: token } = await formctl(words, { home });
  const server = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  const served = ending(server);
  onTestFinished(async () => {
    server.kill();
    await served;
  });
  const line: unknown = await new Promise((resolve) => server.stdout.once("data", resolve));
  const { url } = JSON.parse(String(line)) as { url: string };
  return {
    env: { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token.trim() },
    asLocal: (output) =>
      output
        .replaceAll(url, `the local store ${join(home, "local.db")}`)
        .replaceAll(/the layout "formctl migrations"(?: \(lay_\w+\))?/g, "the local store"),
  };
}
