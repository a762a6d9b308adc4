/** `formctl auth login`: tests a token, and stores it for exactly the origin of the server. */

import type { TokenStorage } from "../../config/credentials.ts";
import type { RemoteTarget } from "../../config/target.ts";
import { parseToken } from "../../config/token.ts";
import type { Secret } from "../../base/secret.ts";
import { ServiceError } from "../../service.ts";
import { type CommandContext, defineCommand, flag } from "../command.ts";
import { problemOf } from "../read-input.ts";
import { isOverridden, serverTarget } from "./server-target.ts";

export default defineCommand({
  details: `Reads the token from --token-file, a prompt or standard input, but never from the command line, which other users can see.
The command tries the token with one request and stores it in the system's keychain or, if there is none, in a file that only
you can read.`,
  examples: [
    "formctl auth login --profile prod",
    "formctl auth login --profile prod --token-file ./token.txt",
    "pass show formctl | formctl auth login --profile prod",
  ],
  args: {},
  options: { noCheck: flag("--no-check", "Store the token without trying it") },
  async run(context, { noCheck }) {
    const target = await serverTarget(context);
    const { origin } = target;
    const token = await readToken(context, origin);
    if (!noCheck) await tryToken(context, target, token);
    const storage = await context.credentials.save(origin, token);
    return {
      origin,
      storedIn: storage,
      path: storage === "file" ? context.credentials.path : null,
      last4: token.last4,
      isUsed: !isOverridden(context, target),
    };
  },
  view({ origin, storedIn, path, isUsed }, terminal) {
    terminal.line(`Logged in to ${origin}.`);
    terminal.hint(`The token is stored in ${tokenStorageText(storedIn, path)}.`);
    if (!isUsed) terminal.warn("FORMCTL_TOKEN is set and is used instead of this token.");
  },
  names: ({ origin }) => [origin],
});

/**
 * Sends a request with the token.
 *
 * @throws the error of the request. For a 401, the hint of the error is replaced, because the usual hint is to log in
 */
async function tryToken(context: CommandContext, target: RemoteTarget, token: Secret): Promise<void> {
  const source = context.tokenFile === undefined ? "prompt" : "--token-file";
  const server = target === context.target ? context.server : context.connect(target, { token, source });
  try {
    await (await server.serviceFor(token)).listCurrencies({});
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 401) throw error;
    throw error.reworded({ hint: "The token was not saved. Request another token from its issuer." });
  }
}

/**
 * Reads a token for a server: from the token file, from a prompt, or from standard input.
 *
 * @throws CREDENTIALS_UNUSABLE if the token is malformed. A prompt asks the user again instead
 */
export async function readToken(
  { tokenFile, prompter, readFile }: Pick<CommandContext, "tokenFile" | "prompter" | "readFile">,
  origin: string,
): Promise<Secret> {
  const readText = async (path: string) => Buffer.from(await readFile(path)).toString("utf8");
  if (tokenFile !== undefined) return parseToken(await readText(tokenFile), "the token file");
  if (!prompter) return parseToken(await readText("-"), "standard input");
  const parse = (answer: string) => parseToken(answer, "your answer");
  return parse(await prompter.password(`Token for ${origin}:`, { validate: (answer) => problemOf(parse, answer) }));
}

/** Returns the storage of a token as text. @param path the file of the tokens; null for the keychain */
export function tokenStorageText(place: TokenStorage, path: string | null): string {
  return place === "keychain" ? "the keychain" : `${path}, which only you can read`;
}
