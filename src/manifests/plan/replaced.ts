/**
 * What a step overwrites, as digests by aspect: a plan that goes on after it was cut off compares them again, so that nobody's
 * change in between is lost without a word.
 */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import type { ModeWord } from "../../schemas/words.ts";
import { contentDigest, digestOf } from "../content/content.ts";
import { shownVersion } from "../current/in-place.ts";
import type { FormState, VersionState } from "../state.ts";
import { asSet } from "./parts.ts";
import type { Replaced } from "./planned.ts";

/** @param value undefined: the server does not show it */
export function replacedAspect(name: string, value: unknown): Replaced {
  return value === undefined ? {} : { [name]: digestOf(value) };
}

/** What a draft says: on some servers one that is saved anew keeps its id. */
export function replacedDraft({ content }: Pick<VersionState, "content">): Replaced {
  return { draft: contentDigest(content) };
}

/** Members of a record that a body is to change. */
export function replacedMembers(members: Iterable<string>, record: Readonly<Record<string, unknown>>): Replaced {
  const aspects = [...members].map((member) => {
    const value = record[member];
    return replacedAspect(member, MODE_SETS.has(member) && value ? asSet(value as ModeWord[]) : value);
  });
  return Object.assign({}, ...aspects) as Replaced;
}

const MODE_SETS = new Set(["types", "supportedModes"]);

/** The aspect of who is the default for a mode; what is replaced is the id of that form, null for none. */
export function replacedDefault(mode: ModeWord): string {
  return `defaultFor.${mode}`;
}

/** @param holders the forms that are the defaults, by mode */
export function replacedDefaults(modes: readonly ModeWord[], holders: ReadonlyMap<ModeWord, FormState>): Replaced {
  const aspects = modes.map((mode) => replacedAspect(replacedDefault(mode), holders.get(mode)?.form.id ?? null));
  return Object.assign({}, ...aspects) as Replaced;
}

/** All that a list shows of a form that is to be deleted, but for the defaults that it gives up before. */
export function replacedForm(form: FormListedAnswer): Replaced {
  const { name, types, isActive, isPublic, config, directUserAccessCount: users, roleAccessCount: roles } = form;
  const shown = [isActive, isPublic, config, users, roles, shownVersion(form)];
  return replacedAspect("form", [name, asSet(types), ...shown.map((value) => value ?? null)]);
}
