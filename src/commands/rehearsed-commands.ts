/** Reads the log of a rehearsal: what each formctl command of a script did on the copy. */

import { existsSync, readFileSync } from "node:fs";
import { type RehearsalEvent, rehearsalLog, type WriteOutcome } from "../config/script-rehearsal.ts";
import type { StartedCommand } from "../rehearsal/failures.ts";

/** A formctl command of a script, as it ran on the copy. */
export type RehearsedCommand = StartedCommand & {
  writes: RehearsedWrite[];
  error?: { code: string; message: string };
};

/**
 * A write on the copy. `status` and `code` belong to a refusal. `isCertain` is false for a refusal that may depend on
 * data missing in the copy. The target may accept such a write.
 */
export type RehearsedWrite = {
  method: string;
  path: string;
  outcome: WriteOutcome;
  status?: number;
  code?: string;
  isCertain: boolean;
};

/**
 * Returns the commands in the order in which they started.
 *
 * @param folder the folder of the rehearsal
 * @param uncertain the codes of refusals that may depend on what the copy lacks
 */
export function readRehearsedCommands(folder: string, uncertain: readonly string[]): RehearsedCommand[] {
  const log = rehearsalLog(folder);
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  const commands = new Map<string, RehearsedCommand>();
  for (const line of lines) {
    const event = readEvent(line);
    if (!event) continue;
    if (event.type === "start") {
      const { words, line: where = null, program } = event;
      commands.set(event.id, {
        line: where,
        ...(program !== undefined && { program }),
        words,
        exitCode: null,
        writes: [],
      });
      continue;
    }
    const command = commands.get(event.id);
    if (!command) continue;
    if (event.type === "write") {
      const { id: _command, type: _type, ...write } = event;
      command.writes.push({ ...write, isCertain: !uncertain.includes(write.code ?? "") });
    } else {
      command.exitCode = event.exitCode;
      if (event.error) command.error = event.error;
    }
  }
  return [...commands.values()];
}

/** Undefined for the end of the file and for an incomplete line. A killed command leaves an incomplete line. */
function readEvent(line: string): RehearsalEvent | undefined {
  try {
    return JSON.parse(line) as RehearsalEvent;
  } catch {
    return undefined;
  }
}
