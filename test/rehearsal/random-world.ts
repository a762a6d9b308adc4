/** A local store and its server in this process. Random plans of other users change the store. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { httpService } from "../../src/client/http-service.ts";
import { randomId } from "../../src/engine/ids.ts";
import { openLocalService } from "../../src/engine/local.ts";
import type { CopyPart, LocalService } from "../../src/local-service.ts";
import { copyStorePart } from "../../src/composition/local-store.ts";
import type { OrganizationFile, OrganizationView } from "../../src/schemas/organization.ts";
import type { Surface, Target } from "../../src/schemas/layout.ts";
import { type Mode, PERMISSIONS } from "../../src/schemas/words.ts";
import { Secret } from "../../src/base/secret.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import type { FullService, Service } from "../../src/service.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { uploadFiles } from "../../src/store/uploads.ts";
import { manifestOrganization } from "../arbitraries/manifest-pages.ts";
import { fetchOf } from "../contract/in-process.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import type { ObjectKey } from "../../src/lists/addresses.ts";

export const ORGANIZATION = "northwind";

export type SeenLayout = {
  id: string;
  surface: Surface;
  target: Target;
  name: string;
  modes: Mode[];
  draft: string | null;
  published: string | null;
};
export type SeenForm = { id: string; object: ObjectKey; name: string; types: Mode[]; layout: SeenLayout };

/** The state from which a plan is made. */
export type View = {
  forms: SeenForm[];
  /** The layouts that no form owns. */
  layouts: SeenLayout[];
  roleIds: string[];
  memberIds: string[];
  /** Ids that no role of the organization has. */
  wrongRoleIds: string[];
  requiredKeys: string[];
  optionalKeys: string[];
  customKeys: string[];
  subordinates: ObjectKey[];
};

export type World = {
  local: LocalService;
  /** The service of an administrator, to change the store. */
  direct: FullService;
  /** The same store through the handler of `serve`, with a token. */
  client: Service;
  now: () => Date;
  view(): Promise<View>;
  organization(): Promise<OrganizationView>;
  close(): Promise<void>;
};

type Organization = OrganizationFile["organizations"][number];

const others = contractOrganizations.organizations.filter(({ key }) => key !== ORGANIZATION);
const images = new Map<Organization, Promise<Buffer>>();

/** Opens a world in its own folder. The store is a copy of a seeded store: seeding would take much longer. */
export async function openWorld(folder: string, seed: Organization = manifestOrganization): Promise<World> {
  const path = join(folder, "store.db");
  let seconds = 0;
  const now = () => new Date(Date.UTC(2026, 2, 2) + ++seconds * 1000);
  const image = images.get(seed) ?? seededImage(folder, seed);
  images.set(seed, image);
  writeFileSync(path, await image, { mode: 0o600 });
  const store = openSqlite(path, { create: false });
  const copy = (growth?: number, part?: CopyPart) => copyStorePart(store, path, growth, part);
  const local = openLocalService({ store, now, newId: randomId, files: uploadFiles(path), copy });
  const direct = await local.service(ORGANIZATION);
  const request = { organization: ORGANIZATION, name: "test", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await local.createToken(request);
  const client = httpService({
    baseUrl: "http://127.0.0.1:1",
    token: new Secret(token),
    fetch: fetchOf(serviceHandler(local, { host: "127.0.0.1", version: "test" })),
    deadline: 20_000,
    now,
    sleep: async () => undefined,
    random: () => 0.5,
  });
  const wrongRoleIds = ["rol_none", (await local.show(others[0]!.key)).organizations[0]!.roles[0]!.id];
  const organization = async () => (await local.show(ORGANIZATION)).organizations[0]!;
  return {
    local,
    direct,
    client,
    now,
    organization,
    view: async () => readView(direct, { ...(await organization()), wrongRoleIds }),
    close: () => local.close(),
  };
}

async function seededImage(folder: string, organization: Organization): Promise<Buffer> {
  const path = join(folder, "seed.db");
  const store = openSqlite(path, { create: true });
  const local = openLocalService({ store, now: () => new Date(Date.UTC(2026, 2, 2)), newId: randomId });
  await local.seed({ organizations: [organization, ...others] });
  await local.close();
  return readFileSync(path);
}

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

type Known = OrganizationView & { wrongRoleIds: string[] };

async function readView(service: FullService, organization: Known): Promise<View> {
  const objects = organization.modules.flatMap((module) =>
    module.objects.map((object) => ({ moduleKey: module.key, objectKey: object.key, ...object })),
  );
  const all = await service.listLayouts({ query: {} });
  const seen = new Map(
    all.map((layout): [string, SeenLayout] => [
      layout.id,
      {
        id: layout.id,
        surface: layout.surface as Surface,
        target: layout.target,
        name: layout.name,
        modes: layout.supportedModes as Mode[],
        draft: layout.latestDraftVersionId,
        published: layout.currentVersionId,
      },
    ]),
  );
  const isListed = ({ moduleKey, kind }: (typeof objects)[number]) =>
    moduleKey === CANDIDATE.moduleKey && kind !== "SUBORDINATE";
  const lists = await Promise.all(
    objects.filter(isListed).map(async ({ moduleKey, objectKey }) => {
      const object = { moduleKey, objectKey };
      const { data } = await service.listForms({ ...object, query: { limit: 100 } });
      return data.map(({ id, name, types, viewLayoutId }): SeenForm => {
        return { id, object, name, types: types as Mode[], layout: seen.get(viewLayoutId)! };
      });
    }),
  );
  const forms = lists.flat();
  const owned = new Set(forms.map(({ layout }) => layout.id));
  const fields = objects.find(({ objectKey }) => objectKey === CANDIDATE.objectKey)!.fields;
  const isNeeded = ({ required, default: value }: (typeof fields)[number]) => required && value === null;
  return {
    forms,
    layouts: [...seen.values()].filter(({ id }) => !owned.has(id)),
    roleIds: organization.roles.map(({ id }) => id),
    memberIds: organization.members.map(({ id }) => id),
    wrongRoleIds: organization.wrongRoleIds,
    requiredKeys: fields.filter(isNeeded).map(({ key }) => key),
    optionalKeys: fields.filter((field) => !isNeeded(field)).map(({ key }) => key),
    customKeys: organization.customFields.filter(({ surface }) => surface === "CONTRACTOR").map(({ key }) => key),
    subordinates: objects
      .filter(({ kind }) => kind === "SUBORDINATE")
      .map(({ moduleKey, objectKey }) => ({ moduleKey, objectKey })),
  };
}
