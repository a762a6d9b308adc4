/** Reads migrations in YAML. A transform is a list of edits. A script is a list of operations. */

import { type Document, readDocument } from "../documents/document.ts";
import { problemsError } from "../documents/located-error.ts";
import { nearest } from "../base/nearest.ts";
import { isJsonObject } from "../schemas/json.ts";
import { readParsed } from "../schemas/shape.ts";
import type { Schema } from "../schemas/schema.ts";
import type { Match, Script, Transform } from "./definition.ts";
import type { LoadedMigration, MigrationFunction } from "./loaded.ts";
import { type MigrationEdit, type MigrationStep, ScriptFile, TransformFile } from "./migration-schema.ts";
import { errorAt, failureAt } from "./thrown.ts";
import { editForm, editLayout, editsForms, editsLayouts } from "./yaml-edits.ts";
import { firstWrites, operationOf, runYamlStep } from "./yaml-steps.ts";

/**
 * Reads a migration in YAML. An error of an edit or a step has its position in the file.
 *
 * @throws INVALID_FILE, or MIGRATION_INVALID with every problem
 */
export function readYamlMigration(text: string, file: string): LoadedMigration {
  const document = readDocument(text, file);
  const { migration, ...first } = definitionIn(document);
  const source = { file, text };
  return {
    migration,
    ...first,
    file,
    call: (member, work) => located(work, (error) => failureAt(error, source, document.locate(LISTS[member]))),
    refuse: (member, message, hint) =>
      errorAt("MIGRATION_INVALID", { ...source, position: document.locate(LISTS[member]), message, hint }),
  };
}

/** The member of the file that defines each function. */
const LISTS: Record<MigrationFunction, string> = { layout: "edits", form: "edits", run: "steps", down: "down" };

function located<T>(work: () => T, failure: (error: unknown) => Error): T {
  try {
    const result = work();
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw failure(error);
    }) as T;
  } catch (error) {
    throw failure(error);
  }
}

function definitionIn(document: Document): Omit<LoadedMigration, "file" | "call" | "refuse"> {
  const { value } = document;
  if (!isJsonObject(value)) throw invalid(document, "", "a migration must be an object with edits or steps");
  const isScript = Object.hasOwn(value, "steps") || Object.hasOwn(value, "down");
  if (isScript && Object.hasOwn(value, "edits")) {
    throw invalid(document, "edits", "a migration has edits or steps, not both. Write two migrations");
  }
  if (isScript) {
    const script = read(document, ScriptFile);
    return {
      migration: scriptOf(document, script),
      firstWrites: firstWrites(script.steps),
      listedSteps: script.steps.map((item) => ({ step: item.name, operation: operationOf(item) })),
      checksAnswers: true,
    };
  }
  if (Object.hasOwn(value, "edits")) return { migration: transformOf(document, read(document, TransformFile)) };
  const [member, near] = Object.keys(value)
    .map((name) => [name, nearest(name, ["edits", "steps"])] as const)
    .find(([, meant]) => meant !== undefined) ?? [""];
  const next = near === undefined ? "Add edits (a transform) or steps (a script)" : `Did you mean "${near}"?`;
  throw invalid(document, member, `the migration has neither edits nor steps. ${next}`);
}

function read<S extends Schema>(document: Document, schema: S) {
  const shape = readParsed(schema, document.value);
  if (shape.ok) return shape.value;
  const problems = shape.problems.map(({ path, message }) => ({
    severity: "error" as const,
    code: "MIGRATION_INVALID",
    message: `${path || "the migration"} ${message}`,
    path,
    file: document.file,
    ...document.locate(path),
  }));
  throw problemsError("MIGRATION_INVALID", { problems, sources: new Map([[document.file, document.text]]) });
}

function invalid(document: Document, path: string, message: string): Error {
  const { file, text } = document;
  return errorAt("MIGRATION_INVALID", { file, text, position: document.locate(path), message });
}

function scriptOf(document: Document, { steps, down }: ScriptFile): Script {
  const runAll = (list: string, items: readonly MigrationStep[]): Script["run"] =>
    async function run(service, step) {
      for (const [index, item] of items.entries()) {
        const failure = (error: unknown) => failureAt(error, document, document.locate(`${list}[${index}]`));
        await located(() => runYamlStep(service, step, item, items.slice(0, index)), failure);
      }
    };
  return { run: runAll("steps", steps), ...(down && { down: runAll("down", down) }) };
}

function transformOf(document: Document, { match, edits, confirmFieldChanges, drafts }: TransformFile): Transform {
  const applyAll = <T>(value: T, apply: (edit: MigrationEdit, value: T) => T): T =>
    edits.reduce((current, edit, index) => {
      const failure = (error: unknown) => failureAt(error, document, document.locate(`edits[${index}]`));
      return located(() => apply(edit, current), failure);
    }, value);
  return {
    ...(match && { match: match as Match }),
    ...(edits.some(editsLayouts) && { layout: (content) => applyAll(content, editLayout) }),
    ...(edits.some(editsForms) && { form: (form) => applyAll(form, editForm) }),
    ...(confirmFieldChanges && { confirmFieldChanges }),
    ...(drafts && { drafts }),
  };
}
