/** `formctl forms wait`: waits until a form can be used in modes. */

import { parseTimeout } from "../../config/setting-rows.ts";
import { FormctlError } from "../../base/error.ts";
import { findForm } from "../../lists/forms.ts";
import type { FormAnswer } from "../../schemas/answers.ts";
import { type Mode, MODES } from "../../schemas/words.ts";
import { notShown } from "../../service.ts";
import { withProgress } from "../../terminal/progress.ts";
import { formArgument } from "../address-arguments.ts";
import { type FormAddress, formText } from "../addresses.ts";
import { type CommandContext, defineCommand, option, type Parse, required } from "../command.ts";
import { modesOf, parseModes } from "../modes.ts";
import { modeState, printForm } from "./form-view.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
/** The time between the first two reads. Later pauses are longer, but at most {@link MAX_PAUSE_MS}. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;

const parseCondition: Parse<Mode[]> = (text) => {
  const [, modes] = /^usable=(.+)$/s.exec(text) ?? [];
  if (modes === undefined)
    throw new FormctlError("USAGE", `must be usable=MODE[,MODE], such as usable=VIEW, not "${text}"`);
  return modesOf([parseModes(modes)]) ?? [];
};

/** The conditions that a prompt offers. */
const CONDITIONS = MODES.map((mode) => `usable=${mode}`);

export default defineCommand({
  details: `Reads the form again until it can be used in all specified modes, and then prints it. The option --timeout limits the whole
wait, such as 90s or 5m (default 60s); if it passes, the exit code is 1. The exit code is 7 if the server does not respond.`,
  examples: [
    'formctl forms wait "staffing/candidate/Candidate intake" --for usable=CREATE',
    'formctl forms wait "staffing/candidate/Candidate profile" --for usable=VIEW,EDIT --timeout 90s -o json',
  ],
  args: { form: formArgument },
  options: {
    condition: required(option("--for <condition>", "Wait for this: usable=MODE[,MODE]", parseCondition, CONDITIONS)),
  },
  async run(context, { form: address, condition: modes }) {
    return withProgress(context.terminal, { label: "Reading the form" }, (progress) =>
      waitForModes(context, address, { modes, onWait: (label) => progress.update(0, label) }),
    );
  },
  view: printForm,
});

type Wait = { modes: readonly Mode[]; onWait: (label: string) => void };

async function waitForModes(
  context: CommandContext,
  address: FormAddress,
  { modes, onWait }: Wait,
): Promise<FormAnswer> {
  const { settings, ending } = context;
  const typed = settings.at("flag", "timeout");
  const timeout = typed === undefined ? DEFAULT_TIMEOUT_MS : parseTimeout(typed);
  const service = await context.service();
  const start = context.now().getTime();
  let found = address;
  let waited = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    const form = await findForm(service, found);
    // The next read uses the id, because the form may be renamed during the wait.
    found = { ...address, form: form.id };
    requireModes(form, modes);
    const missing = modes.filter((mode) => !form.usableTypes?.includes(mode));
    if (missing.length === 0) return form;
    const states = missing.map((mode) => `${mode} ${modeState(form, mode)}`).join(", ");
    // The clock of the system may be set back during the wait. Therefore the sum of the pauses counts too.
    const left = timeout - Math.max(waited, context.now().getTime() - start);
    if (left <= 0) {
      throw new FormctlError(
        "WAIT_TIMED_OUT",
        `"${form.name}" can't be used after ${timeout / 1000} s: ${states}`,
        `Publish its layout: formctl layouts publish ${formText(found)}. To wait longer, add --timeout 5m.`,
      );
    }
    onWait(`Waiting for ${form.name}: ${states}`);
    waited += pause;
    await context.sleep(Math.min(pause, left), ending);
    if (ending.aborted) throw ending.reason;
  }
}

/**
 * Checks that the wait can end.
 *
 * @throws INVALID_VALUE if the form lacks a mode
 * @throws NOT_SHOWN if the usable modes of the form are unknown
 */
function requireModes({ id, name, types, usableTypes }: FormAnswer, modes: readonly Mode[]): void {
  const absent = modes.find((mode) => !types.includes(mode));
  if (absent !== undefined)
    throw new FormctlError("INVALID_VALUE", `"${name}" does not support ${absent}`, `It has ${types.join(", ")}.`);
  if (!usableTypes) throw notShown(`in which modes the form "${name}" (${id}) can be used`);
}
