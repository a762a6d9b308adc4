/** Defines the targets that manifests describe: a server, or one organization of a local store. */

import { join } from "node:path";
import { storeLocation } from "../base/database-url.ts";
import { toYaml } from "../documents/write-yaml.ts";
import { FormctlError } from "../base/error.ts";
import type { CopyPart, LocalService, StoredMigrations } from "../local-service.ts";
import { parseBaseUrl } from "../schemas/base-url.ts";
import { fieldsOf } from "../schemas/catalog.ts";
import { customFieldKey, type OrganizationView, type SeedField } from "../schemas/organization.ts";
import { formatPath } from "../schemas/path.ts";
import type { Service } from "../service.ts";
import type { Manifest, Wanted } from "../manifests/manifest.ts";
import type { CatalogSource } from "../manifests/read/check.ts";
import {
  type Named,
  type References,
  referencesOf,
  type SubjectKind,
  type Unresolved,
} from "../manifests/references.ts";

/** A target. An operation calls a function of the target when its result is first needed. */
export type ProjectTarget = {
  kind: "server" | "store";
  /** Scheme, host and port of a server; null for a local store. Saved plans contain this origin. */
  origin: string | null;
  /** The default maximum number of concurrent requests. */
  concurrency: number;
  /** The organization to use if an organization file contains several. */
  organizationKey: string | undefined;
  /**
   * Returns the name of the target in the lock, in journals and in saved plans. Two targets never have the same name.
   * Examples: `https://forms.example.com/eu#prod`, `local:northwind@/home/ana/formctl.db`.
   *
   * @throws USAGE if a local store has several organizations and none is specified
   * @throws USAGE if a local store lacks the specified organization
   * @throws ORGANIZATION_UNCLEAR if a local store has no organization
   */
  key(): Promise<string>;
  service(): Promise<Service>;
  /** Returns what is known about the organization without a request to a server. */
  knowledge(): Promise<TargetKnowledge>;
  /** Returns the names of roles and members with their ids. */
  references(): Promise<References>;
  /** The folder for the lock and journals of this target, instead of `.formctl` of the project. */
  stateFolder?: string;
  /** Opens a private copy of a local store, which the caller closes: see `LocalService.copy`. Absent for a server. @internal */
  copy?(growth?: number, part?: CopyPart): Promise<LocalService>;
  /** Returns the known records whose ids forms and layouts may contain. For a promotion. */
  records(): Promise<KnownRecords>;
  /** Returns the record of migrations of a local store. Absent for a server. @internal */
  migrations?(): Promise<StoredMigrations>;
};

/**
 * The default limit of concurrent requests to a server. The limit is low, because other clients use the same server.
 */
export const SERVER_CONCURRENCY = 16;

/** The default limit for a local store. The limit is high, because concurrent writes share one flush to the disk. */
export const STORE_CONCURRENCY = 128;

/** The kinds of records that forms and layouts refer to. `other` are records such as saved queries and scopes. */
export type RecordKind = SubjectKind | "script" | "field" | "module" | "other";

export type KnownRecords = {
  /**
   * The records of each kind. All records of a local store have a key, and those of a project file have names only. A
   * field has the key or name `MODULE/OBJECT/KEY`, or `SURFACE/KEY` if no object owns it. The key of a member is the
   * email, and the id of a module is its key.
   */
  named: Readonly<Record<RecordKind, readonly Named[]>>;
  /** Returns where the names of a kind are defined, for messages: "references.prod.roles in formctl.yaml". */
  source: (kind: RecordKind) => string;
};

export type TargetKnowledge = {
  knowledge: CatalogSource;
  /** Undefined if names of roles and members can't be checked. */
  references: References | undefined;
};

/** The ids of roles and members, by the names that manifests use. The other ids are for promotions. */
export type NamedIds = {
  roles: Readonly<Record<string, string>>;
  members: Readonly<Record<string, string>>;
  scripts?: Readonly<Record<string, string>>;
  /** The ids of fields, by names such as `staffing/candidate/email` and `CONTRACTOR/risk_class`. */
  fields?: Readonly<Record<string, string>>;
  /** The keys of modules. For a promotion between targets on which a module has different keys. */
  modules?: Readonly<Record<string, string>>;
  /** The ids of other records, such as saved queries. */
  others?: Readonly<Record<string, string>>;
};

export type ServerOptions = {
  /** The base URL, as given to `createClient`. */
  baseUrl: string;
  /** The name of the profile, which is part of the key. Two profiles of one server may belong to two organizations. */
  profile?: string | undefined;
  service: Service | (() => Promise<Service>);
  /**
   * The ids of roles and members. A server does not list them. If undefined, `validate` does not check names of roles
   * and members. `plan` then refuses manifests that use such names.
   */
  references?: NamedIds | undefined;
  /** Where the project file has these ids, for messages. */
  referencesIn?: { file: string; key: string };
};

/** A service that knows the base URL of its server: the result of `createClient`. */
export type ServerClient = Service & { readonly baseUrl: string };

/**
 * Returns a server as a target.
 *
 * ```ts
 * const target = serverTarget(createClient({ baseUrl, token }), { references });
 * ```
 *
 * @param server a client, or the service of a server with its base URL
 * @throws BASE_URL_INVALID
 */
export function serverTarget(
  server: ServerClient | ServerOptions,
  options: Omit<ServerOptions, "baseUrl" | "service"> = {},
): ProjectTarget {
  const isClient = !("service" in server);
  const { profile, references: ids, referencesIn } = isClient ? options : { ...options, ...server };
  const service = isClient ? server : server.service;
  const { baseUrl, origin } = parseBaseUrl(server.baseUrl);
  const named = recordsOf(ids);
  const references: References = {
    ...referencesOf(named, (kind) => referencesPath(kind, referencesIn)),
    ...(referencesIn && { howToAdd: (names) => missingReferences(names, referencesIn) }),
  };
  return {
    kind: "server",
    origin,
    concurrency: SERVER_CONCURRENCY,
    organizationKey: undefined,
    key: async () => (profile === undefined ? baseUrl : `${baseUrl}#${profile}`),
    service: typeof service === "function" ? service : async () => service,
    knowledge: async () => ({
      knowledge: { source: "a server does not list them: specify an organization file" },
      references: ids && references,
    }),
    references: async () => references,
    records: async () => ({ named, source: (kind) => referencesPath(kind, referencesIn) }),
  };
}

function recordsOf({
  roles,
  members,
  scripts,
  fields,
  modules,
  others,
}: Partial<NamedIds> = {}): KnownRecords["named"] {
  const named = (map: Readonly<Record<string, string>> = {}) => {
    const names = Map.groupBy(Object.entries(map), ([, id]) => id);
    return [...names].map(([id, all]): Named => ({ id, names: all.map(([name]) => name) }));
  };
  return {
    role: named(roles),
    member: named(members),
    script: named(scripts),
    field: named(fields),
    module: named(modules),
    other: named(others),
  };
}

type ReferencesIn = NonNullable<ServerOptions["referencesIn"]>;

function referencesPath(kind: RecordKind, section?: ReferencesIn): string {
  return section ? `${formatPath(["references", section.key, `${kind}s`])} in ${section.file}` : `references.${kind}s`;
}

/** Returns the lines that the project file lacks, ready to paste. */
function missingReferences({ role, member }: Unresolved, { file, key }: ReferencesIn): string {
  const ids = (names: ReadonlySet<string>, id: string) => Object.fromEntries([...names].map((name) => [name, id]));
  const lines = toYaml({
    references: {
      [key]: {
        ...(role.size > 0 && { roles: ids(role, "ROLE_ID") }),
        ...(member.size > 0 && { members: ids(member, "MEMBER_ID") }),
      },
    },
  });
  return `Add the ids of this server to ${file}. The API can't look up ids by name.\n${lines.trimEnd()}`;
}

export type StoreOptions = {
  /** The path that was given to `openLocal`. It is part of the key. */
  store: string;
  local: LocalService | (() => Promise<LocalService>);
  /** The key of the organization. Required if the store has several. */
  organization?: string | undefined;
  /** The service of the organization. Default: that of `local`. */
  service?: () => Promise<Service>;
  /** Whether the store exists. Validation works without a store. Default: true. */
  exists?: () => boolean;
  /**
   * Further names of records, by their ids, in addition to the names in the store. A role, member, script, field or
   * module that the store lacks is ignored.
   */
  references?: NamedIds | undefined;
};

/**
 * Returns one organization of a local store as a target.
 *
 * ```ts
 * const target = storeTarget({ local: await openLocal("formctl.db"), store: "formctl.db", organization: "northwind" });
 * ```
 */
export function storeTarget(options: StoreOptions): ProjectTarget {
  const { local, organization: organizationKey, exists = () => true } = options;
  const given = recordsOf(options.references);
  const open = typeof local === "function" ? local : async () => local;
  const store = storeLocation(process.cwd(), options.store);
  const read = async () => (await (await open()).show()).organizations;
  const choose = (organizations: readonly OrganizationView[]) => {
    if (organizationKey !== undefined) return organizations.find(({ key }) => key === organizationKey);
    return organizations.length === 1 ? organizations[0] : undefined;
  };
  const find = async () => choose(await read());
  return {
    kind: "store",
    origin: null,
    concurrency: STORE_CONCURRENCY,
    organizationKey,
    async key() {
      const organizations = await read();
      const organization = choose(organizations);
      if (organization) return `local:${organization.key}@${store}`;
      if (organizations.length === 0) {
        throw new FormctlError(
          "ORGANIZATION_UNCLEAR",
          NO_ORGANIZATION,
          "Add one: formctl local init --demo, or formctl local seed FILE",
        );
      }
      const fact =
        organizationKey === undefined ? "has several organizations" : `has no organization "${organizationKey}"`;
      throw new FormctlError("USAGE", `the local store ${fact}`, "Specify the organization with --organization KEY.");
    },
    service: options.service ?? (async () => (await open()).service(organizationKey)),
    migrations: async () => (await open()).migrations(organizationKey),
    async knowledge() {
      if (!exists()) {
        return {
          knowledge: { source: `the local store ${store} does not exist, and no organization file was found` },
          references: undefined,
        };
      }
      const organizations = await read();
      const organization = choose(organizations);
      if (!organization) {
        const source = organizations.length === 0 ? NO_ORGANIZATION : SEVERAL_ORGANIZATIONS;
        return { knowledge: { source }, references: undefined };
      }
      return {
        knowledge: { organization, source: STORE_SOURCE },
        references: storeReferences(organization, given),
      };
    },
    async references() {
      const organization = exists() ? await find() : undefined;
      const references = storeReferences(organization, given);
      if (!organization) return references;
      const ids = {
        role: new Set(organization.roles.map(({ id }) => id)),
        member: new Set(organization.members.map(({ id }) => id)),
      };
      return { ...references, hasId: (kind, id) => ids[kind].has(id) };
    },
    copy: async (growth, part) => (await open()).copy(growth, part),
    async records() {
      const organization = exists() ? await find() : undefined;
      const own = organization ? recordsOfOrganization(organization) : recordsOf();
      return { named: withNames(own, given), source: () => STORE_SOURCE };
    },
  };
}

/** Adds names to the records of a store. */
function withNames(own: KnownRecords["named"], given: KnownRecords["named"]): KnownRecords["named"] {
  const added = (kind: RecordKind) => addNames(own[kind], given[kind]);
  // A store does not list all other records, such as saved queries.
  const known = new Set(own.other.map(({ id }) => id));
  const other = [...added("other"), ...given.other.filter(({ id }) => !known.has(id))];
  return {
    role: added("role"),
    member: added("member"),
    script: added("script"),
    field: added("field"),
    module: added("module"),
    other,
  };
}

function addNames(own: readonly Named[], given: readonly Named[]): readonly Named[] {
  if (given.length === 0) return own;
  const names = new Map(given.map((each) => [each.id, each.names]));
  return own.map((each) => ({ ...each, names: [...each.names, ...(names.get(each.id) ?? [])] }));
}

function storeReferences(organization: OrganizationView | undefined, given: KnownRecords["named"]): References {
  const { role, member } = namesOf(organization);
  return referencesOf({ role: addNames(role, given.role), member: addNames(member, given.member) }, () => STORE_SOURCE);
}

function recordsOfOrganization(organization: OrganizationView): KnownRecords["named"] {
  const { roles, members, scripts, modules, customFields } = organization;
  const keyed = ({ id, key, name }: { id: string; key: string; name: string }): Named => ({ id, key, names: [name] });
  const objects = modules.flatMap((module) => module.objects.map((object) => ({ ...object, module: module.key })));
  return {
    role: roles.map(keyed),
    member: members.map(({ id, email }) => ({ id, key: email, names: [] })),
    script: scripts.map(keyed),
    field: [
      ...objects.flatMap(({ module, key: object, fields }) =>
        fields.map(({ id, key }) => ({ id, key: `${module}/${object}/${key}`, names: [] })),
      ),
      ...customFields.map((field) => ({ id: field.id, key: customFieldKey(field), names: [] })),
    ],
    module: modules.map(({ key, name }) => ({ id: key, key, names: [name] })),
    // The API addresses modules and objects by key. But free-form JSON in a layout, such as `config`, may contain the
    // ids of modules and objects.
    other: [
      ...modules.map(({ id, key }) => ({ id, key: `module ${key}`, names: [] })),
      ...objects.map(({ id, key, module }) => ({ id, key: `object ${module}/${key}`, names: [] })),
    ],
  };
}

const STORE_SOURCE = "the local store";
const NO_ORGANIZATION = "the local store has no organization";
export const SEVERAL_ORGANIZATIONS = "several organizations, and none of them is specified";

/**
 * The roles and members of an organization. Most organization files contain no ids. The key of a role and the email of
 * a member then serve as ids.
 */
type RolesAndMembers = {
  roles: readonly { id?: string | undefined; key: string; name: string }[];
  members: readonly { id?: string | undefined; email: string }[];
};

/**
 * Returns the names and ids of the roles and members of an organization.
 *
 * @param organization undefined if it is unknown: then there are no names
 * @param source the file or store that contains the organization, for messages
 */
export function organizationReferences(organization: RolesAndMembers | undefined, source: string): References {
  return referencesOf(namesOf(organization), () => source);
}

function namesOf({ roles, members }: RolesAndMembers = { roles: [], members: [] }): Record<SubjectKind, Named[]> {
  return {
    role: roles.map(({ id, key, name }) => ({ id: id ?? key, names: [name, key] })),
    member: members.map(({ id, email }) => ({ id: id ?? email, names: [email] })),
  };
}

/** Whether the content of a manifest changes fields. */
export function stagesFields({ content }: Manifest | Wanted): boolean {
  return content !== undefined && content.stagedFieldDefinitions.length > 0;
}

export type FieldLookup = (manifest: Manifest | Wanted) => readonly SeedField[] | undefined;

/**
 * Returns a function that looks up the current fields for a manifest's layout. The function returns undefined in these
 * cases:
 *
 * - The target is a server, which does not provide the fields.
 * - No manifest stages changes of fields. The store is then not read.
 * - The store, its organization or the object of the manifest is missing.
 * - The store has several organizations, and none is specified.
 */
export async function fieldLookup(
  target: ProjectTarget,
  manifests: readonly (Manifest | Wanted)[],
): Promise<FieldLookup> {
  const organization = manifests.some(stagesFields) ? (await target.knowledge()).knowledge.organization : undefined;
  if (!organization) return () => undefined;
  return (manifest) =>
    fieldsOf(
      organization,
      manifest.kind === "Form" ? { surface: "DYNAMIC_OBJECT", target: manifest.object } : manifest,
    );
}

type StateOwner = { root: string; target?: Pick<ProjectTarget, "stateFolder"> };

/** Returns the folder in which formctl stores the state of a project: `.formctl`, or the folder of the target. */
export function stateFolder({ root, target }: StateOwner): string {
  return target?.stateFolder ?? join(root, ".formctl");
}

/** Returns the folder of the journals. */
export function runsFolder(owner: StateOwner): string {
  return join(stateFolder(owner), "runs");
}

/** Returns the key of a target as text for messages: `https://forms.example.com, profile prod`. */
export function targetText(key: string): string {
  return key.replace(/^(https?:[^#]*)#/, "$1, profile ");
}
