/** Finds the token for a server. */

import { FormctlError } from "../base/error.ts";
import { Secret, isWellFormedToken } from "../base/secret.ts";
import type { Credentials } from "./credentials.ts";
import type { RemoteTarget } from "./target.ts";

export type TokenSource = "--token-file" | "FORMCTL_TOKEN" | "keychain" | "file" | "prompt";
export type FoundToken = { token: Secret; source: TokenSource };

/**
 * Returns the token of `--token-file`, else of FORMCTL_TOKEN, else of the credentials for exactly this origin. Ignores
 * FORMCTL_TOKEN if the project file chooses the server.
 *
 * @throws NO_TOKEN, CREDENTIALS_UNUSABLE
 */
export async function findToken(
  target: RemoteTarget,
  from: {
    env: Readonly<Record<string, string | undefined>>;
    credentials: Credentials;
    /** Reads the file of `--token-file`; undefined without this flag. */
    tokenFile: (() => Promise<string>) | undefined;
  },
): Promise<FoundToken> {
  if (from.tokenFile) return { token: parseToken(await from.tokenFile(), "the token file"), source: "--token-file" };
  const inEnvironment = from.env["FORMCTL_TOKEN"];
  // A repository must not be able to choose the server that receives this token.
  const isTrusted = target.namedBy !== "project";
  if (inEnvironment && isTrusted) return { token: parseToken(inEnvironment, "FORMCTL_TOKEN"), source: "FORMCTL_TOKEN" };
  const stored = await from.credentials.find(target.origin);
  if (stored) return { token: stored.token, source: stored.storage };
  const profile = target.profile === undefined ? "" : ` --profile ${target.profile}`;
  throw new FormctlError(
    "NO_TOKEN",
    `no token for ${target.origin}`,
    inEnvironment
      ? `FORMCTL_TOKEN is not sent to a server that a project file chooses. Specify the profile:${profile}`
      : `Log in: formctl auth login${profile}, or set FORMCTL_TOKEN`,
  );
}

/**
 * @param source the name of the source, for messages. Messages never contain the token
 * @throws CREDENTIALS_UNUSABLE
 */
export function parseToken(text: string, source: string): Secret {
  const value = text.trim();
  if (value === "") throw new FormctlError("CREDENTIALS_UNUSABLE", `${source} is empty`);
  if (/^(["']).+\1$/.test(value)) {
    throw new FormctlError(
      "CREDENTIALS_UNUSABLE",
      `${source} contains a token in quotes`,
      "Remove the quotes. To print a token without them: formctl local tokens create --name NAME --query token --raw",
    );
  }
  // An HTTP header allows only these characters.
  if (!/^[\x21-\x7e]{1,4096}$/.test(value))
    throw new FormctlError("CREDENTIALS_UNUSABLE", `${source} does not contain a valid token`);
  if (value.startsWith("fctl_") && !isWellFormedToken(value))
    throw new FormctlError("CREDENTIALS_UNUSABLE", `${source} contains a token that is incomplete or misspelled`);
  return new Secret(value);
}
