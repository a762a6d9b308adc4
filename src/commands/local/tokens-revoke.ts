/** `formctl local tokens revoke`: revokes a token of the store. */

import { FormctlError } from "../../base/error.ts";
import type { TokenView } from "../../local-service.ts";
import { findByShortId } from "../../base/short-ids.ts";
import { argument, asText, defineCommand } from "../command.ts";

export default defineCommand({
  examples: ["formctl local tokens revoke ci", "formctl local tokens revoke ci --organization northwind"],
  args: { token: argument("TOKEN", "The token's id or name", asText, "token") },
  options: {},
  writes: "store",
  async run(context, { token }) {
    const local = await context.local();
    return local.revokeToken(tokenId(token, await local.listTokens(context.organization)));
  },
  view({ name, id }, terminal) {
    terminal.line(`Revoked the token ${name} (${id}).`);
  },
  done: ({ id }) => ({ text: `the token ${id} was revoked` }),
});

function tokenId(wanted: string, tokens: readonly TokenView[]): string {
  const byId = tokens.find(({ id }) => id === wanted);
  if (byId) return byId.id;
  const named = tokens.filter(({ name, revokedAt }) => name === wanted && revokedAt === null);
  const [only = findByShortId(tokens, wanted, "tokens")] = named;
  if (!only)
    throw new FormctlError(
      "NOT_FOUND",
      `the token "${wanted}" does not exist`,
      "List the tokens: formctl local tokens list",
    );
  if (named.length <= 1) return only.id;
  throw new FormctlError(
    "AMBIGUOUS_NAME",
    `${named.length} tokens are named "${wanted}": ${named.map(({ id }) => id).join(", ")}`,
    "Specify the id.",
  );
}
