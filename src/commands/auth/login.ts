/** `formctl auth login`: a token is tried, and kept for exactly the origin that it was given for. */

import { parseToken } from "../../config/token.ts";
import type { Secret } from "../../schemas/secret.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import { remotePlace } from "./remote-place.ts";

export default defineCommand({
  about: "Keep a token for a server",
  details: `The token is read from standard input, from --token-file, or asked for; never from the command line, which others can see.
It is tried with one cheap read, and kept in the system's keychain, or where there is none in a file that only you may read.`,
  examples: [
    "formctl auth login --profile prod",
    "formctl auth login --profile prod --token-file ./token.txt",
    "pass show formctl | formctl auth login --profile prod",
  ],
  args: {},
  options: { noCheck: flag("--no-check", "Keep it without trying it") },
  async run(context, { noCheck }) {
    const { origin } = remotePlace(context);
    const token = await askToken(context, origin);
    if (!noCheck) await (await context.server.serviceFor(token)).listCurrencies({});
    const place = await context.credentials.save(origin, token);
    return { origin, place, path: place === "file" ? context.credentials.path : null, last4: token.last4 };
  },
  view({ origin, place, path }, terminal) {
    terminal.out(`Logged in to ${origin}.\n`);
    terminal.hint(
      place === "keychain" ? "The token is in the keychain." : `No keychain answers: the token is in ${path}.`,
    );
  },
  names: ({ origin }) => [origin],
});

async function askToken(context: CommandContext, origin: string): Promise<Secret> {
  if (context.tokenFile !== undefined) {
    const bytes = await context.readFile(context.tokenFile);
    return parseToken(Buffer.from(bytes).toString("utf8"), "the token file");
  }
  if (context.prompter) return parseToken(await context.prompter.password(`Token for ${origin}:`), "your answer");
  return parseToken(Buffer.from(await context.readFile("-")).toString("utf8"), "standard input");
}
