/** `formctl serve` */

import { FormctlError } from "../error.ts";
import { isLoopback } from "../schemas/base-url.ts";
import { defineCommand, flag, option, type RunningServer, wholeNumber } from "./command.ts";

export default defineCommand({
  about: "Serve the local store over HTTP",
  details:
    "Requests need a token of the store (formctl local tokens create). One line of JSON is logged on stderr for each.\n" +
    "Without --allow-remote only programs of this machine can connect. There is no TLS: others need a proxy that has it.",
  examples: ["formctl serve --port 0", "formctl serve --port 0 -o json"],
  args: {},
  options: {
    host: option("--host <address>", "The address to listen on (127.0.0.1)"),
    port: option("--port <number>", "The port; 0 takes any that is free (8080)", wholeNumber(0, 65_535)),
    allowRemote: flag("--allow-remote", "Allow an address that other machines can reach"),
  },
  async run(context, { host = "127.0.0.1", port = 8080, allowRemote }) {
    if (!isLoopback(host === "::1" ? "[::1]" : host) && !allowRemote) {
      throw new FormctlError(
        "USAGE",
        `other machines may be able to reach ${host}, and what they send can be read on the way`,
        "Put a proxy with TLS in front, and say --allow-remote.",
      );
    }
    // Opened before anybody connects: a store that is missing is told to whoever starts the server.
    const tokens = await (await context.local()).listTokens();
    const server = await listenOn(host, port, () => context.serve({ host, port }));
    return { ...server, store: context.localStore.location, hasTokens: tokens.some((token) => !token.revokedAt) };
  },
  view({ url, store }, terminal) {
    terminal.out(`Serving ${store} at ${url}\n`);
    terminal.hint("Stop it with Ctrl-C.");
  },
  document: ({ url }) => ({ url }),
  names: ({ url }) => [url],
  next: ({ hasTokens }) =>
    hasTokens ? [] : ["formctl local tokens create --name NAME --permission all  # nobody has a token yet"],
  lasts: ({ ended }) => ended,
});

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has it",
  EACCES: "this user may not use it",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such name",
};

/** @throws INVALID_VALUE when the address can't be had */
async function listenOn(host: string, port: number, start: () => Promise<RunningServer>): Promise<RunningServer> {
  try {
    return await start();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    throw new FormctlError(
      "INVALID_VALUE",
      `can't listen on ${host}, port ${port}: ${reason}`,
      "Name another with --host and --port; --port 0 takes any that is free.",
    );
  }
}
