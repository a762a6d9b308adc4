/** Shows a text in the user's pager. */

import { spawn } from "node:child_process";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the command of the pager, split at spaces: FORMCTL_PAGER, else PAGER, else less. Empty for an empty command,
 * for `cat`, and for a terminal that can't move its cursor.
 */
export function pagerCommand(env: Env): string[] {
  const command = (env["FORMCTL_PAGER"] ?? env["PAGER"] ?? "less").trim();
  return command === "" || command === "cat" || env["TERM"] === "dumb" ? [] : command.split(/\s+/);
}

/**
 * Shows a text in the pager, and waits until the user quits the pager. An early quit is not a failure, so the exit code
 * of the pager is ignored.
 *
 * @returns false if there is no pager, or it can't be started
 */
export async function showInPager(text: string, env: Env): Promise<boolean> {
  const [program, ...words] = pagerCommand(env);
  if (program === undefined) return false;
  // The options of less:
  // - F ends less if the text fits the screen.
  // - R shows colours.
  // - X leaves the text on the screen.
  const child = spawn(program, words, {
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...env, LESS: env["LESS"] ?? "FRX" },
  });
  // Ctrl-C is for the pager, which uses it to stop a search.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  try {
    return await new Promise((resolve) => {
      child.once("error", () => resolve(false));
      child.once("close", () => resolve(true));
      // The user may quit before the whole text is written.
      child.stdin.on("error", ignore);
      child.stdin.end(text);
    });
  } finally {
    process.removeListener("SIGINT", ignore);
  }
}
