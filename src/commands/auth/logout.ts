/** `formctl auth logout`: deletes the stored token of the server. */

import { defineCommand } from "../command.ts";
import { isOverridden, serverTarget } from "./server-target.ts";

export default defineCommand({
  details: "The token stays valid. To revoke a token of a local store: formctl local tokens revoke.",
  examples: ["formctl auth logout --profile prod", "FORMCTL_PROFILE=prod formctl auth logout"],
  args: {},
  options: {},
  async run(context) {
    const target = await serverTarget(context);
    const { origin } = target;
    return { origin, removed: await context.credentials.remove(origin), isOverridden: isOverridden(context, target) };
  },
  view({ origin, removed, isOverridden: isStillSent }, terminal) {
    if (isStillSent) terminal.warn("FORMCTL_TOKEN is set and is still used.");
    terminal.line(removed ? `Logged out of ${origin}.` : `No token for ${origin} was stored.`);
  },
  names: ({ origin }) => [origin],
});
