/** `formctl migrate new`: writes a new migration file. */

import { extname, join, relative } from "node:path";
import { asUnwritable } from "../../disk/file-errors.ts";
import { makeFolder } from "../../disk/folders.ts";
import { refuseLeadingOut } from "../../disk/links.ts";
import { writeNewFile } from "../../disk/write-file.ts";
import { FormctlError } from "../../base/error.ts";
import { byCodeUnits, MIGRATION_EXTENSIONS, readMigrationFolder } from "../../migrations/folder.ts";
import { visible } from "../../terminal/escape.ts";
import { argument, defineCommand, flag, oneOf, option, type Parse } from "../command.ts";
import { TEMPLATES, templateText } from "./templates.ts";

/** The prefix that orders migrations by time: `20261122-1000-`. */
const TIME = /^\d{8}-\d{4}-/;

const MINUTE_MS = 60_000;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Accepts a name with or without the prefix and the extension. */
const parseName: Parse<string> = (text) => {
  const extension = extname(text);
  const name = MIGRATION_EXTENSIONS.some((each) => each === extension) ? text.slice(0, -extension.length) : text;
  if (NAME.test(name.replace(TIME, ""))) return name;
  throw new FormctlError("USAGE", `must have only letters, digits, - and _, such as replace-pay-rate, not "${text}"`);
};

export default defineCommand({
  details: `The file gets the current time (UTC) as a prefix, unless NAME begins with one, because migrations run in the order of their
names. If another migration has this minute, the file gets the next free one. The folder is migrations next to formctl.yaml, or the one that formctl.yaml sets as migrations.

The TypeScript file is checked in your editor if formctl is installed in the project: npm install --save-dev
./formctl-0.1.0.tgz. Node.js runs it without a build. --yaml writes the same migration as data, which an editor checks with formctl schema.`,
  examples: [
    "formctl migrate new replace-pay-rate --from-template rename-field",
    "formctl migrate new 20261122-1000-replace-pay-rate --yaml",
  ],
  args: { name: argument("NAME", "Name of the migration, such as replace-pay-rate", parseName) },
  options: {
    fromTemplate: option(
      "--from-template <template>",
      `Template: ${TEMPLATES.join(", ")}`,
      oneOf(TEMPLATES),
      TEMPLATES,
    ),
    yaml: flag("--yaml", "Write YAML instead of TypeScript"),
  },
  writes: "store",
  async run({ settings, cwd, now }, { name: typed, fromTemplate = "bulk-edit", yaml }) {
    const { root, migrations: folder } = settings;
    const others = await readMigrationFolder({ root, folder });
    const isTaken = (own: string) => others.some((other) => other.name.toLowerCase() === own.toLowerCase());
    const name = TIME.test(typed) ? typed : withTime(typed, now(), { others, isTaken });
    const path = join(folder, `${name}${yaml ? ".yaml" : ".ts"}`);
    refuseLeadingOut(path, root);
    if (isTaken(name))
      throw new FormctlError(
        "INVALID_VALUE",
        `the migration ${name} already exists`,
        "Specify another name, or edit the file.",
      );
    const later = others.filter((other) => byCodeUnits(other.name, name) > 0).map((other) => other.name);
    makeFolder(folder);
    await write(path, templateText(fromTemplate, yaml ? "yaml" : "code"));
    return { name, file: relative(cwd, path), template: fromTemplate, later };
  },
  done: ({ file }) => ({ text: `the file ${file} was created` }),
  view({ file, later }, terminal) {
    terminal.line(`Created ${visible(file)}.`);
    if (later.length > 0)
      terminal.warn(
        visible(`migrations with later names exist: ${later.join(", ")}. Where they ran, it is out of order.`),
      );
  },
  names: ({ file }) => [file],
  next: () => ["formctl migrate plan"],
});

async function write(path: string, text: string): Promise<void> {
  try {
    await writeNewFile(path, text, 0o666);
  } catch (error) {
    throw asUnwritable(path, error);
  }
}

/**
 * Adds the prefix of the first minute that no other migration has. Migrations of one minute would run in the order of
 * their names, and not in the order of their creation.
 */
function withTime(
  typed: string,
  time: Date,
  taken: { others: readonly { name: string }[]; isTaken: (name: string) => boolean },
): string {
  const prefix = timePrefix(time);
  const name = `${prefix}${typed}`;
  if (taken.isTaken(name) || !taken.others.some((other) => other.name.startsWith(prefix))) return name;
  return withTime(typed, new Date(time.getTime() + MINUTE_MS), taken);
}

function timePrefix(time: Date): string {
  const [date = "", clock = ""] = time.toISOString().split("T");
  return `${date.replaceAll("-", "")}-${clock.slice(0, 5).replace(":", "")}-`;
}
