/** The cases about permissions for forms, and about the forms of other organizations, which are invisible. */

import type { Permission } from "../../../src/schemas/words.ts";
import { describe, expect, it } from "vitest";
import type { FullService } from "../../../src/service.ts";
import type { Provider } from "../provider.ts";
import { CANDIDATE, inWorld, MISSING, refusal, VISIT } from "./world.ts";

type Address = { moduleKey: string; objectKey: string; formId: string };

const objectOf = ({ moduleKey, objectKey }: Address) => ({ moduleKey, objectKey });

const READ: Permission = "api.custom_forms.read";
const MANAGE: Permission = "api.custom_forms.manage";

/** The nine operations on forms. Each has a request that succeeds with the required permission. */
const REQUESTS: [
  name: string,
  permission: Permission,
  request: (service: FullService, at: Address) => Promise<unknown>,
][] = [
  ["list", READ, (service, at) => service.listForms(objectOf(at))],
  ["get", READ, (service, at) => service.getForm(at)],
  ["list available", READ, (service, at) => service.listAvailableForms(objectOf(at))],
  ["read access", READ, (service, at) => service.getFormAccess(at)],
  ["create", MANAGE, (service, at) => service.createForm({ ...objectOf(at), body: { name: "New", types: ["VIEW"] } })],
  ["update", MANAGE, (service, at) => service.updateForm({ ...at, body: { name: "New" } })],
  ["set defaults", MANAGE, (service, at) => service.updateFormDefaults({ ...objectOf(at), body: {} })],
  ["replace access", MANAGE, (service, at) => service.replaceFormAccess({ ...at, body: { users: [], roles: [] } })],
  ["delete", MANAGE, (service, at) => service.deleteForm(at)],
];

export function permissionCases(provider: Provider): void {
  describe("permissions of forms", () => {
    it.each(REQUESTS)("%s needs %s and nothing else (R102, R103)", (_name, permission, request) =>
      inWorld(provider, async ({ as, newForm }) => {
        const { id: formId } = await newForm("Profile", ["VIEW"]);
        const at = { ...CANDIDATE, formId };
        const other = permission === READ ? MANAGE : READ;
        const others: Permission[] = [
          other,
          "api.view_layouts.read",
          "api.view_layouts.manage",
          "api.view_layouts.publish",
        ];
        for (const lacking of [[], others]) {
          const refused = await refusal(request(await as("northwind", lacking), at));
          expect(refused).toMatchObject({ status: 403, code: "FORBIDDEN" });
          expect(refused.body.message).toContain(permission);
        }
        await request(await as("northwind", [permission]), at);
      })(),
    );

    it(
      "are checked before any record is looked up",
      inWorld(provider, async ({ as }) => {
        const nobody = await as("northwind", []);
        expect(await refusal(nobody.getForm({ ...CANDIDATE, formId: "frm_nobody" }))).toMatchObject({ status: 403 });
        const wrong = nobody.createForm({ ...CANDIDATE, body: {} as never });
        expect(await refusal(wrong)).toMatchObject({ status: 403 });
      }),
    );

    it(
      "are not replaced by access rows (R13)",
      inWorld(provider, async ({ as, service, newForm, memberId }) => {
        const { id: formId } = await newForm("Profile", ["VIEW"]);
        const users = [{ membershipId: await memberId("ana@northwind.example"), types: ["VIEW" as const] }];
        await service.replaceFormAccess({ ...CANDIDATE, formId, body: { users, roles: [] } });
        const nobody = await as("northwind", []);
        expect(await refusal(nobody.getForm({ ...CANDIDATE, formId }))).toMatchObject({ status: 403 });
      }),
    );
  });

  describe("forms of another organization", () => {
    const onForms = REQUESTS.filter(([name]) => !["list", "list available", "create", "set defaults"].includes(name));
    it.each(onForms)("%s: gets the same response as for a missing form", (_name, _permission, request) =>
      inWorld(provider, async ({ as, service }) => {
        const contoso = await as("contoso");
        const { id: formId } = await contoso.createForm({ ...VISIT, body: { name: "Visit", types: ["VIEW"] } });
        const at = { ...CANDIDATE, formId };
        const foreign = await refusal(request(service, at));
        expect(foreign).toEqual(MISSING);
        // Requests the same id after its record is deleted. The response must be byte-identical.
        await contoso.deleteForm({ ...VISIT, formId });
        expect(JSON.stringify((await refusal(request(service, at))).body)).toBe(JSON.stringify(foreign.body));
      })(),
    );

    it.each(REQUESTS)("%s: gets the same response as for a missing object", (_name, _permission, request) =>
      inWorld(provider, async ({ as, service }) => {
        const contoso = await as("contoso");
        const { id: formId } = await contoso.createForm({ ...VISIT, body: { name: "Visit", types: ["VIEW"] } });
        const foreign = await refusal(request(service, { ...VISIT, formId }));
        expect(foreign).toEqual(MISSING);
        const missing = await refusal(request(service, { moduleKey: "nope", objectKey: "visit", formId }));
        expect(JSON.stringify(missing.body)).toBe(JSON.stringify(foreign.body).replaceAll("care/", "nope/"));
        expect((await contoso.getForm({ ...VISIT, formId })).name).toBe("Visit");
      })(),
    );
  });
}
