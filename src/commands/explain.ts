/** `formctl explain`: describes a field of a file, from the JSON Schemas that editors use. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import type { JsonSchema } from "../schemas/schema.ts";
import { type Column, fields, table, type View } from "../terminal/table.ts";
import { proseWidth, wrap } from "../terminal/width.ts";
import { asText, defineCommand, flag, optionalArgument } from "./command.ts";
import {
  ANY_NAME,
  completeSchema,
  defaultOf,
  definitionOf,
  fieldNames,
  type FileSchema,
  findField,
  limitsOf,
  membersOf,
  type SchemaField,
  typeOf,
  valuesOf,
} from "./explain-schema.ts";

/** A field to describe. `example` is YAML; empty if there is none. */
type Explained = {
  /** The path that formctl prints: `layout.blocks.grid`. */
  path: string;
  file: FileSchema;
  field: SchemaField;
  example: string;
};
/** The kinds, as `loadFiles` lists them. Completion must not load the schemas. */
export const KIND_NAMES = [
  "form",
  "layout",
  "draft",
  "organization",
  "project",
  "migration",
  "access",
  "formcreate",
  "formpatch",
  "layoutcreate",
  "assignments",
] as const;

type Result = { files: FileSchema[] } | (Explained & { isRecursive: boolean });

export default defineCommand({
  details: `FIELD is KIND.FIELD, such as form.access.roles. Kinds are form, layout, draft (a layout file), organization, project
(formctl.yaml), migration (in YAML), and the files of -f options: access, formcreate, formpatch, layoutcreate, assignments.
Without FIELD, the kinds are listed. Without a kind, the first kind with such a field is used; layout.blocks is a field of a layout
file. Numbers in brackets, as in messages and plans, are ignored.`,
  examples: [
    "formctl explain",
    "formctl explain layout.blocks.grid",
    "formctl explain form.access --recursive",
    "formctl explain project.references -o json",
  ],
  args: { field: optionalArgument("FIELD", "KIND, or KIND.FIELD such as layout.blocks.grid", asText, KIND_NAMES) },
  options: { recursive: flag("--recursive", "Print all fields below the field, with their types") },
  async run(_context, { field, recursive }): Promise<Result> {
    const files = await loadFiles();
    if (field === undefined) return { files };
    return { ...(await explained(files, field)), isRecursive: recursive };
  },
  view(result, terminal) {
    const view = { width: proseWidth(terminal.width), style: terminal.style };
    terminal.out("files" in result ? kindsText(result.files, view) : fieldText(result, view));
  },
  document(result) {
    if ("files" in result) return result.files.map(({ kind, schema }) => ({ kind, about: schema["title"] }));
    return completeSchema(result.file, result.field.schema);
  },
  names(result) {
    if ("files" in result) return result.files.map(({ kind }) => kind.toLowerCase());
    return membersOf(result.file, result.field.schema).map(({ name }) => `${result.path}.${name}`);
  },
  next: (result) => ("files" in result ? ["formctl explain KIND"] : []),
});

async function loadFiles(): Promise<FileSchema[]> {
  const [{ EDITOR_KINDS, editorSchema }, { projectSchema }, { migrationSchema }] = await Promise.all([
    import("../manifests/editor-schemas.ts"),
    import("../config/project-schema.ts"),
    import("../migrations/migration-docs.ts"),
  ]);
  // A manifest is a form or a layout. Both are kinds in this list.
  const kinds = EDITOR_KINDS.filter((kind) => kind !== "Manifest");
  return [
    ...kinds.map((kind) => lazyFile(kind, () => editorSchema(kind))),
    lazyFile("Project", projectSchema),
    lazyFile("Migration", migrationSchema),
  ];
}

/** Returns a file whose schema is created on first use. */
function lazyFile(kind: string, create: () => JsonSchema): FileSchema {
  let schema: JsonSchema | undefined;
  return {
    kind,
    get schema() {
      return (schema ??= create());
    },
  };
}

/** @throws USAGE if no file has the field */
async function explained(files: readonly FileSchema[], typed: string): Promise<Explained> {
  const [first = "", ...names] = fieldNames(typed);
  const ofKind = kindsOf(files, first);
  const inKind = findIn(ofKind, names, first.toLowerCase());
  const found = inKind ?? findIn(files, [first, ...names]);
  if (found) return { ...found, example: await exampleOf(found) };
  throw unknownField(files, typed, ofKind);
}

/** Returns the files that the first word may name. `layout` may be a manifest of kind Layout, or a layout file. */
function kindsOf(files: readonly FileSchema[], word: string): FileSchema[] {
  const kinds = word.toLowerCase() === "layout" ? ["layout", "draft"] : [word.toLowerCase()];
  return kinds.flatMap((kind) => files.filter((file) => file.kind.toLowerCase() === kind));
}

/** @param start the first word of the returned path; by default the kind of the file */
function findIn(
  files: readonly FileSchema[],
  names: readonly string[],
  start?: string,
): Omit<Explained, "example"> | undefined {
  for (const file of files) {
    const field = findField(file, names);
    if (field) return { path: [start ?? file.kind.toLowerCase(), ...names].join("."), file, field };
  }
  return undefined;
}

function unknownField(files: readonly FileSchema[], typed: string, ofKind: readonly FileSchema[]): FormctlError {
  const names = fieldNames(typed);
  const start = ofKind.length > 0 ? 1 : 0;
  const searched = start === 0 ? files : ofKind;
  let known = start;
  while (known < names.length && findIn(searched, names.slice(start, known + 1))) known += 1;
  const prefix = names.slice(0, known).join(".");
  const siblings = searched.flatMap((file) => {
    const parent = findField(file, names.slice(start, known));
    return parent ? membersOf(file, parent.schema).map(({ name }) => name) : [];
  });
  const kinds = known === 0 ? files.map(({ kind }) => kind.toLowerCase()) : [];
  const choices = [...new Set([...siblings, ...kinds])].filter((name) => name !== ANY_NAME);
  if (choices.length === 0)
    return new FormctlError("USAGE", `${prefix} has no fixed fields`, `Its description: formctl explain ${prefix}`);
  const word = names[known] ?? "";
  // Of equally similar names, a name with the same first letter is more likely the right one.
  const isLikely = (name: string) => Number(name.startsWith(word.charAt(0)));
  const near = nearest(
    word,
    choices.toSorted((a, b) => isLikely(b) - isLikely(a)),
  );
  const meant = near === undefined ? pathsTo(files, word) : [corrected(files, [...names.slice(0, known), near], names)];
  const hint =
    meant.length > 0
      ? `Did you mean ${meant.join(" or ")}?`
      : known === 0
        ? "List the kinds: formctl explain"
        : `Fields of ${prefix}: ${choices.join(", ")}`;
  return new FormctlError("USAGE", `unknown field "${typed}"`, hint);
}

/** Returns the corrected start of the path. The rest of the typed path follows if a file has the resulting field. */
function corrected(files: readonly FileSchema[], names: readonly string[], typed: readonly string[]): string {
  const [first = "", ...others] = [...names, ...typed.slice(names.length)];
  const isField = findIn(kindsOf(files, first), others) ?? findIn(files, [first, ...others]);
  return (isField ? [first, ...others] : names).join(".");
}

/** Returns the two shortest paths of fields with this name. */
function pathsTo(files: readonly FileSchema[], name: string): string[] {
  const paths: string[][] = [];
  for (const file of files) {
    walk(file, file.schema, ({ path, field }) => {
      if (field.name === name) paths.push([file.kind.toLowerCase(), ...path]);
    });
  }
  const shortest = paths.toSorted((a, b) => a.length - b.length).slice(0, 2);
  return shortest.map((path) => path.join("."));
}

type Step = { path: readonly string[]; field: SchemaField; sameAs: string | undefined };

/**
 * Visits all fields below a schema. The members of a definition that contains itself, such as a block, are visited
 * once. For a nested field with the same definition, `sameAs` names the outer field.
 */
function walk(file: FileSchema, schema: JsonSchema, visit: (step: Step) => void): void {
  const open = new Map<string, string>();
  const enter = (part: JsonSchema, path: readonly string[]) => {
    const name = definitionOf(file, part);
    if (name !== undefined) open.set(name, path.at(-1) ?? file.kind.toLowerCase());
    for (const field of membersOf(file, part)) {
      const inner = [...path, field.name];
      const sameAs = open.get(definitionOf(file, field.schema) ?? "");
      visit({ path: inner, field, sameAs });
      if (sameAs === undefined) enter(field.schema, inner);
    }
    if (name !== undefined) open.delete(name);
  };
  enter(schema, []);
}

/**
 * Returns an example in YAML: the field with the example in its schema. If the schema has no example, returns the
 * required members with their examples. Empty if no member is required.
 */
async function exampleOf({ file, field }: Omit<Explained, "example">): Promise<string> {
  const { toYaml } = await import("../documents/write-yaml.ts");
  const [example] = (field.schema["examples"] ?? []) as unknown[];
  if (example !== undefined) return toYaml({ [field.name]: example });
  const required = membersOf(file, field.schema).filter(({ isRequired }) => isRequired);
  return required.length === 0
    ? ""
    : toYaml(Object.fromEntries(required.map(({ name, schema }) => [name, (schema["examples"] as unknown[])[0]])));
}

function kindsText(files: readonly FileSchema[], view: View): string {
  const columns: Column<FileSchema>[] = [
    { title: "Kind", value: ({ kind }) => kind.toLowerCase(), essential: true },
    { title: "File", value: ({ schema }) => String(schema["title"]), essential: true },
  ];
  return table(columns, files, view);
}

function fieldText(
  { path, file, field, example, isRecursive }: Explained & { isRecursive: boolean },
  view: View,
): string {
  const { schema } = field;
  const isFile = schema === file.schema;
  const room = Math.max(view.width - 10, 20);
  const lines = (text: string) => (text === "" ? undefined : wrap(text, room));
  const facts = fields(
    [
      ["Field", path],
      ["File", lines(String(file.schema["title"]))],
      ["Type", typeOf(file, schema)],
      ["Required", isFile ? undefined : field.isRequired],
      ["Default", isFile ? undefined : defaultOf(file, schema)],
      ["Values", lines(valuesOf(file, schema).join(", "))],
      ["Limits", lines(limitsOf(file, schema).join("; "))],
    ],
    view,
  );
  const about = aboutOf(schema);
  const parts = [
    facts,
    about === "" ? "" : `${wrap(`${about}.`, view.width).join("\n")}\n`,
    example === "" ? "" : `Example:\n${example.replaceAll(/^(?=.)/gm, "  ")}`,
    isRecursive ? allText(file, schema) : membersText(file, schema, view),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function aboutOf({ description }: JsonSchema & { description?: string }): string {
  return description ?? "";
}

function membersText(file: FileSchema, schema: JsonSchema, view: View): string {
  const members = membersOf(file, schema);
  const columns: Column<SchemaField>[] = [
    { title: "Field", value: ({ name, isRequired }) => (isRequired ? `${name} (required)` : name), essential: true },
    { title: "Type", value: (member) => typeOf(file, member.schema), essential: true },
    { title: "Meaning", value: (member) => aboutOf(member.schema), essential: true },
  ];
  return members.length === 0 ? "" : table(columns, members, view);
}

function allText(file: FileSchema, schema: JsonSchema): string {
  const rows: string[] = [];
  walk(file, schema, ({ path, field, sameAs }) => {
    const more = sameAs === undefined ? "" : `, as ${sameAs}`;
    rows.push(`${"  ".repeat(path.length)}${field.name}  <${typeOf(file, field.schema)}${more}>\n`);
  });
  return rows.length === 0 ? "" : `Fields:\n${rows.join("")}`;
}
