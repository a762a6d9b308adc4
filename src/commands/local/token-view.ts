/** Tokens as a table. The token itself is never among the columns. */

import type { TokenView } from "../../local-service.ts";
import { type Column, formatTime } from "../../terminal/table.ts";
import { withOrganization } from "./organization-column.ts";

const columns: Column<TokenView>[] = [
  { title: "Name", value: ({ name }) => name },
  { title: "Id", value: ({ id }) => id, whole: true },
  { title: "Token", value: ({ last4 }) => `fctl_…${last4}` },
  { title: "Permissions", value: ({ permissions }) => permissions.join(" ") || "none", shrink: true },
  { title: "Expires", value: ({ expiresAt }) => (expiresAt === null ? "never" : formatTime(expiresAt)) },
  { title: "Revoked", value: ({ revokedAt }) => formatTime(revokedAt) },
  { title: "Last used", value: ({ lastUsedAt }) => lastUsedAt },
];

export const tokenColumns = (tokens: readonly TokenView[]) => withOrganization(columns, tokens);
