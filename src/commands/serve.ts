/** `formctl serve`: serves the local store over HTTP. */

import { FormctlError } from "../error.ts";
import { isLoopback } from "../schemas/base-url.ts";
import { defineCommand, flag, option, type RunningServer, wholeNumber } from "./command.ts";

export default defineCommand({
  details:
    "Requests need a token of the store (formctl local tokens create). Each request is logged to stderr as one line of JSON.\n" +
    "Without --allow-remote only programs on this machine can connect. The server has no TLS: for other machines, use a proxy with TLS.",
  examples: ["formctl serve --port 0", "formctl serve --port 0 -o json"],
  args: {},
  options: {
    host: option("--host <address>", "Address to listen on (default 127.0.0.1)"),
    port: option("--port <number>", "Port; 0 selects a free one (default 8080)", wholeNumber(0, 65_535)),
    allowRemote: flag("--allow-remote", "Allow an address that other machines can reach"),
  },
  async run(context, { host = "127.0.0.1", port = 8080, allowRemote }) {
    if (!isLoopback(host === "::1" ? "[::1]" : host) && !allowRemote) {
      throw new FormctlError(
        "USAGE",
        `other machines may reach ${host}, and the connection is not encrypted`,
        "Use a proxy with TLS, and add --allow-remote.",
      );
    }
    // Opens the store before the server starts, so that a missing store is an error of this command.
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
    hasTokens ? [] : ["formctl local tokens create --name NAME --permission all  # there is no token yet"],
  afterPrint: ({ ended }) => ended,
  keepsRunning: () => true,
});

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "the address does not belong to this machine",
  ENOTFOUND: "the host name is unknown",
};

/** Starts the server. @throws INVALID_VALUE if the address can't be used */
async function listenOn(host: string, port: number, start: () => Promise<RunningServer>): Promise<RunningServer> {
  try {
    return await start();
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    throw new FormctlError(
      "INVALID_VALUE",
      `can't listen on ${host}, port ${port}: ${reason}`,
      "Specify another with --host or --port; --port 0 selects a free port.",
    );
  }
}
