/** `formctl local tokens list` */

import type { TokenView } from "../../local-service.ts";
import { printTable } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import { tokenColumns } from "./token-view.ts";

export default defineCommand({
  about: "List the tokens of an organization, without the tokens themselves",
  examples: ["formctl local tokens list", "formctl local tokens list -o json --query '[?revokedAt==null].name'"],
  args: {},
  options: {},
  async run(context) {
    return (await context.local()).listTokens(context.organization);
  },
  view(tokens: TokenView[], terminal) {
    printTable(
      terminal,
      tokenColumns(tokens),
      tokens,
      "There are no tokens. Create one: formctl local tokens create --name NAME",
    );
  },
});
