/** The cases about publishing: the published draft, refusals, and effects. */

import { describe, expect, it } from "vitest";
import { CANDIDATE, conflictOf, invalidAt, refusal } from "../forms/world.ts";
import { codesOf, fieldBlocks, intake, inWorld } from "../layouts/world.ts";
import { isNotAccepted } from "../in-world.ts";
import type { Provider } from "../provider.ts";

const NOBODY = "ver_nobody";

export function publishCases(provider: Provider): void {
  describe("publishing", () => {
    it(
      "turns the draft into the published version with the same id (R52, R91)",
      inWorld(provider, async ({ service, reader, newForm, save, publish, clock }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const saved = await save(layoutId, { ...intake, metadata: { owner: "talent" } });
        clock.advance(1000);
        const published = await publish(layoutId, saved.draftVersionId);
        const now = clock.now.toISOString();
        expect(published).toMatchObject({
          versionId: saved.draftVersionId,
          publishedVersion: { ...saved.draftVersion, status: "PUBLISHED", publishedAt: now },
          validation: { state: "valid", errors: [], warnings: [] },
          committedFieldDefinitions: [],
          layout: {
            status: "ACTIVE",
            currentVersionId: saved.draftVersionId,
            latestDraftVersionId: null,
            latestDraftVersion: null,
            updatedAt: now,
          },
        });
        expect(await service.listVersions({ layoutId })).toEqual([published.publishedVersion]);
        expect(await reader.getLayout({ layoutId })).toEqual(published.layout);
      }),
    );

    it(
      "determines the availability of the form (R57)",
      inWorld(provider, async ({ service, newForm, publishNew }) => {
        const form = await newForm(["CREATE"]);
        const read = () => service.getForm({ ...CANDIDATE, formId: form.id });
        expect(await read()).toMatchObject({
          layoutAvailability: { CREATE: { state: "DRAFT_ONLY" } },
          usableTypes: [],
        });
        const { versionId } = await publishNew(form.viewLayoutId, intake);
        expect(await read()).toMatchObject({
          layoutAvailability: { CREATE: { state: "PUBLISHED", versionId } },
          usableTypes: ["CREATE"],
        });
      }),
    );

    it(
      "succeeds with warnings, and reports them (R48, R49)",
      inWorld(provider, async ({ newForm, publishNew }) => {
        const { viewLayoutId: layoutId } = await newForm(["VIEW"]);
        const { validation, publishedVersion } = await publishNew(layoutId, { blocks: [] });
        expect(validation).toMatchObject({ state: "valid_with_warnings", errors: [] });
        expect(codesOf(validation.warnings)).toEqual(["MODE_EMPTY", "REGION_EMPTY"]);
        expect(publishedVersion.validation).toEqual(validation);
      }),
    );

    it(
      "archives the version before, which stays as it was to the byte (R108)",
      inWorld(provider, async ({ service, reader, newForm, publishNew, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE", "VIEW"]);
        const first = await publishNew(layoutId, intake);
        const second = await publishNew(layoutId, { blocks: fieldBlocks("full_name", "email", "notes") });
        await save(layoutId, { blocks: [] });
        const [draft, live, former] = await service.listVersions({ layoutId });
        expect([draft, live, former].map((version) => [version?.version, version?.status])).toEqual([
          [3, "DRAFT"],
          [2, "PUBLISHED"],
          [1, "ARCHIVED"],
        ]);
        expect(live).toEqual(second.publishedVersion);
        expect(JSON.stringify(former)).toBe(JSON.stringify({ ...first.publishedVersion, status: "ARCHIVED" }));
        expect(await reader.getLayout({ layoutId })).toMatchObject({
          status: "ACTIVE",
          currentVersionId: second.versionId,
          latestDraftVersionId: draft!.id,
        });
      }),
    );

    it(
      "keeps the modes that the layout has now as those of the version",
      inWorld(provider, async ({ service, newForm, save, publish }) => {
        const form = await newForm(["VIEW"]);
        const { draftVersionId } = await save(form.viewLayoutId, { blocks: fieldBlocks("full_name", "email") });
        await service.updateForm({ ...CANDIDATE, formId: form.id, body: { types: ["EDIT", "VIEW"] } });
        const { publishedVersion } = await publish(form.viewLayoutId, draftVersionId);
        expect(publishedVersion.supportedModes).toEqual(["EDIT", "VIEW"]);
      }),
    );
  });

  describe("publishing an invalid draft", () => {
    it(
      "is refused with the validation and its errors, and changes nothing (R48, R53)",
      inWorld(provider, async ({ service, reader, newForm, publishNew, save, publish, mutation }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        await publishNew(layoutId, intake);
        const broken = await save(layoutId, { blocks: fieldBlocks("full_name", "expiry") });
        const before = [await service.listVersions({ layoutId }), await reader.getLayout({ layoutId })];
        const { clientMutationId } = mutation();
        const refused = await refusal(publish(layoutId, broken.draftVersionId, { clientMutationId }));
        expect(refused).toEqual(conflictOf("DRAFT_INVALID"));
        expect(refused.body).toEqual({
          code: "DRAFT_INVALID",
          message: expect.stringContaining(
            `2 errors and can't be published: ${broken.validation.errors[0]!.message}`,
          ) as string,
          validation: broken.validation,
          errors: broken.validation.errors.map(({ message }) => ({ message })),
          clientMutationId,
        });
        expect(codesOf(broken.validation.errors)).toEqual(["FIELD_UNKNOWN", "REQUIRED_FIELD_MISSING"]);
        expect([await service.listVersions({ layoutId }), await reader.getLayout({ layoutId })]).toEqual(before);
      }),
    );

    it(
      "is refused for the first draft of a form that creates: it lacks what the object requires",
      inWorld(provider, async ({ service, newForm, publish }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const [initial] = await service.listVersions({ layoutId });
        expect(await refusal(publish(layoutId, initial!.id))).toEqual(conflictOf("DRAFT_INVALID"));
        const view = await newForm(["VIEW"], "Profile");
        const [nearMiss] = await service.listVersions({ layoutId: view.viewLayoutId });
        expect((await publish(view.viewLayoutId, nearMiss!.id)).layout.status).toBe("ACTIVE");
      }),
    );

    it(
      "judges by the fields of now, and the draft keeps the new verdict",
      inWorld(provider, async ({ service, newForm, save, publish, local, field }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const saved = await save(layoutId, intake);
        expect(saved.validation.state).toBe("valid");
        const phone = { ...(await field("candidate", "phone"))!, required: true };
        await local.seed(northwindWith(phone));

        const refused = await refusal(publish(layoutId, saved.draftVersionId));
        expect(refused).toEqual(conflictOf("DRAFT_INVALID"));
        expect(refused.body.validation!.errors.map(({ code }) => code)).toEqual(["REQUIRED_FIELD_MISSING"]);
        const draft = await service.getVersion({ layoutId, versionId: saved.draftVersionId });
        expect(draft).toEqual({ ...saved.draftVersion, validation: refused.body.validation });

        const fixed = await save(layoutId, { blocks: fieldBlocks("full_name", "email", "phone") });
        expect(fixed.validation.errors).toEqual([]);
        await publish(layoutId, fixed.draftVersionId);
      }),
    );
  });

  describe("publishing a missing draft", () => {
    it(
      "is refused when another draft has taken its place, and names that one",
      inWorld(provider, async ({ service, newForm, save, publish, mutation }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const first = await save(layoutId, intake);
        const second = await save(layoutId, intake);
        for (const draftVersionId of [first.draftVersionId, NOBODY]) {
          const { clientMutationId } = mutation();
          const refused = await refusal(publish(layoutId, draftVersionId, { clientMutationId }));
          expect(refused).toEqual(conflictOf("DRAFT_STALE"));
          expect(refused.body).toMatchObject({
            clientMutationId,
            meta: { currentDraftVersionId: second.draftVersionId },
          });
        }
        expect(await service.listVersions({ layoutId })).toEqual([second.draftVersion]);
        expect((await publish(layoutId, second.draftVersionId)).versionId).toBe(second.draftVersionId);
      }),
    );

    it(
      "is refused when there is no draft, also when that very version was published before",
      inWorld(provider, async ({ newForm, publishNew, publish }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const { versionId } = await publishNew(layoutId, intake);
        for (const id of [versionId, NOBODY])
          expect(await refusal(publish(layoutId, id))).toEqual(conflictOf("DRAFT_MISSING"));
      }),
    );

    it(
      "is refused for the draft of another layout",
      inWorld(provider, async ({ newForm, save, publish }) => {
        const [one, other] = [await newForm(["CREATE"]), await newForm(["CREATE"])];
        const mine = await save(one.viewLayoutId, intake);
        const theirs = await save(other.viewLayoutId, intake);
        const refused = await refusal(publish(one.viewLayoutId, theirs.draftVersionId));
        expect(refused).toEqual(conflictOf("DRAFT_STALE"));
        expect(refused.body.meta).toEqual({ currentDraftVersionId: mine.draftVersionId });
      }),
    );
  });

  describe("publishing over the version that is expected", () => {
    it(
      "succeeds if the expected version is published, or null if none is",
      inWorld(provider, async ({ newForm, save, publish }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const first = await save(layoutId, intake);
        const publishFirst = () => publish(layoutId, first.draftVersionId, { expectedPublishedVersionId: null });
        if (await isNotAccepted(provider, "publishLayout", ["expectedPublishedVersionId"], publishFirst)) return;
        await publishFirst();
        const second = await save(layoutId, intake);
        const expectedPublishedVersionId = first.draftVersionId;
        const published = await publish(layoutId, second.draftVersionId, { expectedPublishedVersionId });
        expect(published.versionId).toBe(second.draftVersionId);
      }),
    );

    it(
      "is refused when another one was published meanwhile",
      inWorld(provider, async ({ newForm, save, publish, publishNew, service }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const live = await publishNew(layoutId, intake);
        const { draftVersionId, draftVersion } = await save(layoutId, intake);
        for (const expectedPublishedVersionId of [null, NOBODY, draftVersionId]) {
          const publishLate = () => publish(layoutId, draftVersionId, { expectedPublishedVersionId });
          if (await isNotAccepted(provider, "publishLayout", ["expectedPublishedVersionId"], publishLate)) continue;
          const refused = await refusal(publishLate());
          expect(refused).toEqual(conflictOf("DRAFT_STALE"));
          expect(refused.body.meta).toEqual({
            currentDraftVersionId: draftVersionId,
            currentPublishedVersionId: live.versionId,
          });
        }
        expect(await service.listVersions({ layoutId })).toEqual([draftVersion, live.publishedVersion]);
      }),
    );
  });

  describe("a publish of the wrong shape", () => {
    const confirm = { draftId: "d1" };
    const wrong: [what: string, members: Record<string, unknown>, fields: string[]][] = [
      ["no clientMutationId", { clientMutationId: undefined }, ["clientMutationId"]],
      ["no draftVersionId", { draftVersionId: undefined }, ["draftVersionId"]],
      ["a draftVersionId that is a number", { draftVersionId: 1 }, ["draftVersionId"]],
      ["an unknown member", { confirm: [] }, ["confirm"]],
      ["a confirmation of nothing", { confirmFieldChanges: [{}] }, ["confirmFieldChanges[0].draftId"]],
      ["an unknown confirmation", { confirmFieldChanges: [{ ...confirm, all: true }] }, ["confirmFieldChanges[0].all"]],
      [
        "two confirmations of one change",
        { confirmFieldChanges: [confirm, confirm] },
        ["confirmFieldChanges[1].draftId"],
      ],
    ];
    it.each(wrong)("with %s is refused before the state of things is looked at", (_what, members, fields) =>
      inWorld(provider, async ({ service, newForm, mutation }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const body = { ...mutation(), draftVersionId: NOBODY, ...members };
        expect(await refusal(service.publishLayout({ layoutId, body }))).toEqual(invalidAt(...fields));
      })(),
    );
  });
}

/** Returns an organization file that changes one field of candidates. */
function northwindWith(field: Record<string, unknown>) {
  const candidate = { key: "candidate", name: "Candidate", fields: [field] };
  const staffing = { key: "staffing", name: "Staffing", objects: [candidate] };
  return { organizations: [{ key: "northwind", name: "Northwind Staffing", modules: [staffing] }] } as never;
}
