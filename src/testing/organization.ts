/** A store in memory with a small organization, for tests. */

import { FormctlError } from "../base/error.ts";
import { openInMemory, requireSqlite } from "../composition/local-store.ts";
import type { LocalService } from "../local-service.ts";
import type { OrganizationFile, OrganizationView } from "../schemas/organization.ts";
import { type Permission, PERMISSIONS } from "../schemas/words.ts";
import type { FullService } from "../service.ts";
import { type ProjectTarget, storeTarget } from "../state/target.ts";

/** The default organization of {@link testOrganization}: two objects, two roles, two members and a script. */
export const TEST_ORGANIZATION: OrganizationFile = {
  organizations: [
    {
      key: "acme",
      name: "Acme",
      roles: [
        { key: "agent", name: "Agent" },
        { key: "manager", name: "Manager" },
      ],
      members: [
        { email: "ana@acme.example", name: "Ana", roles: ["agent"] },
        { email: "ben@acme.example", name: "Ben", roles: ["manager"] },
      ],
      scripts: [{ key: "city_by_country", name: "City by country" }],
      customFields: [{ surface: "CONTRACTOR", key: "risk_class", name: "Risk class", type: "TEXT" }],
      modules: [
        {
          key: "crm",
          name: "CRM",
          objects: [
            {
              key: "contact",
              name: "Contact",
              fields: [
                { key: "full_name", name: "Full name", type: "TEXT", required: true },
                { key: "email", name: "Email", type: "TEXT" },
                { key: "status", name: "Status", type: "SELECT", options: ["new", "active", "closed"] },
                { key: "notes", name: "Notes", type: "TEXTAREA" },
              ],
            },
            {
              key: "company",
              name: "Company",
              fields: [
                { key: "name", name: "Name", type: "TEXT", required: true },
                { key: "employees", name: "Employees", type: "NUMBER" },
              ],
            },
          ],
        },
      ],
    },
  ],
};

export type TestOrganizationOptions = {
  /** The organizations of the store, as in an organization file. Default: {@link TEST_ORGANIZATION}. */
  file?: OrganizationFile;
  /** The key of the organization that the test uses. Required if the file has several. */
  organization?: string;
  /** The permissions of the token. Default: all. */
  permissions?: readonly Permission[];
  /** The clock of the store. Default: the clock of the system. */
  now?: () => Date;
};

export type TestOrganization = AsyncDisposable & {
  local: LocalService;
  /** The service for an administrator of the organization. */
  service: FullService;
  /** A token of the organization, for a server of the store. */
  token: string;
  /** The records of the organization with their ids. */
  organization: OrganizationView;
  /** The organization as the target of `openProject` and `openMigrations`. */
  target: ProjectTarget;
  /** Closes the store. Its records are lost. */
  close(): Promise<void>;
};

/**
 * Opens a store in memory with an organization.
 *
 * ```ts
 * await using test = await testOrganization();
 * await test.service.createForm({ moduleKey: "crm", objectKey: "contact", body: { name: "Intake", types: ["CREATE"] } });
 * ```
 *
 * @throws ServiceError 400 with every problem of the file at its path
 * @throws ORGANIZATION_UNCLEAR if the file has several organizations and none is specified, or lacks the specified one
 * @throws STORE_UNUSABLE on a Node that can't open a store
 */
export async function testOrganization(options: TestOrganizationOptions = {}): Promise<TestOrganization> {
  const { file = TEST_ORGANIZATION, permissions = [...PERMISSIONS] } = options;
  requireSqlite();
  const local = await openInMemory(options.now ?? (() => new Date()));
  try {
    await local.seed(file);
    const [organization, ...others] = (await local.show(options.organization)).organizations;
    if (!organization || others.length > 0) {
      const keys = [organization, ...others].flatMap((each) => each?.key ?? []);
      const hint = `Specify one of them: ${keys.join(", ")}`;
      throw new FormctlError("ORGANIZATION_UNCLEAR", "the file has several organizations", hint);
    }
    const { key } = organization;
    const { token } = await local.createToken({ organization: key, name: "test", permissions, expiresAt: null });
    const close = () => local.close();
    return {
      local,
      service: await local.service(key),
      token,
      organization,
      target: storeTarget({ local, store: ":memory:", organization: key }),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await local.close();
    throw error;
  }
}
