/** Reads all that a server shows of its organization. A script is rehearsed on a copy of these records. */

import pMap from "p-map";
import type { CopiedLayout, CopySeed } from "../local-service.ts";
import { assignmentsOf, wholeLayout } from "../lists/layouts.ts";
import { objectText } from "../manifests/address.ts";
import { isOrganizationLayout, listAllLayouts, pageKeyOf } from "../manifests/current/layouts.ts";
import { readSubjects } from "../manifests/current/read.ts";
import { readContent } from "../manifests/current/versions.ts";
import type { ObjectKey } from "../manifests/manifest.ts";
import type { References } from "../manifests/references.ts";
import type { LayoutAnswer } from "../schemas/answers.ts";
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
export async function copyWholeServer(options: ServerCopyOptions): Promise<WholeServer> {
  const { service, organization, nameOf, concurrency, onProgress } = options;
  const unknown = [
    "the permissions of the token: the copy permits every operation",
    "versions of layouts except the published one and the draft",
  ];
  const listed = await listAllLayouts(service, undefined, concurrency);
  if (!listed) unknown.push("layouts that no form owns: the server does not list layouts");
  const objects = listed ? objectsOfForms(listed) : objectsIn(organization);
  if (!organization) {
    unknown.push(
      "objects without forms, fields that no layout shows, and scripts: the server does not show them. Add --organization-file",
    );
  }
  const current = await readSubjects({
    service,
    subjects: [],
    known: new Map(),
    whole: objects,
    concurrency,
    ...(onProgress && { onProgress }),
  });
  const own = (listed ?? []).filter(isOrganizationLayout);
  const unsupported = own.filter(({ surface = "" }) => !isSurface(surface));
  if (unsupported.length > 0) {
    unknown.push(`layouts of surfaces that formctl does not know: ${unsupported.map(({ id }) => id).join(", ")}`);
  }
  const setDefault = organizationDefaults();
  const pages = await pMap(
    own.filter((layout) => !unsupported.includes(layout)),
    async (layout) => ({
      layout: await wholeLayout(service, layout),
      content: await readContent(service, layout.id, layout.surface as CopiedLayout["surface"]),
    }),
    { concurrency },
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

/** Returns the objects of the forms that own layouts. */
function objectsOfForms(layouts: readonly LayoutAnswer[]): ObjectKey[] {
  const found = new Map<string, ObjectKey>();
  for (const { target } of layouts) {
    const { moduleKey, objectKey, formId } = target ?? {};
    if (typeof moduleKey !== "string" || typeof objectKey !== "string" || formId == null) continue;
    const object = { moduleKey, objectKey };
    found.set(objectText(object), object);
  }
  return [...found.values()];
}

/** Returns the objects of an organization file that can have forms. */
function objectsIn(organization: SeedOrganization | undefined): ObjectKey[] {
  return (organization?.modules ?? []).flatMap(({ key: moduleKey, objects }) =>
    objects.flatMap(({ key: objectKey, kind }) => (kind === "REGULAR" ? [{ moduleKey, objectKey }] : [])),
  );
}
