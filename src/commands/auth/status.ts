/** `formctl auth status`: prints the source and last characters of the token that requests use. */

import { findToken } from "../../config/token.ts";
import { hasCode } from "../../base/error.ts";
import { fields } from "../../terminal/table.ts";
import { defineCommand } from "../command.ts";
import { serverTarget } from "./server-target.ts";

export default defineCommand({
  details: "Sends no request: to try the token, run formctl doctor. Without a token the exit code is 4.",
  examples: ["formctl auth status --profile prod", "formctl auth status --profile prod -o json --query source"],
  args: {},
  options: {},
  async run(context) {
    const target = await serverTarget(context);
    const { origin, profile = null } = target;
    try {
      const { env, credentials } = context;
      const isChosen = target !== context.target;
      const { token, source } = await (isChosen
        ? findToken(target, { env, credentials, tokenFile: undefined })
        : context.server.token());
      return { origin, profile, source, last4: token.last4, hint: null };
    } catch (error) {
      if (!hasCode(error, "NO_TOKEN")) throw error;
      return { origin, profile, source: null, last4: null, hint: error.hint ?? null };
    }
  },
  view({ origin, profile, source, last4, hint }, terminal) {
    const token = source === null ? "none" : `…${last4} (from ${source})`;
    terminal.out(
      fields(
        [
          ["Server", origin],
          ["Profile", profile ?? undefined],
          ["Token", token],
        ],
        terminal,
      ),
    );
    if (hint !== null) terminal.hint(hint);
  },
  names: ({ origin }) => [origin],
  exitCode: ({ source }) => (source === null ? 4 : 0),
});
