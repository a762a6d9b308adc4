/** `formctl local tokens create`: creates a token and shows it once. */

import { FormctlError } from "../../base/error.ts";
import { type Permission, PERMISSIONS } from "../../schemas/words.ts";
import { nearest } from "../../base/nearest.ts";
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
      "Lifetime of the token, such as 12h, 90d or 52w, or its end, such as 2027-01-31; unlimited by default",
      parseExpiry,
    ),
  },
  writes: "store",
  async run(context, { name, permission, expires }) {
    const local = await context.local();
    return local.createToken({
      ...(context.organization !== undefined && { organization: context.organization }),
      name,
      permissions: [...new Set(permission.flat())],
      expiresAt: expires === undefined ? null : expires(context.now()).toISOString(),
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

/**
 * Parses a duration such as `90d`, a date, or a time in UTC. A date means its first moment in UTC.
 *
 * @returns a function from the current time to the end of the token's lifetime
 */
function parseExpiry(text: string): (now: Date) => Date {
  const [, count, unit] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? [];
  if (count) return (now) => new Date(now.getTime() + Number(count) * UNITS[unit as keyof typeof UNITS]);
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?$/.test(text) ? new Date(text) : undefined;
  // The constructor reads 2027-02-31 as a day of March, so the result is compared with the text.
  if (time && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.replace(/Z$/, ""))) return () => time;
  throw new FormctlError(
    "USAGE",
    `must be a number followed by m, h, d or w, such as 90d, or a time in UTC, such as 2027-01-31 or 2027-01-31T12:00:00Z, not "${text}"`,
  );
}
