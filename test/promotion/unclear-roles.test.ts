/** Promotions in which a record of the target may be mistaken for another. Nothing is written then. */

import { describe, expect, it } from "vitest";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { applyTo, manifestsFor, openPromotionScene, type PromotionScene, succeeded } from "./scene.ts";

type Role = { key: string; name: string };

/** Adds roles to both stores, and a form on staging that gives the first role of staging VIEW and EDIT. */
async function openRoles(from: Role[], to: Role[]): Promise<PromotionScene> {
  const scene = await openPromotionScene();
  const seed = (roles: Role[]) => ({ organizations: [{ key: "northwind", name: "Northwind Staffing", roles }] });
  await scene.staging.local.seed(seed(from));
  await scene.production.local.seed(seed(to));
  const [organization] = (await scene.staging.local.show("northwind")).organizations;
  const { id } = organization!.roles.find(({ key }) => key === from[0]!.key)!;
  const intake = `${manifestsFor(scene.staging)["intake.yaml"]!}access:
  users: []
  roles: [{roleId: ${id}, types: [CREATE]}]
`;
  await applyTo(scene, scene.staging, { "intake.yaml": intake });
  return scene;
}

const STORES = ["--from", "staging.db#northwind", "--to", "production.db#northwind"];

/** Promotes, and returns the outcome with the keys of the roles that have access on production afterwards. */
async function promote({ cli, production }: PromotionScene, ends: string[]) {
  const { code, stderr } = await cli.run("promote", ...ends, "--yes");
  const shown = await succeeded(
    cli.run("export", "staffing/candidate", "--store", production.store, "--organization", "northwind"),
  );
  const [organization] = (await production.local.show("northwind")).organizations;
  const withAccess = organization!.roles.filter(({ id, name, key }) =>
    [id, name, key].some((text) => new RegExp(`role(Id)?: ${text}$`, "m").test(shown.stdout)),
  );
  return { code, stderr, withAccess: withAccess.map(({ key }) => key) };
}

describe("a promotion", () => {
  it("gives no access to a role whose name resembles the key of another", async () => {
    const scene = await openRoles(
      [{ key: "admin", name: "Administrator" }],
      [
        { key: "administrator", name: "Administrator" },
        { key: "zzz", name: "Admin" },
      ],
    );
    const { code, stderr, withAccess } = await promote(scene, STORES);
    expect(withAccess).toEqual([]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /the role "admin" \(rol_\w+\) of staging\.db#northwind may mean 2 roles of production\.db#northwind: rol_\w+ \(administrator, "Administrator"\), rol_\w+ \(zzz, "Admin"\)/,
    );
  });

  it("gives no access to a role that has the id of another role", async () => {
    const scene = await openRoles([{ key: "night", name: "Night shift" }], [{ key: "day", name: "Day shift" }]);
    const { cli, staging, production } = scene;
    const idOf = async ({ local }: typeof staging, wanted: string) =>
      (await local.show("northwind")).organizations[0]!.roles.find(({ key }) => key === wanted)!.id;
    const night = await idOf(staging, "night");
    // On production, the same id belongs to a role with another name.
    const write = (roles: Record<string, string>) =>
      cli.file("formctl.yaml", toYaml({ references: { staging: { roles: { Night: night } }, production: { roles } } }));
    write({ Day: night });
    const refused = await promote(scene, ["--from", "staging", "--to", "production"]);
    expect(refused).toMatchObject({ code: 3, withAccess: [] });
    expect(refused.stderr).toContain(`has the id of another role of production: ${night} ("Day")`);
    // The project file decides.
    write({ Day: night, Night: await idOf(production, "day") });
    expect(await promote(scene, ["--from", "staging", "--to", "production"])).toMatchObject({
      code: 0,
      withAccess: ["day"],
    });
  });

  it("refuses a module whose key and name lead to two modules", async () => {
    const scene = await openPromotionScene();
    const { staging, production } = scene;
    await applyTo(scene, staging);
    const { name } = staging.organization.modules.find(({ key }) => key === "staffing")!;
    await production.local.seed({
      organizations: [
        {
          key: "northwind",
          name: "Northwind Staffing",
          modules: [
            { key: "staffing", name: "Archive" },
            { key: "hiring", name },
          ],
        },
      ],
    });
    const { code, stderr } = await scene.cli.run("promote", ...STORES, "--yes");
    expect(code).toBe(3);
    expect(stderr).toContain(`may mean 2 modules of production.db#northwind: staffing ("Archive"), hiring ("${name}")`);
  });
});
