/**
 * Rewords hints for programs that use the library. The hints of errors name commands and their options. This module
 * replaces them with functions and options of the library, and leaves out the sentences for which the library has no
 * counterpart. So a new hint never needs a second text.
 */

/** The functions of the library with the effect of a command, by the words of the command. */
export const CALLS: Readonly<Record<string, string | undefined>> = {
  apply: "project.apply()",
  export: "project.export()",
  "forms access show": "service.getFormAccess()",
  "forms defaults clear": "service.updateFormDefaults()",
  "forms defaults show": "service.listForms()",
  "forms delete": "service.deleteForm()",
  "forms get": "service.getForm()",
  "forms list": "service.listForms()",
  "forms update": "service.updateForm()",
  "layouts archive": "service.archiveLayout()",
  "layouts assignments set": "service.replaceAssignments()",
  "layouts assignments show": "service.getLayout()",
  "layouts draft push": "service.saveDraft()",
  "layouts draft show": "service.listVersions()",
  "layouts edit": "service.saveDraft()",
  "layouts get": "service.getLayout()",
  "layouts list": "service.listLayouts()",
  "layouts publish": "service.publishLayout()",
  "layouts update": "service.updateLayout()",
  "layouts versions list": "service.listVersions()",
  "layouts versions restore": "service.restoreDraft()",
  "local backup": "backupStore()",
  "local check": "local.check()",
  "local init": "openLocal(store, { create: true })",
  "local restore": "restoreStore()",
  "local seed": "local.seed()",
  "local show": "local.show()",
  "migrate baseline": "migrations.baseline()",
  "migrate down": "migrations.down()",
  "migrate plan": "migrations.plan()",
  "migrate repair": "migrations.repair()",
  "migrate run": "migrations.run()",
  "migrate status": "migrations.status()",
  plan: "project.plan()",
  validate: "project.validate()",
};

/** Texts that are replaced before the commands in them. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  // The demo is part of the program, not of the library.
  [/\bformctl local init --demo(?: \(with example data\))?, or /g, ""],
  [/\bformctl local backup created\b/g, "backupStore() created"],
  [/\badd --allow-delete to formctl migrate repair\b/g, "call migrations.repair() with confirmRenewal"],
  [/\brun the command again\b/g, "try again"],
  [/\bRun the command again\b/g, "Try again"],
];

/** The options of the library, by the options of the commands. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/--timeout SECONDS/g, "{ timeout: MILLISECONDS }"],
  [/--organization ([\w-]+)/g, '{ organization: "$1" }'],
  [/--allow-answers\b/g, "{ confirm: () => true }"],
  [/--allow-changed\b/g, "{ allowChanged: true }"],
  [/--allow-delete\b/g, "{ allowDelete: true }"],
  [/--allow-missing\b/g, "{ allowMissing: true }"],
  [/--allow-out-of-order\b/g, "{ allowOutOfOrder: true }"],
  [/--allow-replace\b/g, "{ allowReplace: true }"],
  [/--overwrite\b/g, "{ overwrite: true }"],
  [/ with --profile, --store or --organization\b/g, ""],
  [/ with --store(?=[.,]|$)/g, ""],
  [/: --store PATH/g, ""],
];

/** The next step for the codes whose hints describe a command without its name. */
const BY_CODE: Readonly<Record<string, string>> = {
  ASSIGNMENT_DEFAULT_TAKEN: "Clear the default of the other layout first: service.replaceAssignments()",
  FIELD_CHANGES_UNCONFIRMED: "Confirm the changes: service.publishLayout() with confirmFieldChanges",
  IDEMPOTENCY_CONFLICT: "Use a new clientMutationId for another write.",
  UNAUTHORIZED: "Use another token.",
};

/** A command in a text: its words up to the end of the clause. */
const COMMAND = /\bformctl ([a-z][^.,;:)]*(?:[.,:](?! |$)[^.,;:)]*)*?)(?=[.,;:)](?: |$)|,? or formctl | \(|$)/gm;

/** A part of a command or an option that the library does not have. */
const FOREIGN = /(^|[\s("'`])--?[a-z]|\bformctl [a-z]/;

/**
 * Returns the hint of an error for the author of a program. Undefined if no sentence of the hint applies.
 *
 * @param code the code of the error
 */
export function libraryHint(code: string, hint: string): string | undefined {
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
  const lines = hint.split("\n").map((line) =>
    line
      .split(/(?<=[.?!]) (?=[A-Z])/)
      .flatMap((sentence) => reworded(sentence) ?? [])
      .join(" "),
  );
  return lines.join("\n").trim() || undefined;
}

function reworded(sentence: string): string | undefined {
  const text = replaced(replaced(sentence, PHRASES).replaceAll(COMMAND, callOf), OPTIONS)
    // Two commands may have the same counterpart.
    .replaceAll(/(\b[\w.]+\([^)]*\)),? or \1/g, "$1");
  return FOREIGN.test(text) ? undefined : text;
}

function replaced(text: string, rows: readonly (readonly [RegExp, string])[]): string {
  return rows.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text);
}

/** Returns the counterpart of a command. Returns a command without counterpart unchanged. */
function callOf(whole: string, command: string): string {
  const words = command.split(" ");
  const names = [3, 2, 1].map((count) => words.slice(0, count).join(" "));
  return names.map((name) => CALLS[name]).find((call) => call !== undefined) ?? whole;
}
