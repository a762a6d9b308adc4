/** Prints forms. A value that the server does not report is "unknown", never "no" (docs/decisions.md, "Tolerance"). */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import { DEFAULT_FLAG, type Mode, MODES, type ModeWord } from "../../schemas/words.ts";
import type { Paint, Style } from "../../terminal/style.ts";
import { type CellValue, type Column, fields, UNKNOWN } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { recordTime } from "../../terminal/time.ts";
import { plural } from "../../base/plural.ts";

/**
 * A form from any endpoint. Only the forms of a list have the flags of the defaults, such as `isDefaultView`, and the
 * counts of access rows. A server may omit members.
 */
export type ShownForm = FormListedAnswer;

/**
 * Returns `usable`, or the reason why the mode is not usable, such as `draft only`. Only `usableTypes` determines
 * whether a mode is usable (R84).
 */
export function modeState({ usableTypes, layoutAvailability }: ShownForm, mode: ModeWord): string {
  if (usableTypes?.includes(mode)) return "usable";
  const state = layoutAvailability?.[mode]?.state;
  if (state === undefined) return usableTypes ? "not usable" : UNKNOWN;
  const words = state.toLowerCase().replaceAll("_", " ");
  if (state !== "PUBLISHED") return words;
  return usableTypes ? `${words}, not usable` : words;
}

/** Returns the state of each mode, such as `VIEW usable, EDIT draft only`. The modes have the form's order. */
function modesLine(form: ShownForm): string {
  return form.types.map((mode) => `${mode} ${modeState(form, mode)}`).join(", ");
}

/** Returns the modes for which the form is the default. Returns undefined if the server does not report defaults. */
export function defaultModes(form: ShownForm): Mode[] | undefined {
  const flags = MODES.map((mode) => form[DEFAULT_FLAG[mode]]);
  if (flags.every((isDefault) => isDefault === undefined)) return undefined;
  return MODES.filter((_mode, index) => flags[index]);
}

export const NAME_COLUMN: Column<ShownForm> = { title: "Name", value: ({ name }) => name, essential: true };
export const ID_COLUMN: Column<ShownForm> = { title: "Id", value: ({ id }) => id, id: true, yields: true };
export const MODES_COLUMN: Column<ShownForm> = { title: "Modes", value: modesLine, wraps: true, paint: paintUsable };

export const LIST_COLUMNS: readonly Column<ShownForm>[] = [
  NAME_COLUMN,
  ID_COLUMN,
  MODES_COLUMN,
  { title: "Default", value: defaultCell, yields: true },
  { title: "Active", value: ({ isActive }) => isActive ?? UNKNOWN },
  { title: "Public", value: ({ isPublic }) => isPublic ?? UNKNOWN },
  { title: "Access", value: accessCell, yields: true },
];

/** Prints one form, with a line for each known member. */
export function printForm(form: ShownForm, terminal: Terminal): void {
  const { title, successMessage, description, ...otherConfig } = form.config ?? {};
  const warnings = (form.layoutWarnings ?? []).map(({ type, message }) => `${type}: ${message}`);
  const lines: [label: string, value: CellValue | readonly string[]][] = [
    ["Name", form.name],
    ["Id", form.id],
    ["Modes", form.types.map((mode) => `${mode} ${modeState(form, mode)}`)],
    ["Default for", form.isDefaultView === undefined ? undefined : defaultCell(form)],
    ["Active", form.isActive ?? UNKNOWN],
    ["Public", form.isPublic ?? UNKNOWN],
    ["Public token", form.publicToken ?? undefined],
    ["Title", configText(title)],
    ["Success message", configText(successMessage)],
    ["Description", configText(description)],
    ["Other config", Object.keys(otherConfig).length === 0 ? undefined : JSON.stringify(otherConfig)],
    ["Layout", form.viewLayoutName ?? UNKNOWN],
    ["Layout id", form.viewLayoutId ?? UNKNOWN],
    ["Created", recordTime(form.createdAt, terminal) || undefined],
    ["Updated", recordTime(form.updatedAt, terminal) || undefined],
    ["Warnings", warnings.length === 0 ? undefined : warnings],
  ];
  terminal.out(fields(lines, terminal));
}

function configText(value: unknown): string | undefined {
  return value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
}

function defaultCell(form: ShownForm): CellValue {
  const modes = defaultModes(form);
  if (!modes) return UNKNOWN;
  return modes.length === 0 ? null : modes.join(", ");
}

function accessCell({ directUserAccessCount: users, roleAccessCount: roles }: ShownForm): string {
  if (users === undefined && roles === undefined) return UNKNOWN;
  return `${plural(users ?? UNKNOWN, "user")}, ${plural(roles ?? UNKNOWN, "role")}`;
}

function paintUsable(form: ShownForm, style: Style): Paint {
  return form.types.every((mode) => form.usableTypes?.includes(mode)) ? style.green : style.yellow;
}
