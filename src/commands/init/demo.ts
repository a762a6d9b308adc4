/** The first use with the demo: creates the same local store as `formctl local init --demo`. */

import { hasCode } from "../../base/error.ts";
import { requireStore } from "../../config/setting-rows.ts";
import { chooseTarget } from "../../config/target.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { quoted } from "../../base/shell-quote.ts";
import type { CommandContext } from "../command.ts";
import { addAnswers } from "../same-line.ts";
import { type InitializedStore, initStore } from "../local/init.ts";

/** `next` are the commands to run next, with the options of their target. */
export type DemoSetup = InitializedStore & { kind: "demo"; next: string[] };

const ORGANIZATION = "northwind";

/**
 * Creates the local store if it does not exist. Adds the demo unless the store already contains the demo.
 *
 * @param options.isAsked whether the user chose the demo at a prompt
 * @param options.into the folder for the example files
 * @throws CONSENT_MISSING if the store has other organizations but not the demo, and the user does not confirm
 */
export async function setUpDemo(
  context: CommandContext,
  { isAsked, into }: { isAsked: boolean; into: string | undefined },
): Promise<DemoSetup> {
  const { settings } = context;
  requireStore(settings.get("store") ?? "", { mayHavePassword: settings.at("flag", "store") === undefined });
  let others: string[] = [];
  const store = await initStore(context, {
    demo: true,
    into,
    async beforeDemo(local) {
      const keys = (await local.show()).organizations.map(({ key }) => key);
      others = keys.filter((key) => key !== ORGANIZATION);
      if (others.length === 0 || others.length < keys.length) return;
      // With a second organization, commands without --organization are refused.
      await context.consent({
        question: `Add the organization ${ORGANIZATION} to the local store, which contains ${others.join(", ")}?`,
        lost: [],
        flag: "--yes",
      });
    },
  });
  if (isAsked) addAnswers(context.sameLine, { options: ["--demo"] });
  const options = targetOptions(settings, { store: store.store, isAlone: others.length === 0 });
  const lines = [
    "formctl forms list staffing/candidate",
    `formctl layouts preview ${quoted("staffing/candidate/Candidate profile")}`,
    "formctl export staffing/candidate --into forms",
  ];
  return { kind: "demo", ...store, next: lines.map((line) => `${line}${options}`) };
}

/** Returns the target options of a command for the demo. Empty if a command works on the demo without options. */
function targetOptions(settings: LoadedSettings, { store, isAlone }: { store: string; isAlone: boolean }): string {
  const typed = settings.at("flag", "store");
  const target =
    typed !== undefined ? ` --store ${quoted(typed)}` : isLocalByDefault(settings, store) ? "" : " --local";
  const isChosen = isAlone || settings.get("organization") === ORGANIZATION;
  return `${target}${isChosen ? "" : ` --organization ${ORGANIZATION}`}`;
}

/** Whether a command without options works on this store. */
function isLocalByDefault(settings: LoadedSettings, store: string): boolean {
  try {
    const target = chooseTarget(settings, false);
    return target.kind === "local" && (target.profile === undefined || target.store === store);
  } catch (error) {
    // The settings contradict each other, name an unknown profile, or have an invalid URL.
    if (hasCode(error, "SETTING_INVALID", "BASE_URL_INVALID")) return false;
    throw error;
  }
}
