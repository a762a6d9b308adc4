/** `formctl forms defaults set`: sets the default forms of an object in one request. */

import { FormctlError } from "../../base/error.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { DEFAULT_KEY } from "../../schemas/words.ts";
import type { Mode } from "../../schemas/form.ts";
import type { Service } from "../../service.ts";
import { quoted } from "../../base/shell-quote.ts";
import { objectArgument } from "../address-arguments.ts";
import { formText } from "../addresses.ts";
import { findFormId } from "../lookups.ts";
import { asText, defineCommand, rest } from "../command.ts";
import { defaultsOutput, type ObjectDefaults, readForms, warnUnusable } from "./defaults.ts";
import { modesOf, parseMode } from "../modes.ts";
import { objectText, type ObjectKey } from "../../lists/addresses.ts";

/** The default form for a mode. `form` is null to clear the default. */
type WantedDefault = { mode: Mode; form: string | null };
type FoundForm = Awaited<ReturnType<typeof findFormId>>;
type SetDefaults = ObjectDefaults & { set: { mode: Mode; form: FormAnswer }[] };

export default defineCommand({
  details: `MODE=FORM names a form by its name or id, and MODE=- clears the default. Quote a name that contains spaces. All modes are
changed in one request; other modes keep their defaults. A form must be active and have the mode.`,
  examples: [
    'formctl forms defaults set staffing/candidate "VIEW=Candidate profile"',
    'formctl forms defaults set staffing/candidate "CREATE=Candidate intake" "EDIT=Candidate profile" VIEW=- -o json',
  ],
  args: {
    object: objectArgument,
    defaults: rest("MODE=FORM", "A mode and the form's name or id; - clears the default", asText, "defaultForm"),
  },
  options: {},
  writes: true,
  async run(context, { object, defaults: words }): Promise<SetDefaults> {
    const wanted = readDefaults(object, words);
    const service = await context.service();
    const found = await findForms(service, object, wanted);
    const body: Partial<Record<(typeof DEFAULT_KEY)[Mode], string | null>> = {};
    const set: SetDefaults["set"] = [];
    for (const { mode, form: name } of wanted) {
      const target = name === null ? undefined : found.get(name);
      body[DEFAULT_KEY[mode]] = target?.formId ?? null;
      if (!target?.form) continue;
      refuseUnsuitable(target.form, mode, object);
      set.push({ mode, form: target.form });
    }
    const answer = await service.updateFormDefaults({ ...object, body });
    return { set, ...(await readForms({ sent: body, answer }, service, object)) };
  },
  ...defaultsOutput,
  view(result: SetDefaults, terminal) {
    defaultsOutput.view(result, terminal);
    for (const { form, mode } of result.set) warnUnusable(form, mode, terminal);
  },
});

/**
 * Parses words such as `VIEW=Candidate profile` and `EDIT=-`.
 *
 * @throws USAGE for any other syntax
 * @throws INVALID_VALUE for an unknown or repeated mode
 */
function readDefaults(object: ObjectKey, words: readonly string[]): WantedDefault[] {
  const [first = ""] = words;
  const isOldSyntax = !first.includes("=") && /^(create|view|edit)$/i.test(first.trim());
  const wanted = words.map((word, index): WantedDefault => {
    const [, mode, form = ""] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    const before = words[index - 1];
    if (mode === undefined && before?.includes("=")) {
      throw new FormctlError(
        "USAGE",
        `a default must be MODE=FORM, not "${word}"`,
        `Quote a name that has spaces: ${quoted(`${before} ${word}`)}`,
      );
    }
    if (mode === undefined || !form.trim()) {
      const name = isOldSyntax && words.length > 1 ? words.slice(1).join(" ") : "NAME";
      const example = quoted(`${isOldSyntax ? parseMode(first) : "VIEW"}=${name}`);
      throw new FormctlError(
        "USAGE",
        `a default must be MODE=FORM, not "${word}"`,
        `Example: formctl forms defaults set ${objectText(object)} ${example}`,
      );
    }
    return { mode: parseMode(mode), form: form.trim() === "-" ? null : nameOf(object, form) };
  });
  modesOf([wanted.map(({ mode }) => mode)]);
  return wanted;
}

/** Returns the form's name or id. The user may type the object before the name: `staffing/candidate/NAME`. */
function nameOf(object: ObjectKey, text: string): string {
  const prefix = `${objectText(object)}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** Looks up each form once. */
async function findForms(
  service: Service,
  object: ObjectKey,
  wanted: readonly WantedDefault[],
): Promise<Map<string, FoundForm>> {
  const found = new Map<string, FoundForm>();
  for (const { form } of wanted) {
    if (form !== null && !found.has(form)) found.set(form, await findFormId(service, { ...object, form }));
  }
  return found;
}

/** @throws INVALID_VALUE if the form can't be the default of the mode (R78, R79) */
function refuseUnsuitable(form: FormAnswer, mode: Mode, object: ObjectKey): void {
  const update = `formctl forms update ${formText({ ...object, form: form.id })}`;
  if (!form.types.includes(mode)) {
    throw new FormctlError(
      "INVALID_VALUE",
      `"${form.name}" does not support ${mode}`,
      `It has ${form.types.join(", ")}. Add the mode first: ${update} --add-type ${mode}`,
    );
  }
  if (form.isActive === false)
    throw new FormctlError("INVALID_VALUE", `"${form.name}" is inactive`, `Activate it first: ${update} --active`);
}
