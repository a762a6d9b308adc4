/** Reads all that a server shows of its organization. A script is rehearsed on a copy of these records. */

import pMap from "p-map";
import type { CopiedLayout, CopySeed } from "../local-service.ts";
import { assignmentsOf, isOrganizationLayout, pageKeyOf } from "../lists/layouts.ts";
import { objectsIn, objectsWithForms } from "../lists/objects.ts";
import { readSubjects } from "../state/read.ts";
import { type Reader, withReader } from "../state/reader.ts";
import type { References } from "../manifests/references.ts";
import type { SeedOrganization } from "../schemas/organization.ts";
import { isSurface } from "../schemas/words.ts";
import type { Service } from "../service.ts";
import { copiedOrganization } from "./copied-organization.ts";
import {
  copiedForms,
  copiedLayouts,
  emptyLayout,
  knownModes,
  organizationDefaults,
  versionsOf,
} from "./server-seed.ts";

export type ServerCopyOptions = {
  service: Service;
  /** What the organization file contains, for facts that a server does not show. Undefined without such a file. */
  organization: SeedOrganization | undefined;
  nameOf: References["nameOf"];
  concurrency: number;
  onProgress?: (done: number, total: number) => void;
};

export type WholeServer = {
  seed: CopySeed;
  /** Texts about what the copy lacks, one line each. */
  unknown: readonly string[];
  /** The codes of refusals that may depend on what the copy lacks. */
  uncertain: readonly string[];
};

/**
 * Reads these records of a server:
 * - the objects that have forms
 * - the forms of these objects, with access and contents
 * - the layouts that no form owns
 *
 * If the server does not list layouts, reads only the forms of the objects in the organization file.
 *
 * @throws ServiceError if the server refuses a read; LIST_INCOMPLETE if two reads of a list are incomplete
 */
export function copyWholeServer({ service, ...options }: ServerCopyOptions): Promise<WholeServer> {
  return withReader(service, options, (reader) => copyWith(reader, options));
}

async function copyWith(
  reader: Reader,
  { organization, nameOf }: Pick<ServerCopyOptions, "organization" | "nameOf">,
): Promise<WholeServer> {
  const unknown = [
    "the permissions of the token: the copy permits every operation",
    "versions of layouts except the published one and the draft",
  ];
  const listed = await reader.layouts();
  if (!listed) unknown.push("layouts that no form owns: the server does not list layouts");
  const known = organization ? objectsIn(organization).map(({ object }) => object) : [];
  const objects = listed ? objectsWithForms(listed) : known;
  if (!organization) {
    unknown.push(
      "objects without forms, fields that no layout shows, and scripts: the server does not show them. Add --organization-file",
    );
  }
  const current = await readSubjects(reader, { subjects: [], known: new Map(), whole: objects });
  const own = (listed ?? []).filter(isOrganizationLayout);
  const unsupported = own.filter(({ surface = "" }) => !isSurface(surface));
  if (unsupported.length > 0) {
    unknown.push(`layouts of surfaces that formctl does not know: ${unsupported.map(({ id }) => id).join(", ")}`);
  }
  const setDefault = organizationDefaults();
  const pages = await pMap(
    own.filter((layout) => !unsupported.includes(layout)),
    async (layout) => ({
      layout: await reader.wholeLayout(layout),
      content: await reader.takeContent(layout.id, layout.surface as CopiedLayout["surface"]),
    }),
    { concurrency: reader.concurrency },
  );
  const read = { plan: { resources: [] }, current, manifests: [] };
  const forms = copiedForms(read);
  const layouts = [
    ...copiedLayouts(read),
    ...pages.map(({ layout, content }): CopiedLayout => {
      const modes = knownModes(layout.supportedModes ?? []);
      const assignments = assignmentsOf(layout);
      return {
        ...emptyLayout(layout.id, layout.name ?? layout.id),
        surface: layout.surface as CopiedLayout["surface"],
        target: layout.target ?? {},
        metadata: layout.metadata ?? null,
        modes,
        assignments: assignments?.roles ?? [],
        isOrganizationDefault: assignments?.organizationDefault === true && setDefault(pageKeyOf(layout), modes),
        versions: versionsOf(content, modes),
      };
    }),
  ];
  const copied = copiedOrganization({ ...read, organization, nameOf, changed: [], forms, layouts });
  return {
    seed: { organization: copied.organization, forms, layouts },
    unknown,
    uncertain: organization ? [] : ["DRAFT_INVALID", "FIELD_CHANGES_UNCONFIRMED"],
  };
}
