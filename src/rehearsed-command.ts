/** Reports a command of a rehearsed script to the rehearsal: its words, its exit code and its error. */

import { randomUUID } from "node:crypto";
import type { Failure } from "./commands/failure.ts";
import { logRehearsal, readScriptRehearsal, type ScriptRehearsal } from "./config/script-rehearsal.ts";
import type { Host } from "./host.ts";
import { hideTokens } from "./secret.ts";

export type CommandReport = {
  /** Identifies the command in the log of the rehearsal. */
  id: string;
  failed(failure: Failure): void;
  ended(exitCode: number): void;
};

/** Reports that a command starts. Undefined if the rehearsal has ended: then the command refuses to run. */
export function reportCommand(argv: readonly string[], { env }: Pick<Host, "env">): CommandReport | undefined {
  let rehearsal: ScriptRehearsal | undefined;
  try {
    rehearsal = readScriptRehearsal(env);
  } catch {
    return undefined;
  }
  if (!rehearsal) return undefined;
  const own = rehearsal;
  const id = randomUUID();
  const line = env["FORMCTL_REHEARSAL_LINE"];
  let error: { code: string; message: string } | undefined;
  logRehearsal(own, { id, type: "start", words: argv.map(hideTokens), ...(line && { line }) });
  return {
    id,
    failed({ code, message }) {
      error = { code, message: hideTokens(message) };
    },
    ended: (exitCode) => logRehearsal(own, { id, type: "end", exitCode, ...(error && { error }) }),
  };
}
