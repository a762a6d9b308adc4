/**
 * Remembers in the state folder of the project which layout of a target contained the record of migrations, and which
 * answers of steps this folder recorded. Without this memory, a layout that another user archived, renamed or emptied
 * would look like a target without migrations, and an answer that another user wrote like an own one.
 */

import { appendFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeMachineFolder } from "../disk/folders.ts";
import { readIfExists, refuseLinks } from "../disk/links.ts";
import { writeWhole } from "../disk/write-file.ts";
import { hasCode } from "../base/error.ts";
import { asUnwritable } from "../disk/file-errors.ts";
import { type ProjectTarget, runsFolder } from "../state/target.ts";
import { isIdentifier } from "../schemas/words.ts";
import { sha256 } from "../base/sha256.ts";
import type { AnswerMemory, MigrationEntry, RecordedStep } from "./record.ts";

export type RecordMemory = {
  /** Returns the id of the layout that contained the record. Undefined if none is known. */
  read(): Promise<string | undefined>;
  /** Remembers a layout; undefined forgets it. A folder that can't be written is ignored. */
  write(layoutId: string | undefined): Promise<void>;
  answers: AnswerMemory;
};

/** Opens the memory of a target. @param root the root of the project */
export async function recordMemory(root: string, target: ProjectTarget): Promise<RecordMemory> {
  const folder = runsFolder({ root, target });
  const name = `migrations-${sha256(await target.key()).slice(0, 16)}`;
  const path = join(folder, name);
  return {
    answers: answerMemory(folder, join(folder, `${name}-answers`)),
    async read() {
      await refuseLinks(path, dirname(folder));
      const id = (await readIfExists(path))?.trim() ?? "";
      return isIdentifier(id) ? id : undefined;
    },
    async write(layoutId) {
      try {
        await makeMachineFolder(folder);
        await writeWhole(path, `${layoutId ?? ""}\n`, 0o600);
      } catch (error) {
        if (!hasCode(error, "FILE_UNWRITABLE", "FILE_UNFIT")) throw error;
      }
    },
  };
}

/** Opens the memory of answers: a file with one digest in each line. */
function answerMemory(folder: string, path: string): AnswerMemory {
  return {
    async foreign(entry) {
      await refuseLinks(path, dirname(folder));
      const known = new Set((await readIfExists(path))?.split("\n"));
      const steps = [...entry.steps, ...(entry.downSteps ?? [])];
      return steps.filter((step) => step.answer !== null && !known.has(answerDigest(entry, step)));
    },
    async add(entry, steps) {
      await makeMachineFolder(folder);
      await refuseLinks(path, dirname(folder));
      const lines = steps.map((step) => `${answerDigest(entry, step)}\n`);
      await appendFile(path, lines.join(""), { mode: 0o600 }).catch((error: unknown) => {
        throw asUnwritable(path, error);
      });
    },
  };
}

function answerDigest({ name, startedAt }: Pick<MigrationEntry, "name" | "startedAt">, step: RecordedStep): string {
  return sha256(JSON.stringify([name, startedAt, step.name, step.at, step.answer]));
}
