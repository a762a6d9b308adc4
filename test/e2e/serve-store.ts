/** Serves the local store of a home until the test ends. */

import { onTestFinished } from "vitest";
import { ending, FORMCTL, formctl, start } from "./program.ts";

/** Creates a token with all permissions, and starts `formctl serve`. */
export async function serveStore(home: string): Promise<{ url: string; token: string }> {
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
  return { url, token: token.trim() };
}
