/** `formctl auth logout` */

import { defineCommand } from "../command.ts";
import { isOverruled, remotePlace } from "./remote-place.ts";

export default defineCommand({
  about: "Forget the token for a server",
  details: "The token stays valid: whoever issued it can revoke it (formctl local tokens revoke).",
  examples: ["formctl auth logout --profile prod"],
  args: {},
  options: {},
  async run(context) {
    const { origin } = remotePlace(context);
    return { origin, removed: await context.credentials.remove(origin), isOverruled: isOverruled(context) };
  },
  view({ origin, removed, isOverruled: isStillSent }, terminal) {
    if (isStillSent) terminal.warn("FORMCTL_TOKEN is set, and is sent all the same.");
    terminal.out(removed ? `Logged out of ${origin}.\n` : `There was no token for ${origin}.\n`);
  },
  names: ({ origin }) => [origin],
});
