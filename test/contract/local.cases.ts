/** The operations of a local service outside the API: seeding, tokens, uploads, resolution. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operations } from "../../src/schemas/operations.ts";
import { isWellFormedToken } from "../../src/base/secret.ts";
import { ServiceError } from "../../src/service.ts";
import { contractOrganizations } from "./organizations.ts";
import type { ContractWorld, Provider } from "./provider.ts";
import { serviceOf } from "./service-of.ts";

const candidate = { moduleKey: "staffing", objectKey: "candidate" };

export function localCases(provider: Provider): void {
  let world: ContractWorld;
  beforeEach(async () => {
    world = await provider.open();
  });
  afterEach(() => world.close());

  describe("an administrator's service", () => {
    it("is that of the organization that was named", async () => {
      const service = await world.local.service("contoso");
      expect(await service.listAvailableForms({ moduleKey: "care", objectKey: "visit" })).toEqual([]);
      await expect(service.listAvailableForms(candidate)).rejects.toMatchObject({ status: 404 });
    });

    it("requires an organization if there are several", async () => {
      const service = await world.local.service();
      const refusal = await refusalOf(service.listForms(candidate));
      expect(refusal).toMatchObject({
        code: "ORGANIZATION_UNCLEAR",
        message: expect.stringContaining("contoso, northwind") as string,
        hint: "Specify one: --organization KEY",
      });
    });

    it("suggests a similar key for an unknown one", async () => {
      const service = await world.local.service("northwnd");
      await expect(service.listForms(candidate)).rejects.toMatchObject({
        code: "ORGANIZATION_UNCLEAR",
        message: expect.stringContaining("contoso, northwind"),
        hint: expect.stringContaining("--organization northwind"),
      });
    });

    it("answers constant operations without an organization", async () => {
      const service = await world.local.service();
      expect(await service.listCurrencies({})).not.toEqual([]);
      expect((await service.getSurfaceDefinitions({})).surfaces).not.toEqual([]);
    });
  });

  describe("seeding", () => {
    it("does nothing if all records exist", async () => {
      const before = await world.local.show();
      expect(await world.local.seed(contractOrganizations)).toEqual([]);
      expect(await world.local.show()).toEqual(before);
    });

    it("produces a valid organization file, including ids", async () => {
      expect(await world.local.seed(await world.local.show())).toEqual([]);
    });

    it("refuses a file of a wrong shape, with every problem at its path", async () => {
      const organizations = [{ key: "fabrikam", name: " ", roles: [{ key: "a b", name: "Role" }] }];
      await expect(world.local.seed({ organizations })).rejects.toMatchObject({
        status: 400,
        body: {
          fieldErrors: {
            "organizations[0].name": ["must not be blank"],
            "organizations[0].roles[0].key": [expect.stringContaining("letters, digits")],
          },
        },
      });
    });
  });

  describe("tokens", () => {
    const request = { organization: "northwind", name: "ci", permissions: ["api.custom_forms.read"] as const };

    it("are shown once, and later by their last four characters", async () => {
      const { token, ...created } = await world.local.createToken({ ...request, expiresAt: null });
      expect(isWellFormedToken(token)).toBe(true);
      expect(created).toMatchObject({ organization: "northwind", last4: token.slice(-4), revokedAt: null });
      expect(await world.local.listTokens("northwind")).toEqual([created]);
      expect(await world.local.listTokens("contoso")).toEqual([]);
      expect(JSON.stringify(await world.local.listTokens())).not.toContain(token);
    });

    it("permit only their operations (R102, R103)", async () => {
      const { token } = await world.local.createToken({ ...request, expiresAt: null });
      const service = serviceOf((await world.local.authenticate(token))!);
      expect((await service.listForms({ ...candidate })).data).toEqual([]);
      await expect(service.createForm({ ...candidate, body: { name: "Form", types: ["VIEW"] } })).rejects.toMatchObject(
        { status: 403, code: "FORBIDDEN", message: /api\.custom_forms\.manage/ },
      );
    });

    it("end at their time and not before it", async () => {
      const expiresAt = new Date(world.clock.now.getTime() + 1000).toISOString();
      const { token } = await world.local.createToken({ ...request, expiresAt });
      world.clock.advance(999);
      expect(await world.local.authenticate(token)).toBeDefined();
      world.clock.advance(1);
      expect(await world.local.authenticate(token)).toBeUndefined();
    });

    it("end when they are revoked; a second revocation changes nothing", async () => {
      const { token, id } = await world.local.createToken({ ...request, expiresAt: null });
      const revoked = await world.local.revokeToken(id);
      expect(revoked.revokedAt).toBe(world.clock.now.toISOString());
      expect(await world.local.authenticate(token)).toBeUndefined();
      world.clock.advance(1000);
      expect(await world.local.revokeToken(id)).toEqual(revoked);
    });

    it("remember the day of their last use", async () => {
      const { token } = await world.local.createToken({ ...request, expiresAt: null });
      const lastUsedAt = async () => (await world.local.listTokens("northwind"))[0]!.lastUsedAt;
      expect(await lastUsedAt()).toBeNull();
      await world.local.authenticate(token);
      // The service writes the time of the last use in the background.
      await expect.poll(lastUsedAt).toBe("2026-03-02");
      world.clock.advance(24 * 60 * 60 * 1000);
      await world.local.authenticate(token);
      await expect.poll(lastUsedAt).toBe("2026-03-03");
    });

    it("that are malformed or unknown are refused", async () => {
      const { token } = await world.local.createToken({ ...request, expiresAt: null });
      for (const wrong of ["", "fctl_", `${token} `, token.toLowerCase(), token.replace("fctl_", "ek_")])
        expect(await world.local.authenticate(wrong)).toBeUndefined();
    });

    it("are refused with a blank name or an expiry in the past; an unknown one can't be revoked", async () => {
      const expiresAt = world.clock.now.toISOString();
      await expect(world.local.createToken({ ...request, expiresAt })).rejects.toMatchObject({
        status: 400,
        body: { fieldErrors: { expiresAt: ["must be in the future"] } },
      });
      await expect(world.local.createToken({ ...request, name: " ", expiresAt: null })).rejects.toMatchObject({
        body: { fieldErrors: { name: ["must not be blank"] } },
      });
      await expect(world.local.revokeToken("tok_none")).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
      await expect(world.local.createToken({ name: "ci", permissions: [], expiresAt: null })).rejects.toMatchObject({
        code: "ORGANIZATION_UNCLEAR",
      });
    });
  });

  describe("uploads", () => {
    const bytes = new TextEncoder().encode("curriculum vitae");
    const createForm = async (isPublic: boolean) => {
      const service = await world.local.service("northwind");
      return service.createForm({ ...candidate, body: { name: "Candidate intake", types: ["CREATE"], isPublic } });
    };

    it("are stored with name, size and hash", async () => {
      const form = await createForm(true);
      const added = await world.local.addUpload({ formId: form.id, fileName: "cv.txt", bytes });
      expect(added).toMatchObject({ formId: form.id, fileName: "cv.txt", size: 16 });
      expect(added.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(await world.local.listUploads(form.id)).toEqual([added]);
      expect(await world.local.check()).toEqual([]);
    });

    it("go with their form, and with no other (R83)", async () => {
      const [gone, stays] = [await createForm(true), await createForm(true)];
      for (const { id: formId } of [gone, stays]) await world.local.addUpload({ formId, fileName: "cv.txt", bytes });
      const service = await world.local.service("northwind");
      await service.deleteForm({ ...candidate, formId: gone.id });
      await expect(world.local.listUploads(gone.id)).rejects.toMatchObject({ status: 404 });
      expect(await world.local.listUploads(stays.id)).toHaveLength(1);
      expect(await world.local.check()).toEqual([]);
    });

    it("are refused for a form that is not public or missing, and with a path as name", async () => {
      const closed = await createForm(false);
      const add = (formId: string, fileName: string) => world.local.addUpload({ formId, fileName, bytes });
      await expect(add(closed.id, "cv.txt")).rejects.toMatchObject({ status: 409, code: "FORM_NOT_PUBLIC" });
      await expect(add("frm_none", "cv.txt")).rejects.toMatchObject({ status: 404 });
      const open = await createForm(true);
      await expect(add(open.id, "../cv.txt")).rejects.toMatchObject({ status: 400 });
      await expect(add(open.id, "")).rejects.toMatchObject({ status: 400 });
    });
  });

  describe("resolution", () => {
    const question = {
      organization: "northwind",
      surface: "ORGANIZATION",
      target: {},
      mode: "VIEW",
      memberEmail: "ana@northwind.example",
    };

    it("finds no layout if none is published", async () => {
      expect(await world.local.resolveLayout(question)).toBeNull();
    });

    it("finds the organization's default, and a layout of the member's role before it", async () => {
      const service = await world.local.service("northwind");
      const { roles } = (await world.local.show()).organizations.find(({ key }) => key === "northwind")!;
      const recruiter = roles.find(({ key }) => key === "recruiter")!;
      const publish = async (name: string) => {
        const { id: layoutId } = await service.createLayout({
          body: { surface: "ORGANIZATION", supportedModes: ["VIEW"], target: {}, name },
        });
        const draft = await service.saveDraft({
          layoutId,
          body: {
            clientMutationId: `draft of ${name}`,
            schemaVersion: 1,
            regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
            blocks: [
              {
                id: "about",
                type: "builtin",
                source: "built_in",
                ref: { componentKey: "organization.details" },
                regionKey: "main",
              },
            ],
          },
        });
        const { draftVersionId } = draft;
        const body = { clientMutationId: `publish ${name}`, draftVersionId };
        const { versionId } = await service.publishLayout({ layoutId, body });
        return { layoutId, layoutName: name, versionId };
      };
      const everyone = await publish("Organization page");
      await service.replaceAssignments({
        layoutId: everyone.layoutId,
        body: { clientMutationId: "everyone", organizationDefault: true },
      });
      expect(await world.local.resolveLayout(question)).toEqual({ ...everyone, reason: "ORGANIZATION_DEFAULT" });

      const recruiters = await publish("Page for recruiters");
      await service.replaceAssignments({
        layoutId: recruiters.layoutId,
        body: { clientMutationId: "recruiters", roles: [{ roleId: recruiter.id, priority: 5 }] },
      });
      expect(await world.local.resolveLayout(question)).toEqual({ ...recruiters, reason: "ROLE" });
      const dana = { ...question, memberEmail: "dana@northwind.example" };
      expect(await world.local.resolveLayout(dana)).toMatchObject({ layoutId: everyone.layoutId });
    });

    it("refuses a member who is not in the organization", async () => {
      const stranger = { ...question, memberEmail: "eve@contoso.example" };
      await expect(world.local.resolveLayout(stranger)).rejects.toBeInstanceOf(ServiceError);
    });
  });

  describe("the store", () => {
    it("is sound after seeding", async () => {
      expect(await world.local.check()).toEqual([]);
    });

    it("covers every operation of the table", async () => {
      const service = await world.local.service("northwind");
      expect(Object.keys(service).sort()).toEqual(Object.keys(operations).sort());
    });
  });
}

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
