/** The cases about access: the members and roles that may use a form, and their modes. */

import { describe, expect, it } from "vitest";
import type { AccessMatrix, Mode } from "../../../src/schemas/form.ts";
import type { Provider } from "../provider.ts";
import { CANDIDATE, type FormsWorld, invalidAt, inWorld, listed, MISSING, refusal } from "./world.ts";

const NOBODY: AccessMatrix = { users: [], roles: [] };

/** Creates a form with all modes, and helpers to read and replace its access. */
async function accessOf({ service, newForm }: FormsWorld, types: Mode[] = ["CREATE", "VIEW", "EDIT"]) {
  const form = await newForm("Profile", types);
  const at = { ...CANDIDATE, formId: form.id };
  return {
    form,
    read: () => service.getFormAccess(at),
    replace: (body: AccessMatrix) => service.replaceFormAccess({ ...at, body }),
  };
}

export function accessCases(provider: Provider): void {
  describe("replacing a form's access", () => {
    it(
      "is initially empty, and keeps the order of rows and modes (R27, R70, R71)",
      inWorld(provider, async (world) => {
        const { form, read, replace } = await accessOf(world);
        expect(await read()).toEqual(NOBODY);
        const matrix: AccessMatrix = {
          users: [
            { membershipId: await world.memberId("dana@northwind.example"), types: ["VIEW"] },
            { membershipId: await world.memberId("ana@northwind.example"), types: ["EDIT", "CREATE", "VIEW"] },
            { membershipId: await world.memberId("chidi@northwind.example"), types: ["EDIT", "VIEW"] },
          ],
          roles: [
            { roleId: await world.roleId("recruiter"), types: ["VIEW", "CREATE"] },
            { roleId: await world.roleId("account_manager"), types: ["EDIT"] },
          ],
        };
        expect(await replace(matrix)).toEqual(matrix);
        expect(await read()).toEqual(matrix);
        expect(await listed(world, form)).toMatchObject({ directUserAccessCount: 3, roleAccessCount: 2 });
      }),
    );

    it(
      "replaces the whole matrix, and removes every row for two empty lists (R80, R81)",
      inWorld(provider, async (world) => {
        const { form, read, replace } = await accessOf(world);
        const [ana, bo] = [await world.memberId("ana@northwind.example"), await world.memberId("bo@northwind.example")];
        const roleId = await world.roleId("recruiter");
        await replace({
          users: [
            { membershipId: ana, types: ["VIEW"] },
            { membershipId: bo, types: ["VIEW"] },
          ],
          roles: [{ roleId, types: ["EDIT"] }],
        });
        const second: AccessMatrix = { users: [{ membershipId: bo, types: ["EDIT"] }], roles: [] };
        expect(await replace(second)).toEqual(second);
        expect(await read()).toEqual(second);
        expect(await replace(NOBODY)).toEqual(NOBODY);
        expect(await read()).toEqual(NOBODY);
        expect(await listed(world, form)).toMatchObject({ directUserAccessCount: 0, roleAccessCount: 0 });
      }),
    );

    it(
      "does not change the access of other forms",
      inWorld(provider, async (world) => {
        const first = await accessOf(world);
        const second = await accessOf(world);
        const matrix: AccessMatrix = {
          users: [{ membershipId: await world.memberId("ana@northwind.example"), types: ["VIEW"] }],
          roles: [],
        };
        await first.replace(matrix);
        await second.replace(NOBODY);
        expect(await first.read()).toEqual(matrix);
      }),
    );

    it(
      "refuses members and roles that do not exist, foreign or never there, and modes that the form lacks, all at once (R28, R29, R82)",
      inWorld(provider, async (world) => {
        const { read, replace } = await accessOf(world, ["VIEW", "EDIT"]);
        const ana = await world.memberId("ana@northwind.example");
        const recruiter = await world.roleId("recruiter");
        const good: AccessMatrix = {
          users: [{ membershipId: ana, types: ["VIEW", "EDIT"] }],
          roles: [{ roleId: recruiter, types: ["EDIT"] }],
        };
        await replace(good);
        const refused = await refusal(
          replace({
            users: [
              { membershipId: await world.memberId("eve@contoso.example"), types: ["VIEW"] },
              { membershipId: ana, types: ["VIEW", "CREATE"] },
              { membershipId: "mem_nobody", types: ["CREATE"] },
            ],
            roles: [
              { roleId: recruiter, types: ["EDIT"] },
              { roleId: await world.roleId("nurse"), types: ["EDIT", "VIEW", "CREATE"] },
            ],
          }),
        );
        expect(refused).toEqual(
          invalidAt(
            "users[0].membershipId",
            "users[1].types[1]",
            "users[2].membershipId",
            "users[2].types[0]",
            "roles[1].roleId",
            "roles[1].types[2]",
          ),
        );
        expect(await read()).toEqual(good);
      }),
    );

    it(
      "refuses a member or role of another organization by the same words as one that never was",
      inWorld(provider, async (world) => {
        const { replace } = await accessOf(world);
        const words = async (membershipId: string, roleId: string) => {
          const matrix: AccessMatrix = {
            users: [{ membershipId, types: ["VIEW"] }],
            roles: [{ roleId, types: ["VIEW"] }],
          };
          return JSON.stringify((await refusal(replace(matrix))).body);
        };
        const foreign = await words(await world.memberId("eve@contoso.example"), await world.roleId("nurse"));
        expect(foreign).toBe(await words("mem_nobody", "rol_nobody"));
      }),
    );

    const wrongBodies: [what: string, body: (ana: string) => unknown, fields: string[]][] = [
      ["one list without the other", () => ({ users: [] }), ["roles"]],
      ["no list at all", () => ({}), ["roles", "users"]],
      ["a row without modes", (ana) => ({ users: [{ membershipId: ana, types: [] }], roles: [] }), ["users[0].types"]],
      [
        "a mode twice in a row",
        (ana) => ({ users: [{ membershipId: ana, types: ["VIEW", "VIEW"] }], roles: [] }),
        ["users[0].types[1]"],
      ],
      [
        "an unknown mode",
        (ana) => ({ users: [{ membershipId: ana, types: ["PRINT"] }], roles: [] }),
        ["users[0].types[0]"],
      ],
      [
        "a member twice",
        (ana) => ({
          users: [
            { membershipId: ana, types: ["VIEW"] },
            { membershipId: ana, types: ["EDIT"] },
          ],
          roles: [],
        }),
        ["users[1].membershipId"],
      ],
      [
        "a role among the members",
        (ana) => ({ users: [{ roleId: ana, types: ["VIEW"] }], roles: [] }),
        ["users[0].membershipId", "users[0].roleId"],
      ],
      ["an unknown member of the body", () => ({ users: [], roles: [], teams: [] }), ["teams"]],
    ];
    it.each(wrongBodies)("refuses %s", (_what, body, fields) =>
      inWorld(provider, async (world) => {
        const { read, replace } = await accessOf(world);
        const request = replace(body(await world.memberId("ana@northwind.example")) as never);
        expect(await refusal(request)).toEqual(invalidAt(...fields));
        expect(await read()).toEqual(NOBODY);
      })(),
    );

    it(
      "is not found for a missing form (R105)",
      inWorld(provider, async ({ service }) => {
        const at = { ...CANDIDATE, formId: "frm_nobody" };
        expect(await refusal(service.getFormAccess(at))).toEqual(MISSING);
        expect(await refusal(service.replaceFormAccess({ ...at, body: NOBODY }))).toEqual(MISSING);
      }),
    );
  });
}
