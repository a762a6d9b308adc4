/** `formctl layouts draft scaffold`: a draft to begin with, which places every field. */

import { FormctlError } from "../../error.ts";
import { MODES } from "../../schemas/words.ts";
import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { toYaml } from "../../documents/write-yaml.ts";
import { refuseLeadingOut } from "../../disk/links.ts";
import { writeNewFile } from "../../disk/write-file.ts";
import { visible } from "../../terminal/escape.ts";
import { notShown } from "../../service.ts";
import { layoutText, parseLayout, quoted } from "../addresses.ts";
import { argument, defineCommand, option } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";
import { fieldsOf } from "../../schemas/known-fields.ts";
import { findPlace } from "./layout-place.ts";
import { scaffoldDraft } from "./scaffold.ts";

export default defineCommand({
  about: "Write a draft that places every field",
  details: `The regions are the surface's own, as far as something is in them. In local mode each field of the object has a block, in the
order of the object; a server does not tell the fields, so that there you place them yourself.`,
  examples: [
    'formctl layouts draft scaffold "staffing/candidate/Candidate profile"',
    'formctl layouts draft scaffold "compliance/document_check/Document review" | formctl layouts draft push "compliance/document_check/Document review" -',
  ],
  args: { layout: argument("LAYOUT", "Layout id, or MODULE/OBJECT/FORM", parseLayout) },
  options: { into: option("--into <file>", "Write a new file, and not to standard output") },
  async run(context, { layout, into }) {
    if (into !== undefined) {
      refuseLeadingOut(dirname(resolve(context.cwd, into)), context.settings.root);
      await requireNew(resolve(context.cwd, into), into);
    }
    const service = await context.service();
    const place = await findPlace(service, layout);
    const { surface } = place;
    if (surface === undefined) {
      // A layout that has versions exists: then it is the server that can't tell where it is shown.
      await service.listVersions({ layoutId: place.layoutId });
      throw new FormctlError(
        "INVALID_VALUE",
        `it is not known where the layout ${place.layoutId} is shown`,
        "Name it by its form: MODULE/OBJECT/FORM.",
      );
    }
    const { surfaces } = await service.getSurfaceDefinitions({ query: { surface } });
    const [definition] = surfaces;
    if (!definition) throw notShown(`the regions of the surface ${surface}`);
    const organization = await findLocalOrganization(context);
    const fields = organization && fieldsOf(organization, place);
    const draft = scaffoldDraft({ definition, modes: place.modes ?? MODES, fields: fields ?? [] });
    if (into !== undefined) await writeNew(resolve(context.cwd, into), into, toYaml(draft));
    return { draft, into, fieldsAreKnown: fields !== undefined };
  },
  view({ draft, into, fieldsAreKnown }, terminal) {
    if (into === undefined) terminal.out(toYaml(draft));
    else terminal.out(`Wrote ${visible(into)}: ${draft.blocks.length} blocks in ${draft.regions.length} region.\n`);
    if (!fieldsAreKnown) terminal.hint("The fields are not known here: add a block for each.");
  },
  document: ({ draft }) => draft,
  names: ({ draft }) => draft.blocks.map(({ id }) => id ?? ""),
  next: ({ into }, { layout }) =>
    into === undefined ? [] : [`formctl layouts draft push ${layoutText(layout)} ${quoted(into)}`],
});

/** @throws INVALID_VALUE when the file exists, because a user may have edited it, or when it can't be created */
async function requireNew(path: string, typed: string): Promise<void> {
  if (existsSync(path)) throw existing(typed);
  // With a slash at its end a file is not taken for a folder.
  await access(`${dirname(path)}${sep}`, constants.W_OK).catch((error: unknown) => {
    throw unwritable(typed, error);
  });
}

/** @throws INVALID_VALUE as `requireNew` */
async function writeNew(path: string, typed: string, text: string): Promise<void> {
  try {
    await writeNewFile(path, text, 0o666);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? existing(typed) : unwritable(typed, error);
  }
}

const existing = (typed: string) =>
  new FormctlError("INVALID_VALUE", `${typed} exists already`, "Name a new file with --into.");

const unwritable = (typed: string, error: unknown) =>
  new FormctlError(
    "INVALID_VALUE",
    `can't write ${typed}: ${(error as Error).message}`,
    "Name another file with --into.",
  );
