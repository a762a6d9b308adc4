/**
 * The cases about repeated requests. They have one effect, and the stored response is replayed (docs/decisions.md,
 * "Replays").
 */

import { describe, expect, it } from "vitest";
import type { OperationName } from "../../src/schemas/operations.ts";
import { CANDIDATE, conflictOf, MISSING, refusal } from "./forms/world.ts";
import {
  contractorDraft,
  contractorPage,
  fieldBlocks,
  intake,
  inWorld,
  type LayoutsWorld,
  MAIN,
} from "./layouts/world.ts";
import type { ServiceError } from "../../src/service.ts";
import { isNotAccepted, isRequired } from "./in-world.ts";
import type { ContractService, Provider } from "./provider.ts";

const DAY = 24 * 60 * 60 * 1000;

const again = { clientMutationId: "again" };

const draftBody = { ...again, schemaVersion: 1 as const, regions: [MAIN], blocks: contractorDraft.blocks! };

/** One operation with a `clientMutationId`. `request` sends it, and `other` sends it with another body. */
type Repeatable = {
  operation: string;
  request: () => Promise<{ id?: string }>;
  other: () => Promise<unknown>;
  layoutId: string | null;
};

/** The operations that can be repeated. Each prepares a layout on which it succeeds. */
const REPEATABLE: Record<string, (world: LayoutsWorld) => Promise<Repeatable>> = {
  async createLayout({ service }) {
    const create = (name: string) => service.createLayout({ body: { ...contractorPage, ...again, name } });
    return { operation: "createLayout", request: () => create("A"), other: () => create("B"), layoutId: null };
  },
  async saveDraft({ service, newLayout }) {
    const { id: layoutId } = await newLayout();
    const save = (owner: string) => service.saveDraft({ layoutId, body: { ...draftBody, metadata: { owner } } });
    return { operation: "saveDraft", request: () => save("a") as never, other: () => save("b"), layoutId };
  },
  async publishLayout({ service, newLayout, save }) {
    const { id: layoutId } = await newLayout();
    const { draftVersionId } = await save(layoutId, contractorDraft);
    const publish = (id: string) => service.publishLayout({ layoutId, body: { ...again, draftVersionId: id } });
    const request = () => publish(draftVersionId) as never;
    return { operation: "publishLayout", request, other: () => publish("ver_nobody"), layoutId };
  },
  async restoreDraft({ service, newLayout, publishNew }) {
    const { id: layoutId } = await newLayout();
    const [first, second] = [await publishNew(layoutId, contractorDraft), await publishNew(layoutId, contractorDraft)];
    const restore = (versionId: string) => service.restoreDraft({ layoutId, versionId, body: again });
    const request = () => restore(first.versionId) as never;
    return { operation: "restoreDraft", request, other: () => restore(second.versionId), layoutId };
  },
  async replaceAssignments({ service, newLayout }) {
    const { id: layoutId } = await newLayout();
    const assign = (organizationDefault: boolean) =>
      service.replaceAssignments({ layoutId, body: { ...again, organizationDefault } });
    return { operation: "replaceAssignments", request: () => assign(true), other: () => assign(false), layoutId };
  },
};

const operations = Object.keys(REPEATABLE);

/** Returns everything that a repeated request could change. */
async function stateOf({ service, reader }: LayoutsWorld) {
  const layouts = await reader.listLayouts({});
  const versions = layouts.map((layout) => service.listVersions({ layoutId: layout.id }));
  return JSON.stringify([layouts, await Promise.all(versions)]);
}

export function replayCases(provider: Provider): void {
  const refusesMutationId = (operation: string, request: () => Promise<unknown>) =>
    isNotAccepted(provider, operation as OperationName, ["clientMutationId"], request);

  describe("a request with the clientMutationId of an earlier one", () => {
    it.each(operations)("gets the response of the earlier one, and %s is not executed again", (operation) =>
      inWorld(provider, async (world) => {
        const { request } = await REPEATABLE[operation]!(world);
        if (await refusesMutationId(operation, request)) return;
        const first = await request();
        const state = await stateOf(world);
        world.clock.advance(1000);
        expect(JSON.stringify(await request())).toBe(JSON.stringify(first));
        expect(await stateOf(world)).toBe(state);
      })(),
    );

    it.each(operations)("is refused by %s if anything else in it differs", (operation) =>
      inWorld(provider, async (world) => {
        const { request, other, layoutId } = await REPEATABLE[operation]!(world);
        if (await refusesMutationId(operation, request)) return;
        const firstSeenAt = world.clock.now.toISOString();
        await request();
        const state = await stateOf(world);
        world.clock.advance(1000);
        const refused = await refusal(other());
        expect(refused).toEqual(conflictOf("IDEMPOTENCY_CONFLICT"));
        expect(refused.body).toEqual({
          code: "IDEMPOTENCY_CONFLICT",
          message: expect.stringContaining("again") as string,
          clientMutationId: "again",
          idempotencyConflict: {
            clientMutationId: "again",
            operation,
            layoutId,
            firstSeenAt,
            reason: "BODY_MISMATCH",
          },
        });
        expect(await stateOf(world)).toBe(state);
      })(),
    );

    it.each(operations)("is a new request to %s after seven days", (operation) =>
      inWorld(provider, async (world) => {
        const { request, other } = await REPEATABLE[operation]!(world);
        if (await refusesMutationId(operation, request)) return;
        await request();
        world.clock.advance(7 * DAY);
        expect(await refusal(other())).toEqual(conflictOf("IDEMPOTENCY_CONFLICT"));
        world.clock.advance(1);
        const outcome = await other().then(
          () => "done",
          (error: { code?: string }) => error.code,
        );
        expect(["done", "DRAFT_MISSING"]).toContain(outcome);
      })(),
    );

    it(
      "is executed again after seven days, and stored again",
      inWorld(provider, async (world) => {
        const { request } = await REPEATABLE["createLayout"]!(world);
        if (await refusesMutationId("createLayout", request)) return;
        const first = await request();
        world.clock.advance(7 * DAY + 1);
        const second = await request();
        expect(second.id).not.toBe(first.id);
        expect(await request()).toEqual(second);
      }),
    );
  });

  describe("replays", () => {
    it(
      "return the stored response after the draft was saved over and published",
      inWorld(provider, async ({ service, newForm, save, publish }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const body = { ...again, schemaVersion: 1 as const, regions: [MAIN], blocks: intake.blocks! };
        const first = await service.saveDraft({ layoutId, body });
        const second = await save(layoutId, { blocks: fieldBlocks("full_name", "email", "phone") });
        await publish(layoutId, second.draftVersionId);
        expect(await service.saveDraft({ layoutId, body })).toEqual(first);
        expect(await service.listVersions({ layoutId })).toMatchObject([
          { id: second.draftVersionId, status: "PUBLISHED" },
        ]);
      }),
    );

    it(
      "recognize a request with members in another order and with explicit default values",
      inWorld(provider, async ({ service, newLayout }) => {
        const { id: layoutId } = await newLayout();
        const first = await service.saveDraft({ layoutId, body: draftBody });
        const spelledOut = { metadata: null, scriptBindings: [], stagedFieldDefinitions: [] };
        const reversed = Object.fromEntries(Object.entries(draftBody).reverse()) as typeof draftBody;
        expect(await service.saveDraft({ layoutId, body: { ...spelledOut, ...reversed } })).toEqual(first);
      }),
    );

    it(
      "apply to one layout: the same id on another layout is another request",
      inWorld(provider, async ({ service, newLayout }) => {
        const [one, other] = [await newLayout(), await newLayout()];
        const first = await service.saveDraft({ layoutId: one.id, body: draftBody });
        const second = await service.saveDraft({ layoutId: other.id, body: { ...draftBody, blocks: [] } });
        expect([first.draftVersion.layoutId, second.draftVersion.layoutId]).toEqual([one.id, other.id]);
      }),
    );

    it(
      "apply to one operation: a save and a publish may have the same id",
      inWorld(provider, async ({ service, newLayout }) => {
        const { id: layoutId } = await newLayout();
        const { draftVersionId } = await service.saveDraft({ layoutId, body: draftBody });
        const published = await service.publishLayout({ layoutId, body: { ...again, draftVersionId } });
        expect(published.versionId).toBe(draftVersionId);
      }),
    );

    it(
      "apply to one organization",
      inWorld(provider, async ({ as, service }) => {
        const body = { ...contractorPage, ...again };
        const create = () => service.createLayout({ body });
        if (await refusesMutationId("createLayout", create)) return;
        const first = await create();
        const theirs = await (await as("contoso")).createLayout({ body: { ...body, name: "Theirs" } });
        expect(theirs.id).not.toBe(first.id);
      }),
    );

    it(
      "require the permission of the request",
      inWorld(provider, async ({ as, service, newLayout }) => {
        const { id: layoutId } = await newLayout();
        const first = await service.saveDraft({ layoutId, body: draftBody });
        const manager = await as("northwind", ["api.view_layouts.manage"]);
        expect(await manager.saveDraft({ layoutId, body: draftBody })).toEqual(first);
        const reader = await as("northwind", ["api.view_layouts.read"]);
        expect(await refusal(reader.saveDraft({ layoutId, body: draftBody }))).toMatchObject({ status: 403 });
      }),
    );

    it(
      "do not apply to a refusal: the same request may succeed later",
      inWorld(provider, async ({ service, newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const { draftVersionId } = await save(layoutId, { blocks: fieldBlocks("full_name") });
        const publish = (id: string) => service.publishLayout({ layoutId, body: { ...again, draftVersionId: id } });
        expect(await refusal(publish(draftVersionId))).toEqual(conflictOf("DRAFT_INVALID"));
        const fixed = await save(layoutId, intake);
        expect((await publish(fixed.draftVersionId)).versionId).toBe(fixed.draftVersionId);
      }),
    );

    it(
      "refuse a request of the wrong shape like any other",
      inWorld(provider, async ({ service, newLayout }) => {
        const { id: layoutId } = await newLayout();
        await service.saveDraft({ layoutId, body: draftBody });
        const body = { ...draftBody, regions: undefined } as never;
        expect(await refusal(service.saveDraft({ layoutId, body }))).toMatchObject({ status: 400 });
      }),
    );

    it(
      "end with the layout: if it is archived or deleted with its form, they are refused as missing",
      inWorld(provider, async ({ service, newLayout, newForm }) => {
        const { id: layoutId } = await newLayout();
        await service.saveDraft({ layoutId, body: draftBody });
        await service.archiveLayout({ layoutId });
        expect(await refusal(service.saveDraft({ layoutId, body: draftBody }))).toEqual(MISSING);

        const form = await newForm(["CREATE"]);
        const at = { layoutId: form.viewLayoutId, body: draftBody };
        await service.saveDraft(at);
        await service.deleteForm({ ...CANDIDATE, formId: form.id });
        expect(await refusal(service.saveDraft(at))).toEqual(MISSING);
      }),
    );

    it(
      "require an id: two creations without an id create two layouts",
      inWorld(provider, async ({ service }) => {
        const create = () => service.createLayout({ body: contractorPage });
        if (await isRequired(provider, "createLayout", "clientMutationId", create)) return;
        const first = await create();
        const second = await create();
        expect(second.id).not.toBe(first.id);
      }),
    );

    it(
      "end with the layout: a repeated creation after archiving creates a new layout",
      inWorld(provider, async ({ service, reader }) => {
        const create = () => service.createLayout({ body: { ...contractorPage, ...again } });
        if (await refusesMutationId("createLayout", create)) return;
        const first = await create();
        await service.archiveLayout({ layoutId: first.id });
        const second = await create();
        expect(second.id).not.toBe(first.id);
        expect(await create()).toEqual(second);
        expect((await reader.listLayouts({})).map(({ id }) => id)).toEqual([second.id]);
      }),
    );

    it(
      "execute concurrent equal requests once",
      inWorld(provider, async ({ service, newLayout }) => {
        const { id: layoutId } = await newLayout();
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => service.saveDraft({ layoutId, body: draftBody })),
        );
        expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
        expect(await service.listVersions({ layoutId })).toEqual([answers[0]!.draftVersion]);
      }),
    );
  });

  describe("a call with an idempotencyKey", () => {
    const body = { name: "Repeated", types: ["VIEW" as const] };
    const call = { idempotencyKey: "once" };
    const outcomeOf = (request: Promise<unknown>) =>
      request.then(
        () => "done",
        (error: ServiceError) => `${error.status} ${error.code}`,
      );
    const formsNamed = async (service: ContractService) =>
      (await service.listForms(CANDIDATE)).data.filter(({ name }) => name === "Repeated").map(({ id }) => id);

    it(
      "creates one form for repeated and concurrent calls, also for an administrator of the store",
      inWorld(provider, async ({ service, local }) => {
        const create = (by: ContractService) => by.createForm({ ...CANDIDATE, body }, call);
        const answers = await Promise.all(Array.from({ length: 6 }, () => create(service)));
        answers.push(await create(await local.service("northwind")));
        expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(await formsNamed(service)));
        expect(await formsNamed(service)).toHaveLength(provider.idempotencyKeys ? 1 : answers.length);
      }),
    );

    it(
      "reports whether a response is a replay",
      inWorld(provider, async ({ service, clock }) => {
        // The clock is real, because the client compares the header `date` with the creation time of a record.
        clock.now = new Date();
        const id = provider.accepts("createLayout", "clientMutationId") ? { clientMutationId: "card" } : {};
        const reported: string[] = [];
        for (const attempt of ["first", "second"]) {
          const onReplay = (isReplay: boolean) => reported.push(`${attempt} ${isReplay}`);
          await service.createForm({ ...CANDIDATE, body }, { ...call, onReplay });
          await service.createLayout(
            { body: { surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {}, name: "Card", ...id } },
            { isOnce: true, onReplay },
          );
        }
        // A server without idempotency keys does not report replays.
        const expected = ["first false", "first false", "second true", "second true"];
        expect(reported).toEqual(provider.idempotencyKeys ? expected : []);
      }),
    );

    it(
      "applies to one object: the same key on another object creates another form",
      inWorld(provider, async ({ service }) => {
        const first = await service.createForm({ ...CANDIDATE, body }, call);
        const other = await service.createForm({ moduleKey: "staffing", objectKey: "placement", body }, call);
        expect(other.id).not.toBe(first.id);
      }),
    );

    it(
      "is refused with another body",
      inWorld(provider, async ({ service }) => {
        await service.createForm({ ...CANDIDATE, body }, call);
        const other = service.createForm({ ...CANDIDATE, body: { ...body, types: ["EDIT"] } }, call);
        expect(await outcomeOf(other)).toBe(provider.idempotencyKeys ? "409 IDEMPOTENCY_CONFLICT" : "done");
        expect(await formsNamed(service)).toHaveLength(provider.idempotencyKeys ? 1 : 2);
      }),
    );

    it(
      "creates a new form after the first one was deleted",
      inWorld(provider, async ({ service }) => {
        const first = await service.createForm({ ...CANDIDATE, body }, call);
        await service.deleteForm({ ...CANDIDATE, formId: first.id });
        const second = await service.createForm({ ...CANDIDATE, body }, call);
        expect(second.id).not.toBe(first.id);
        expect(await formsNamed(service)).toEqual([second.id]);
      }),
    );

    it(
      "deletes once, and replays the first response",
      inWorld(provider, async ({ service }) => {
        const { id: formId } = await service.createForm({ ...CANDIDATE, body });
        await service.deleteForm({ ...CANDIDATE, formId }, call);
        const repeated = service.deleteForm({ ...CANDIDATE, formId }, call);
        expect(await outcomeOf(repeated)).toBe(provider.idempotencyKeys ? "done" : "404 NOT_FOUND");
        expect(await refusal(service.deleteForm({ ...CANDIDATE, formId }))).toEqual(MISSING);
      }),
    );
  });
}
