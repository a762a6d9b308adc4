/** `formctl schema`: prints or saves the JSON Schemas of files, for editors. */

import { dirname, join, relative, resolve } from "node:path";
import { refuseLeadingOut, refuseLinks } from "../../disk/links.ts";
import { writeWhole } from "../../disk/write-file.ts";
import { FormctlError, hasCode } from "../../base/error.ts";
import { EDITOR_SCHEMAS } from "../../export/editor-files.ts";
import { nearest } from "../../base/nearest.ts";
import { jsonText, visible } from "../../terminal/escape.ts";
import { defineCommand, option, optionalArgument } from "../command.ts";

/**
 * The kinds, each with the name of its schema file. A schema without a file name is written only if KIND names it.
 * `Form` and `Layout` need no file, because they are parts of `Manifest`. The other schemas without a file name
 * describe the files of `-f` options, which projects rarely contain.
 */
const KINDS = {
  Manifest: EDITOR_SCHEMAS.Manifest,
  Form: undefined,
  Layout: undefined,
  Draft: EDITOR_SCHEMAS.Draft,
  Organization: "organization.schema.json",
  Project: "project.schema.json",
  Migration: "migration.schema.json",
  Access: undefined,
  FormCreate: undefined,
  FormPatch: undefined,
  LayoutCreate: undefined,
  Assignments: undefined,
} as const;
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];

type Result = { kind: Kind; schema: unknown } | { written: string[] };

export default defineCommand({
  details: `KIND is Manifest (a form or a layout), Form, Layout, Draft (a layout file), Organization, Project (formctl.yaml), Migration
(a migration in YAML), or a file of an -f option: Access, FormCreate, FormPatch, LayoutCreate, Assignments. Its schema is printed.
Without KIND, the schemas of the files of a project are written into .formctl/schemas of the project, or into the folder of --into.
YAML editors find a schema by a first line such as

  # yaml-language-server: $schema=./.formctl/schemas/manifest.schema.json`,
  examples: ["formctl schema", "formctl schema Form", "formctl schema Draft --into schemas"],
  args: { kind: optionalArgument("KIND", NAMES.join(", "), parseKind, NAMES) },
  options: { into: option("--into <folder>", "Write files into this folder") },
  async run({ cwd, settings }, { kind, into }): Promise<Result> {
    if (kind !== undefined && into === undefined) return { kind, schema: await schemaOf(kind) };
    const kinds = kind === undefined ? NAMES.filter((name) => KINDS[name] !== undefined) : [kind];
    const folder = into === undefined ? join(settings.root, ".formctl", "schemas") : resolve(cwd, into);
    const written: string[] = [];
    for (const each of kinds) {
      const path = join(folder, KINDS[each] ?? `${each.toLowerCase()}.schema.json`);
      // A symbolic link in .formctl may come from a cloned repository, so every link there is refused. The user chooses
      // the folder of --into. A link there is refused only if it leads out of the project.
      if (into === undefined) await refuseLinks(path, dirname(folder));
      else refuseLeadingOut(folder, settings.root);
      await write(path, `${jsonText(await schemaOf(each), 2)}\n`);
      written.push(relative(cwd, path) || path);
    }
    return { written };
  },
  view(result, terminal) {
    if ("schema" in result) terminal.out(`${jsonText(result.schema, 2)}\n`);
    else for (const path of result.written) terminal.line(`Wrote ${visible(path)}`);
  },
  document: (result) => ("schema" in result ? result.schema : result),
  names: (result) => ("schema" in result ? [result.kind] : result.written),
});

async function schemaOf(kind: Kind): Promise<unknown> {
  if (kind === "Project") return (await import("../../config/project-schema.ts")).projectSchema();
  if (kind === "Migration") return (await import("../../migrations/migration-docs.ts")).migrationSchema();
  return (await import("../../manifests/editor-schemas.ts")).editorSchema(kind);
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeWhole(path, text, 0o644);
  } catch (error) {
    if (!hasCode(error, "FILE_UNFIT", "FILE_UNWRITABLE")) throw error;
    throw new FormctlError(error.code, error.message, "Specify another folder with --into.", error);
  }
}

function parseKind(text: string): Kind {
  const found = NAMES.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found) return found;
  const near = nearest(text, NAMES);
  throw new FormctlError("USAGE", `must be one of ${NAMES.join(", ")}, not "${text}"`, near && `Did you mean ${near}?`);
}
