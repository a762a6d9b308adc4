/** `formctl local tokens create`: creates a token and shows it once. */

import { FormctlError } from "../../error.ts";
import { type Permission, PERMISSIONS } from "../../schemas/words.ts";
import { nearest } from "../../nearest.ts";
import { fields } from "../../terminal/table.ts";
import { recordTime } from "../../terminal/time.ts";
import { defineCommand, list, option, required } from "../command.ts";

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export default defineCommand({
  details: `Permissions: ${PERMISSIONS.join(", ")}.\nWithout a permission the token gives access only to the currency catalog.`,
  examples: [
    "formctl local tokens create --name ci --permission api.view_layouts.read --permission api.view_layouts.manage --expires 90d",
    "formctl local tokens create --name me --permission all --query token --raw",
  ],
  args: {},
  options: {
    name: required(option("--name <name>", "Name of the token, such as its purpose", parseName)),
    permission: list("--permission <permission>", "A permission, or all; may be repeated", parsePermission, [
      "all",
      ...PERMISSIONS,
    ]),
    expires: option(
      "--expires <duration>",
      "Lifetime of the token: 12h, 90d, 52w; unlimited by default",
      parseDuration,
    ),
  },
  writes: "store",
  async run(context, { name, permission, expires }) {
    const local = await context.local();
    return local.createToken({
      ...(context.organization !== undefined && { organization: context.organization }),
      name,
      permissions: [...new Set(permission.flat())],
      expiresAt: expires === undefined ? null : new Date(context.now().getTime() + expires).toISOString(),
    });
  },
  view({ token, id, organization, permissions, expiresAt }, terminal) {
    terminal.out(`${token}\n`);
    const facts = fields(
      [
        ["Id", id],
        ["Organization", organization],
        ["Permissions", permissions.join(", ") || "none"],
        ["Expires", recordTime(expiresAt, terminal) || "never"],
      ],
      terminal,
    );
    for (const line of facts.trimEnd().split("\n")) terminal.hint(line);
    terminal.hint("The token is shown only once.");
  },
  names: ({ id }) => [id],
  done: ({ id }) => ({
    text: `the token ${id} was created`,
    hint: `The token can't be shown again. Revoke it and create another: formctl local tokens revoke ${id}`,
  }),
});

function parseName(text: string): string {
  if (text !== "") return text;
  throw new FormctlError("USAGE", "must not be empty", "Specify what the token is for: --name ci");
}

function parsePermission(text: string): Permission[] {
  if (text === "all") return [...PERMISSIONS];
  const found = PERMISSIONS.find((permission) => permission === text);
  if (found) return [found];
  const near = nearest(text, PERMISSIONS);
  throw new FormctlError(
    "USAGE",
    `must be a permission or all, not "${text}"`,
    near ? `Did you mean ${near}?` : `Valid permissions: ${PERMISSIONS.join(", ")}`,
  );
}

/** Parses a duration such as `90d`. @returns milliseconds */
function parseDuration(text: string): number {
  const match = /^([1-9]\d{0,4})([mhdw])$/.exec(text);
  if (!match) throw new FormctlError("USAGE", `must be a number followed by m, h, d or w, such as 90d, not "${text}"`);
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}
