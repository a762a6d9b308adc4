/** Seeding: which records it adds, updates, keeps and refuses. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OrganizationFile } from "../../src/schemas/organization.ts";
import { engineOnSqlite } from "../contract/engine-provider.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import type { ContractWorld } from "../contract/provider.ts";

type Organization = OrganizationFile["organizations"][number];

let world: ContractWorld;
beforeEach(async () => {
  world = await engineOnSqlite.open();
});
afterEach(() => world.close());

const seed = (organization: Partial<Organization>) =>
  world.local.seed({ organizations: [{ key: "northwind", name: "Northwind Staffing", ...organization }] });

const staffing = (
  objects: NonNullable<NonNullable<Organization["modules"]>[number]["objects"]>,
): Partial<Organization> => ({
  modules: [{ key: "staffing", name: "Staffing", objects }],
});

const northwind = async () => (await world.local.show()).organizations.find(({ key }) => key === "northwind")!;
const objectOf = async (key: string) =>
  (await northwind()).modules.flatMap((m) => m.objects).find((o) => o.key === key)!;

describe("seeding", () => {
  it("reports each record of the file", async () => {
    const seen: number[] = [];
    const totals = new Set<number>();
    const fields = ["a", "b", "c"].map((key) => ({ key, name: key, type: "TEXT" as const }));
    const file = staffing([{ key: "visit", name: "Visit", fields }]);
    await world.local.seed(
      { organizations: [{ key: "northwind", name: "Northwind", roles: [{ key: "clerk", name: "Clerk" }], ...file }] },
      (done, total) => {
        seen.push(done);
        totals.add(total);
      },
    );
    // The organization, a role, a module, an object and its fields.
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([...totals]).toEqual([7]);
  });

  it("stores everything in the file", async () => {
    const { organizations } = await world.local.show();
    expect(organizations.map(({ key }) => key)).toEqual(["contoso", "northwind"]);
    const { members, modules, customFields } = await northwind();
    expect(members.find(({ email }) => email === "bo@northwind.example")).toMatchObject({
      name: "Bo Lind",
      roles: ["account_manager", "recruiter"],
    });
    expect(modules.flatMap(({ objects }) => objects).flatMap(({ fields }) => fields)).toHaveLength(28);
    expect(await objectOf("placement_milestone")).toMatchObject({ kind: "SUBORDINATE", parent: "placement" });
    const { fields } = await objectOf("candidate");
    expect(fields.map(({ key }) => key).slice(0, 3)).toEqual(["full_name", "email", "phone"]);
    expect(fields.find(({ key }) => key === "seniority")).toEqual({
      key: "seniority",
      id: expect.stringMatching(/^fld_/),
      name: "Seniority",
      type: "SELECT",
      required: true,
      options: ["junior", "mid", "senior"],
      default: "mid",
      valueCount: 900,
      config: {},
    });
    expect(customFields.map(({ surface, scopeId, key }) => [surface, scopeId, key])).toEqual([
      ["CONTRACTOR", null, "risk_class"],
      ["SALES_INVOICE", "export", "customs_id"],
    ]);
  });

  it("reports added and updated records, and removes none", async () => {
    const changes = await seed({
      name: "Northwind",
      roles: [{ key: "recruiter", name: "Talent scout" }],
      ...staffing([
        {
          key: "candidate",
          name: "Candidate",
          fields: [
            { key: "languages", name: "Languages", type: "TEXT" },
            { key: "phone", name: "Telephone", type: "PHONE" },
          ],
        },
      ]),
    });
    const organization = "northwind";
    expect(changes).toEqual([
      { action: "updated", kind: "organization", key: "northwind", organization },
      { action: "updated", kind: "role", key: "recruiter", organization },
      { action: "added", kind: "field", key: "staffing/candidate/languages", organization },
      { action: "updated", kind: "field", key: "staffing/candidate/phone", organization },
    ]);
    const { fields } = await objectOf("candidate");
    expect(fields.map(({ key }) => key).join(" ")).toBe(
      "full_name email phone home_city seniority skills day_rate available_from notes languages",
    );
    expect(fields.find(({ key }) => key === "phone")).toMatchObject({ name: "Telephone", valueCount: 640 });
    expect((await northwind()).roles).toHaveLength(3);
  });

  it("replaces the roles of a member only if the file lists them", async () => {
    const ana = { email: "ana@northwind.example", name: "Ana Ito" };
    expect(await seed({ members: [ana] })).toEqual([]);
    await seed({ members: [{ ...ana, roles: ["account_manager"] }] });
    const { members } = await northwind();
    expect(members.find(({ email }) => email === ana.email)?.roles).toEqual(["account_manager"]);
  });

  it("uses the id of the file for a new record", async () => {
    await seed({ roles: [{ id: "role-7", key: "auditor", name: "Auditor" }] });
    expect((await northwind()).roles.find(({ key }) => key === "auditor")?.id).toBe("role-7");
    expect(await seed({ roles: [{ id: "role-7", key: "auditor", name: "Auditor" }] })).toEqual([]);
  });

  it("refuses an id that differs from the stored one or belongs to another record of any organization", async () => {
    const { organizations } = await world.local.show();
    const nurse = organizations[0]!.roles[0]!.id;
    const refusal = seed({
      roles: [
        { id: "role-7", key: "recruiter", name: "Recruiter" },
        { id: nurse, key: "auditor", name: "Auditor" },
        { id: "role-8", key: "clerk", name: "Clerk" },
        { id: "role-8", key: "driver", name: "Driver" },
      ],
    });
    await expect(refusal).rejects.toMatchObject({
      status: 400,
      body: {
        fieldErrors: {
          "organizations[0].roles[0].id": [expect.stringMatching(/^is rol_\w+ in the store/)],
          "organizations[0].roles[1].id": ["is already the id of the role contoso: nurse"],
          "organizations[0].roles[3].id": ["is already the id of the role northwind: clerk"],
        },
      },
    });
    expect((await northwind()).roles).toHaveLength(3);
  });

  it("reports every unknown reference with a suggestion", async () => {
    const refusal = seed({
      members: [{ email: "ed@northwind.example", name: "Ed", roles: ["recruter", "nurse"] }],
      ...staffing([
        { key: "absence", name: "Absence", kind: "SUBORDINATE", parent: "candidat" },
        { key: "alpha", name: "Alpha", kind: "SUBORDINATE", parent: "beta" },
        { key: "beta", name: "Beta", kind: "SUBORDINATE", parent: "alpha" },
      ]),
    });
    await expect(refusal).rejects.toMatchObject({
      body: {
        fieldErrors: {
          "organizations[0].members[0].roles[0]": ['"recruter" is not a role of northwind. Did you mean "recruiter"?'],
          "organizations[0].members[0].roles[1]": ['"nurse" is not a role of northwind'],
          "organizations[0].modules[0].objects[0].parent": [
            'is not an object of northwind: staffing/candidat does not exist. Did you mean "staffing/candidate"?',
          ],
          "organizations[0].modules[0].objects[1].parent": ["makes staffing/alpha its own ancestor"],
          "organizations[0].modules[0].objects[2].parent": ["makes staffing/beta its own ancestor"],
        },
      },
    });
  });

  it("reports a custom field with its surface and scope", async () => {
    const field = { key: "vat_id", name: "VAT id", type: "TEXT" as const };
    const customFields = [
      { ...field, surface: "CONTRACTOR" as const },
      { ...field, surface: "CONTRACTOR" as const, scopeId: "export" },
    ];
    const changes = await seed({ name: "Northwind", customFields });
    const added = changes.filter(({ kind }) => kind === "customField").map(({ key }) => key);
    expect(added).toEqual(["CONTRACTOR/vat_id", "CONTRACTOR/export/vat_id"]);
  });

  it("refuses invalid types, keys and parents", async () => {
    const refusal = world.local.seed({
      organizations: [
        {
          key: "fabrikam",
          name: "Fabrikam",
          customFields: [{ surface: "DYNAMIC_OBJECT", key: "x", name: "X", type: "TEXT" }],
          modules: [
            {
              key: "m",
              name: "M",
              objects: [
                { key: "o", name: "O", kind: "SUBORDINATE" },
                { key: "p", name: "P", parent: "o", fields: [{ key: "Bad Key", name: "X", type: "NOTE" as "TEXT" }] },
                { key: "p", name: "P" },
              ],
            },
          ],
        },
      ],
    });
    const object = "organizations[0].modules[0].objects";
    await expect(refusal).rejects.toMatchObject({
      body: {
        fieldErrors: {
          "organizations[0].customFields[0].surface": ["has no custom fields: add the fields to its objects"],
          [`${object}[1].fields[0].key`]: [expect.stringContaining("lower-case")],
          [`${object}[1].fields[0].type`]: [expect.stringContaining("must be one of TEXT")],
        },
      },
    });
  });

  it("refuses a default value that is not an option, and accepts any without options", async () => {
    const field = { name: "Field", type: "MULTI_SELECT" as const };
    const fields = [
      { ...field, key: "one", options: ["a", "b"], default: ["a", "c"] },
      { ...field, key: "two", options: ["a", "b"], default: ["a", "b"] },
      { ...field, key: "three", type: "SELECT" as const, default: "x" },
    ];
    await expect(seed(staffing([{ key: "candidate", name: "Candidate", fields }]))).rejects.toMatchObject({
      body: {
        fieldErrors: {
          "organizations[0].modules[0].objects[0].fields[0].default": ["is not among the options of the field"],
        },
      },
    });
    await seed(staffing([{ key: "candidate", name: "Candidate", fields: fields.slice(1) }]));
    expect((await objectOf("candidate")).fields.at(-1)).toMatchObject({ key: "three", default: "x" });
  });

  it("accepts a parent of another module, and children listed before their parents", async () => {
    await seed({
      modules: [
        {
          key: "payroll",
          name: "Payroll",
          objects: [
            { key: "receipt", name: "Receipt", kind: "SUBORDINATE", parent: "expense" },
            { key: "expense", name: "Expense", kind: "SUBORDINATE", parent: "staffing/placement" },
          ],
        },
      ],
    });
    expect(await objectOf("receipt")).toMatchObject({ parent: "expense" });
    expect(await objectOf("expense")).toMatchObject({ parent: "staffing/placement" });
    expect(await world.local.check()).toEqual([]);
  });

  it("changes the kind of an object only if it has no forms (R10)", async () => {
    const service = await world.as("northwind");
    const candidate = { moduleKey: "staffing", objectKey: "candidate" };
    const subordinate = staffing([{ key: "candidate", name: "Candidate", kind: "SUBORDINATE", parent: "placement" }]);
    const form = await service.createForm({ ...candidate, body: { name: "Intake", types: ["CREATE"] } });
    await expect(seed(subordinate)).rejects.toMatchObject({
      body: {
        fieldErrors: {
          "organizations[0].modules[0].objects[0].kind": ["is REGULAR and can't change: the object has forms"],
        },
      },
    });
    await service.deleteForm({ ...candidate, formId: form.id });
    await seed(subordinate);
    expect(await objectOf("candidate")).toMatchObject({ kind: "SUBORDINATE", parent: "placement" });
  });

  it("writes everything or nothing", async () => {
    const before = await world.local.show();
    const [first] = contractOrganizations.organizations;
    const organizations: Organization[] = [
      { ...first!, name: "Renamed" },
      { key: "fabrikam", name: "Fabrikam", members: [{ email: "al@fabrikam.example", name: "Al", roles: ["none"] }] },
    ];
    await expect(world.local.seed({ organizations })).rejects.toMatchObject({ status: 400 });
    expect(await world.local.show()).toEqual(before);
  });
});
