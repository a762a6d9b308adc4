/** `formctl local tokens list`: prints the tokens of the store. */

import type { TokenView } from "../../local-service.ts";
import { printTable, type Column } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import { withOrganization } from "./store-view.ts";

const columns: Column<TokenView>[] = [
  { title: "Name", value: ({ name }) => name, essential: true },
  { title: "Id", value: ({ id }) => id, id: true, yields: true },
  { title: "Token", value: ({ last4 }) => `fctl_…${last4}`, yields: true },
  { title: "Permissions", value: ({ permissions }) => permissions.join(" ") || "none", wraps: true },
  { title: "Expires", value: ({ expiresAt }) => expiresAt ?? "never", time: true },
  { title: "Revoked", value: ({ revokedAt }) => revokedAt, time: true },
  { title: "Last used", value: ({ lastUsedAt }) => lastUsedAt, time: true, yields: true },
];

export default defineCommand({
  examples: ["formctl local tokens list", "formctl local tokens list -o json --query '[?revokedAt==null].name'"],
  args: {},
  options: {},
  async run(context) {
    return (await context.local()).listTokens(context.organization);
  },
  view(tokens: TokenView[], terminal) {
    printTable(
      terminal,
      withOrganization(columns, tokens),
      tokens,
      "There are no tokens. Create one: formctl local tokens create --name NAME",
    );
  },
});
