/** Runs the functions of migrations in a test, with the checks and rules of a real run. */

import { randomUUID } from "node:crypto";
import { type LayoutContent, readLayoutContent } from "../composition/layout-content.ts";
import { objectText } from "../lists/addresses.ts";
import { changedLayout } from "../migrations/change-manifest.ts";
import { definedMigration } from "../migrations/defined.ts";
import type { About, Match, Script, Transform } from "../migrations/definition.ts";
import { matches, objectsOf, selectsForms } from "../migrations/match.ts";
import { runScript as runSteps } from "../migrations/script.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { type Json, sameJson } from "../schemas/json.ts";
import { MODES } from "../schemas/words.ts";
import { FormctlError } from "../base/error.ts";
import type { Service } from "../service.ts";

/** The answers of the steps of a script, by the names of the steps. */
export type StepAnswers = Readonly<Record<string, Json>>;

/**
 * Calls the function `layout` of a migration, with the checks of a real run: `match` must select the form or layout, and
 * the result must be a valid content.
 *
 * ```ts
 * const changed = runTransform(migration, { schemaVersion: 1, regions, blocks }, { name: "Intake" });
 * ```
 *
 * @param content not changed: the function gets a copy
 * @param about the form or layout. Default: one that `match` selects
 * @returns the changed content; undefined if `match` does not select it, or the content does not change
 * @throws INVALID_VALUE if `content` is invalid
 * @throws MIGRATION_INVALID if the result is no valid content, or the object is no migration
 * @throws what the function throws
 */
export function runTransform(
  migration: Transform,
  content: LayoutContent,
  about: Partial<About> = {},
): DraftContent | undefined {
  const code = definedMigration(migration);
  const before = readLayoutContent(content);
  const whole = aboutOf(migration.match, about);
  if (!matches(migration.match, whole, [before])) return undefined;
  const changed = changedLayout({ content: before, modes: whole.modes }, { ...code, migration }, whole);
  const [problem] = changed?.problems ?? [];
  if (problem) throw code.refuse("layout", `a block ${problem.message}`);
  return changed && !sameJson(changed.plain, before) ? changed.plain : undefined;
}

/** Completes the description of a form or layout, so that `match` selects it. */
function aboutOf(match: Match = {}, given: Partial<About>): About {
  const { kind = given.target === undefined && selectsForms(match) ? "Form" : "Layout" } = given;
  const common = { kind, modes: MODES, layoutId: "lay_test" };
  if (kind === "Layout") {
    const [name = "Test"] = [given.name, ...(match.layouts ?? [])].filter((each) => each !== undefined);
    const surface = match.surfaces?.find((each) => each !== "DYNAMIC_OBJECT") ?? "ORGANIZATION";
    return { ...common, name, surface, address: `${given.surface ?? surface}/${name}`, target: {}, ...given };
  }
  const [object = { moduleKey: "crm", objectKey: "contact" }] = [given.object ?? objectsOf(match)?.[0] ?? []].flat();
  const name = given.name ?? match.forms?.[0] ?? "Test";
  const address = `${objectText(object)}/${name}`;
  return { ...common, name, surface: "DYNAMIC_OBJECT", address, object, formId: "frm_test", ...given };
}

export type RunScriptOptions = {
  /** The steps that an interrupted run has done, with their answers. They do not run again. */
  answers?: StepAnswers;
  /**
   * Identifies the run. The ids of its writes are computed from it. To continue an interrupted run, use the same text.
   * Default: a random text.
   */
  seed?: string;
  /** Called after each step that is done. */
  onStep?: (name: string, answer: Json) => void;
};

/**
 * Runs a script with its steps in memory, and with the rules of a real run. For example, a write outside of a step is
 * refused.
 *
 * ```ts
 * await using test = await testOrganization();
 * const answers = await runScript(migration, test.service);
 * await revertScript(migration, test.service, answers);
 * ```
 *
 * @returns the answers of all steps
 * @throws MIGRATION_INVALID if the script breaks a rule of steps, or the object is no migration
 * @throws what the script throws
 */
export function runScript(migration: Script, service: Service, options: RunScriptOptions = {}): Promise<StepAnswers> {
  return runInMemory({ migration, service, direction: "run", runAnswers: {} }, options);
}

/**
 * Runs the function `down` of a script, as {@link runScript} runs the script.
 *
 * ```ts
 * await revertScript(migration, test.service, await runScript(migration, test.service));
 * ```
 *
 * @param answers the answers of the steps of `run`
 * @throws MIGRATION_INVALID if the script has no function `down`
 * @throws what {@link runScript} throws
 */
export function revertScript(
  migration: Script,
  service: Service,
  answers: StepAnswers,
  options: RunScriptOptions = {},
): Promise<StepAnswers> {
  return runInMemory({ migration, service, direction: "down", runAnswers: answers }, options);
}

async function runInMemory(
  run: { migration: Script; service: Service; direction: "run" | "down"; runAnswers: StepAnswers },
  { answers = {}, seed = randomUUID(), onStep }: RunScriptOptions,
): Promise<StepAnswers> {
  const { migration, service, direction, runAnswers } = run;
  const loaded = definedMigration(migration);
  if (direction === "down" && !migration.down) {
    throw new FormctlError("MIGRATION_INVALID", "the script has no function down");
  }
  const done = new Map(Object.entries(answers));
  const at = new Date().toISOString();
  const recorded = (all: StepAnswers) => Object.entries(all).map(([name, answer]) => ({ name, answer, at }));
  await runSteps({
    loaded,
    direction,
    service,
    seed: JSON.stringify([seed, direction]),
    recorded: recorded(answers),
    runSteps: recorded(runAnswers),
    now: () => new Date(),
    async onStep({ name, answer }) {
      done.set(name, answer);
      onStep?.(name, answer);
    },
  });
  return Object.fromEntries(done);
}
