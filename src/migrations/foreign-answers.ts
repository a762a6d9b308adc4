/**
 * Decides whether a script may use the answers that the record has for its steps. On a server, users who may write
 * layouts can change the record, and an answer decides which forms and layouts the later steps change. So answers that
 * this folder has not recorded need a confirmation by the user.
 */

import { type Need, requireNoNeeds } from "../plan/planned.ts";
import { isScript } from "./definition.ts";
import type { LoadedMigration } from "./loaded.ts";
import type { MigrationEntry, MigrationRecord, RecordedStep } from "./record.ts";

/** The maximum length of an answer in a question. */
const MAX_SHOWN = 200;

type Answered = { loaded: LoadedMigration; entry?: MigrationEntry | undefined };

/** Returns the steps whose answers this folder neither recorded nor accepted. Only scripts that use answers have some. */
export async function foreignAnswers(record: MigrationRecord, { loaded, entry }: Answered): Promise<RecordedStep[]> {
  if (!entry || !isScript(loaded.migration) || loaded.checksAnswers) return [];
  return (await record.answers?.foreign(entry)) ?? [];
}

/** Returns the confirmation that the foreign answers of a migration need: none or one. */
export function answerNeeds(name: string, foreign: readonly RecordedStep[]): Need[] {
  if (foreign.length === 0) return [];
  const answers = foreign.map((step) => `step "${step.name}" answered ${shortened(JSON.stringify(step.answer))}`);
  const what = `${name} uses answers that another folder recorded: ${answers.join(", ")}`;
  return [{ consent: "allow-answers", what, lost: [] }];
}

/** Remembers the foreign answers of an entry, because the user has accepted them. */
export async function acceptAnswers(record: MigrationRecord, answered: Answered): Promise<void> {
  const foreign = await foreignAnswers(record, answered);
  if (answered.entry && foreign.length > 0) await record.answers?.add(answered.entry, foreign);
}

/**
 * Called before a script gets its answers. Another user may have changed the record since the user was asked.
 *
 * @throws CONSENT_MISSING if an answer is foreign
 */
export async function requireOwnAnswers(
  record: MigrationRecord,
  answered: Answered & { entry: MigrationEntry },
): Promise<void> {
  requireNoNeeds(answerNeeds(answered.entry.name, await foreignAnswers(record, answered)));
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (whole with --dry-run -o json)` : text;
}
