/** Checks how names in manifests are resolved to ids, and how unknown and ambiguous names are reported. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readManifests } from "../../src/manifests/read/read-manifests.ts";
import { serverTarget } from "../../src/state/target.ts";
import { type References, referencesOf, resolveNames, type Unresolved } from "../../src/manifests/references.ts";
import { temporaryFolder } from "../temporary.ts";

const references = referencesOf(
  {
    role: [
      { id: "rol_1", names: ["Recruiter", "recruiter"] },
      { id: "rol_2", names: ["Lead", "lead_a"] },
      { id: "rol_3", names: ["LEAD", "lead_b"] },
      { id: "rol_4", names: ["lead_b", "Other"] },
    ],
    member: [{ id: "mem_1", names: ["dana@northwind.example"] }],
  },
  (kind) => `references.prod.${kind}s in formctl.yaml`,
);

async function resolve(text: string, from: References = references) {
  const { path: root, remove } = temporaryFolder();
  onTestFinished(remove);
  writeFileSync(join(root, "a.yaml"), text);
  const { manifests, problems } = await readManifests({ paths: ["a.yaml"], cwd: root, root, env: {} });
  expect(problems).toEqual([]);
  return resolveNames(manifests, from);
}

const form = (access: string) => `kind: Form\nobject: a/b\nname: Card\ntypes: [VIEW]\naccess: ${access}\n`;
const told = ({ problems }: Pick<Awaited<ReturnType<typeof resolve>>, "problems">) =>
  problems.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);

it("reports an unknown id if all ids are known", async () => {
  const strict = { ...references, hasId: (_: string, id: string) => id === "rol_1" };
  const { wanted, problems } = await resolve(
    form("{ users: [{ membershipId: mem_9, types: [VIEW] }], roles: [{ roleId: rol_1, types: [VIEW] }] }"),
    strict,
  );
  expect(wanted).toEqual([]);
  expect(told({ problems })).toEqual([
    '5:35 MEMBER_UNKNOWN access.users[0].membershipId is "mem_9", and references.prod.members in formctl.yaml has no such member',
  ]);
});

it("resolves a name with another encoding of accents", async () => {
  const name = "B\u00fchne";
  const { idsOf, nameOf } = referencesOf({ role: [{ id: "rol_1", names: [name] }], member: [] }, () => "here");
  expect(idsOf("role", name.normalize("NFD"))).toEqual(["rol_1"]);
  expect(nameOf("role", "rol_1")).toBe(name);
});

it("resolves names in any case, and keeps ids", async () => {
  const { wanted, problems } = await resolve(
    form(
      "{ users: [{ member: Dana@Northwind.example, types: [VIEW] }, { membershipId: mem_9, types: [VIEW] }], roles: [{ role: RECRUITER, types: [VIEW] }, { roleId: rol_9, types: [VIEW] }] }",
    ),
  );
  expect(problems).toEqual([]);
  expect(wanted).toMatchObject([
    {
      access: {
        users: [
          { membershipId: "mem_1", types: ["VIEW"] },
          { membershipId: "mem_9", types: ["VIEW"] },
        ],
        roles: [
          { roleId: "rol_1", types: ["VIEW"] },
          { roleId: "rol_9", types: ["VIEW"] },
        ],
      },
    },
  ]);
});

it("resolves the roles of assignments, and adds nothing unmanaged", async () => {
  const layout = "kind: Layout\nname: Card\nsurface: CONTRACTOR\nsupportedModes: [VIEW]\n";
  const { wanted } = await resolve(
    `${layout}assignments: { roles: [{ role: lead_a, priority: 3 }] }\n---\n${layout.replace("Card", "Other")}`,
  );
  expect(wanted[0]).toMatchObject({
    assignments: { organizationDefault: false, roles: [{ roleId: "rol_2", priority: 3 }] },
  });
  expect(wanted[1]).not.toHaveProperty("assignments");
});

it("reports every unknown or ambiguous name, and omits only the manifests with such names", async () => {
  const wrong = form(
    "{ users: [{ member: dnaa@northwind.example, types: [VIEW] }], roles: [{ role: lead, types: [VIEW] }, { role: Nobody at all, types: [VIEW] }] }",
  );
  const right = form("{ users: [], roles: [] }").replace("Card", "Sheet");
  const resolved = await resolve(`${wrong}---\n${right}`);
  expect(told(resolved)).toEqual([
    '5:29 MEMBER_UNKNOWN access.users[0].member is "dnaa@northwind.example", and references.prod.members in formctl.yaml has no such member. Did you mean "dana@northwind.example"?',
    '5:87 ROLE_AMBIGUOUS access.roles[0].role is "lead", which means 2 roles: rol_2, rol_3. Use roleId instead',
    '5:118 ROLE_UNKNOWN access.roles[1].role is "Nobody at all", and references.prod.roles in formctl.yaml has no such role. Add it there, or use roleId',
  ]);
  expect(resolved.wanted.map(({ name }) => name)).toEqual(["Sheet"]);
});

it("reports one role under two names", async () => {
  const resolved = await resolve(
    form("{ users: [], roles: [{ role: lead_a, types: [VIEW] }, { roleId: rol_2, types: [VIEW] }] }"),
  );
  expect(told(resolved)).toEqual([
    "5:73 ACCESS_TWICE access.roles[1].roleId names the same role as access.roles[0], by its id or another of its names",
  ]);
});

it("returns the first unambiguous name of an id", () => {
  expect(references.nameOf("role", "rol_1")).toBe("Recruiter");
  expect(references.nameOf("role", "rol_2")).toBe("lead_a");
  expect(references.nameOf("role", "rol_3")).toBeUndefined();
  expect(references.nameOf("role", "rol_4")).toBe("Other");
  expect(references.nameOf("member", "mem_2")).toBeUndefined();
});

it("returns the next step for all names without an id, but not for misspelled names", async () => {
  const howToAdd = ({ role, member }: Unresolved) => `add ${[...role, ...member].join(", ")}`;
  const matrix =
    "{ users: [{ member: eve@northwind.example, types: [VIEW] }], roles: [{ role: Auditor, types: [VIEW] }, { role: Recruter, types: [VIEW] }] }";
  expect((await resolve(form(matrix), { ...references, howToAdd })).hint).toBe("add Auditor, eve@northwind.example");
  const known = "{ users: [], roles: [{ role: Recruiter, types: [VIEW] }] }";
  expect((await resolve(form(known), { ...references, howToAdd })).hint).toBeUndefined();
});

it("lists only the kinds of names that the project file lacks", async () => {
  const target = serverTarget({
    baseUrl: "https://forms.example.com",
    service: async () => {
      throw new Error("no request is needed");
    },
    referencesIn: { file: "formctl.yaml", key: "prod" },
  });
  const { howToAdd } = await target.references();
  const lines = (names: Unresolved) => howToAdd!(names).split("\n").slice(1);
  expect(lines({ role: new Set(["Auditor"]), member: new Set() })).toEqual([
    "references:",
    "  prod:",
    "    roles:",
    "      Auditor: ROLE_ID",
  ]);
  expect(lines({ role: new Set(), member: new Set(["eve@b.example"]) })).toEqual([
    "references:",
    "  prod:",
    "    members:",
    "      eve@b.example: MEMBER_ID",
  ]);
});
