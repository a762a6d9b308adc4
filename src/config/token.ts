/** The token of a target: from where it may come, and when it is not used. */

import { FormctlError } from "../error.ts";
import { Secret } from "../schemas/secret.ts";
import { isWellFormedToken } from "../schemas/token.ts";
import type { Credentials } from "./credentials.ts";
import type { RemotePlace } from "./target.ts";

export type TokenSource = "--token-file" | "FORMCTL_TOKEN" | "keychain" | "file";
export type FoundToken = { token: Secret; source: TokenSource };

/**
 * The token for a server: a file that was named, the environment, or what is stored for its exact origin.
 *
 * @throws NO_TOKEN when there is none that may be used
 */
export async function findToken(
  target: RemotePlace,
  from: {
    env: Readonly<Record<string, string | undefined>>;
    credentials: Credentials;
    /** The text of `--token-file`, where it was typed. */
    tokenFile: (() => Promise<string>) | undefined;
  },
): Promise<FoundToken> {
  if (from.tokenFile) return { token: parseToken(await from.tokenFile(), "the token file"), source: "--token-file" };
  const inEnvironment = from.env["FORMCTL_TOKEN"];
  // A repository's file picked the profile: whoever wrote it does not decide who gets this token.
  const isTrusted = target.namedBy !== "project";
  if (inEnvironment && isTrusted) return { token: parseToken(inEnvironment, "FORMCTL_TOKEN"), source: "FORMCTL_TOKEN" };
  const stored = await from.credentials.find(target.origin);
  if (stored) return { token: stored.token, source: stored.place };
  const profile = target.profile === undefined ? "" : ` --profile ${target.profile}`;
  throw new FormctlError(
    "NO_TOKEN",
    `there is no token for ${target.origin}`,
    inEnvironment
      ? `FORMCTL_TOKEN is not sent where a project's file leads. Name the place yourself:${profile}`
      : `Log in: formctl auth login${profile}, or set FORMCTL_TOKEN`,
  );
}

/** @param place what is said to hold the token, which itself is never told @throws CREDENTIALS_UNUSABLE */
export function parseToken(text: string, place: string): Secret {
  const value = text.trim();
  if (value === "") throw new FormctlError("CREDENTIALS_UNUSABLE", `${place} is empty`);
  // Anything else could not stand in a header.
  if (!/^[\x21-\x7e]{1,4096}$/.test(value))
    throw new FormctlError("CREDENTIALS_UNUSABLE", `${place} holds what can't be a token`);
  if (value.startsWith("fctl_") && !isWellFormedToken(value))
    throw new FormctlError("CREDENTIALS_UNUSABLE", `${place} holds a token with a typing error, or only a part of one`);
  return new Secret(value);
}
