/** `formctl layouts draft scaffold`: writes a first draft with a block for every field. */

import { FormctlError } from "../../base/error.ts";
import { asDocumented, MODES, type ModeWord } from "../../schemas/words.ts";
import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { toYaml } from "../../documents/write-yaml.ts";
import { refuseLeadingOut } from "../../disk/links.ts";
import { reasonOf } from "../../disk/file-errors.ts";
import { writeNewFile } from "../../disk/write-file.ts";
import { visible } from "../../terminal/escape.ts";
import { notShown, type Service } from "../../service.ts";
import { quoted } from "../../base/shell-quote.ts";
import { layoutArgument } from "../address-arguments.ts";
import { type LayoutAddress, layoutText } from "../addresses.ts";
import { type CommandContext, defineCommand, option, renamed } from "../command.ts";
import { findLocalOrganization } from "../local-names.ts";
import { fieldsOf } from "../../schemas/catalog.ts";
import { readSummary } from "./layout-summary.ts";
import type { SurfaceAnswer } from "../../schemas/answers.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import type { SeedField } from "../../schemas/organization.ts";

export default defineCommand({
  details: `All blocks are in the first region of the surface. For a local store each field of the object has a block, in the order of
the object. A server does not list the fields: add their blocks yourself.`,
  examples: [
    'formctl layouts draft scaffold "staffing/candidate/Candidate profile"',
    'formctl layouts draft scaffold "compliance/document_check/Document review" | formctl layouts draft push "compliance/document_check/Document review" -',
  ],
  args: { layout: layoutArgument },
  options: {
    out: renamed(option("--out <file>", "Write to a new file instead of standard output"), "--into <file>"),
  },
  async run(context, { layout, out }) {
    if (out !== undefined) {
      refuseLeadingOut(dirname(resolve(context.cwd, out)), context.settings.root);
      await requireNew(resolve(context.cwd, out), out);
    }
    const service = await context.service();
    const { draft, fieldsAreKnown } = await readScaffold(context, service, layout);
    if (out !== undefined) await writeNew(resolve(context.cwd, out), out, toYaml(draft));
    return { draft, out, fieldsAreKnown };
  },
  view({ draft, out, fieldsAreKnown }, terminal) {
    if (out === undefined) terminal.out(toYaml(draft));
    else terminal.line(`Wrote ${visible(out)}: ${draft.blocks.length} blocks in ${draft.regions.length} region.`);
    if (!fieldsAreKnown) terminal.hint("The server does not list the fields: add a block for each.");
  },
  document: ({ draft }) => draft,
  names: ({ draft }) => draft.blocks.map(({ id }) => id ?? ""),
  next: ({ out }, { layout }) =>
    out === undefined ? [] : [`formctl layouts draft push ${layoutText(layout)} ${quoted(out)}`],
});

/**
 * Returns a first draft for a layout, and whether the draft has the fields of the object.
 *
 * @throws INVALID_VALUE if the surface of the layout is unknown
 * @throws NOT_SHOWN if the server does not describe the surface
 */
export async function readScaffold(
  context: CommandContext,
  service: Service,
  layout: LayoutAddress,
): Promise<{ draft: DraftContent; fieldsAreKnown: boolean }> {
  const summary = await readSummary(service, layout);
  const { surface } = summary;
  if (surface === undefined) {
    // This request reports a missing layout. If the request succeeds, the layout exists, but the server does not return
    // its surface.
    await service.listVersions({ layoutId: summary.layoutId });
    throw new FormctlError(
      "INVALID_VALUE",
      `the surface of the layout ${summary.layoutId} is unknown`,
      "Specify the layout by its form: MODULE/OBJECT/FORM",
    );
  }
  const { surfaces } = await service.getSurfaceDefinitions({ query: asDocumented({ surface }) });
  const [definition] = surfaces;
  if (!definition) throw notShown(`the regions of the surface ${surface}`);
  const organization = await findLocalOrganization(context);
  const fields = organization && fieldsOf(organization, summary);
  const draft = scaffoldDraft({ definition, modes: summary.modes ?? MODES, fields: fields ?? [] });
  return { draft, fieldsAreKnown: fields !== undefined };
}

/**
 * Checks that the file can be created.
 *
 * @throws INVALID_VALUE if the file exists, because a user may have edited it
 * @throws FILE_UNWRITABLE if the folder of the file is not writable
 */
async function requireNew(path: string, typed: string): Promise<void> {
  if (existsSync(path)) throw existing(typed);
  // The trailing slash causes an error if the parent of the path is a file.
  await access(`${dirname(path)}${sep}`, constants.W_OK).catch((error: unknown) => {
    throw unwritable(typed, error);
  });
}

/** Writes a new file. @throws INVALID_VALUE if the file exists by now; FILE_UNWRITABLE if it can't be written */
async function writeNew(path: string, typed: string, text: string): Promise<void> {
  try {
    await writeNewFile(path, text, 0o666);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? existing(typed) : unwritable(typed, error);
  }
}

const existing = (typed: string) =>
  new FormctlError("INVALID_VALUE", `${typed} already exists`, "Specify a new file with --out.");

const unwritable = (typed: string, error: unknown) =>
  new FormctlError("FILE_UNWRITABLE", `can't write ${typed}: ${reasonOf(error)}`, "Specify another file with --out.");

const FULL_WIDTH = 12;
const MAX_LABEL = 80;
/** The types of fields that need the whole width. */
const WIDE = new Set(["TEXTAREA", "CUSTOM_HTML", "HTML_SECTION", "FILES", "SUBORDINATE_OBJECT_REFERENCE"]);

type ScaffoldOptions = {
  definition: SurfaceAnswer;
  modes: readonly ModeWord[];
  /** The fields, in the order of their blocks. */
  fields: readonly SeedField[];
};

/** Returns the draft. It has only one region: an empty region causes a warning. */
function scaffoldDraft({ definition, modes, fields }: ScaffoldOptions): DraftContent {
  const region = definition.regions?.find(({ layout }) => layout !== "sidebar");
  const columns = region?.columns ?? FULL_WIDTH;
  const isObject = definition.surface === "DYNAMIC_OBJECT";
  const blocks = [
    ...(definition.builtInBlocks ?? []).map((one) => builtInBlock(one)),
    ...fields.map((field) => fieldBlock(field, isObject, modes)),
  ];
  return {
    schemaVersion: 1,
    regions: region ? [region] : [],
    blocks: blocks.map(({ isWide, label, config, ...block }, displayOrder) => ({
      ...block,
      regionKey: region?.key ?? "main",
      displayOrder,
      grid: { colSpan: isWide ? columns : Math.ceil(columns / 2) },
      config: { label: Array.from(label).slice(0, MAX_LABEL).join(""), ...config },
      supportedModes: [...modes],
      children: [],
    })),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
}

type BlockPlan = Pick<Block, "type" | "source" | "ref" | "config"> & {
  id: string;
  requiredPolicy: string;
  isWide: boolean;
  label: string;
};

function fieldBlock(
  { key, name, type, required }: SeedField,
  isObject: boolean,
  modes: readonly ModeWord[],
): BlockPlan {
  const isRelation = type === "SUBORDINATE_OBJECT_REFERENCE";
  // A field is not required if records are only viewed. An HTML section is never required.
  const isAsked = required && type !== "HTML_SECTION" && modes.some((mode) => mode !== "VIEW");
  return {
    id: `f_${key}`,
    type: isRelation ? "relation_table" : "field",
    source: isRelation ? "dynamic_relation" : isObject ? "dynamic_field" : "custom_field",
    ref: isRelation ? { relationFieldKey: key } : { fieldKey: key },
    isWide: WIDE.has(type),
    label: name,
    requiredPolicy: isAsked ? "required" : "optional",
  };
}

/**
 * Plans a built-in block of the surface, such as the details of a contractor. The parameter is the definition of the
 * block.
 */
function builtInBlock({ type, source, ref, config, label, ...definition }: JsonObject): BlockPlan {
  const own = isJsonObject(ref) ? ref : {};
  const names = [own["componentKey"], definition["componentKey"], definition["key"], ...Object.values(own), type];
  const key = names.find(isText) ?? "block";
  const componentKey = [definition["componentKey"], definition["key"]].find(isText);
  return {
    id: `b_${key.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`,
    type: isText(type) ? type : "builtin",
    source: isText(source) ? source : "built_in",
    // A ref with members already names the component, so the ref stays unchanged.
    ref: Object.keys(own).length > 0 || componentKey === undefined ? own : { componentKey },
    ...(isJsonObject(config) && { config }),
    isWide: true,
    label: isText(label) ? label : key,
    requiredPolicy: "optional",
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
