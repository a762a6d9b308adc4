/** `formctl auth login`: a token is tried, and kept for exactly the origin that it was given for. */

import { parseToken } from "../../config/token.ts";
import type { Secret } from "../../schemas/secret.ts";
import { ServiceError } from "../../service.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import { isOverruled, remotePlace } from "./remote-place.ts";

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
    if (!noCheck) await tryToken(context, token);
    const place = await context.credentials.save(origin, token);
    return {
      origin,
      place,
      path: place === "file" ? context.credentials.path : null,
      last4: token.last4,
      isUsed: !isOverruled(context),
    };
  },
  view({ origin, place, path, isUsed }, terminal) {
    terminal.out(`Logged in to ${origin}.\n`);
    terminal.hint(`The token is in ${place === "keychain" ? "the keychain" : `${path}, which only you may read`}.`);
    if (!isUsed) terminal.warn("It is not used while FORMCTL_TOKEN is set.");
  },
  names: ({ origin }) => [origin],
});

/** @throws ServiceError with the advice that fits here: logging in again is what has just been tried */
async function tryToken({ server }: CommandContext, token: Secret): Promise<void> {
  try {
    await (await server.serviceFor(token)).listCurrencies({});
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    throw error.reworded({ hint: "The token was not saved. Request another token from its issuer." });
  }
}

async function askToken(context: CommandContext, origin: string): Promise<Secret> {
  if (context.tokenFile !== undefined) {
    const bytes = await context.readFile(context.tokenFile);
    return parseToken(Buffer.from(bytes).toString("utf8"), "the token file");
  }
  if (context.prompter) return parseToken(await context.prompter.password(`Token for ${origin}:`), "your answer");
  return parseToken(Buffer.from(await context.readFile("-")).toString("utf8"), "standard input");
}
