/** Promotions in a program, through the entry of the library. */

import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  diffTargets,
  type LocalService,
  openLocal,
  preparePromotion,
  promote,
  type Side,
  storeTarget,
} from "../../src/index.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { temporaryFolders } from "../temporary.ts";

const folder = temporaryFolders();
const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };

/** Opens two stores. The first store has a form with access for the first role. */
async function openSides(): Promise<{
  root: string;
  from: Side;
  to: Side;
  source: LocalService;
  close(): Promise<void>;
}> {
  const root = folder();
  const open = async (name: string) => {
    const store = join(root, `${name}.db`);
    const local = await openLocal(store, { create: true });
    await local.seed(contractOrganizations);
    return { local, side: { name, target: storeTarget({ local, store, organization: "northwind" }) } };
  };
  const [one, other] = [await open("one"), await open("other")];
  const service = await one.local.service("northwind");
  const [organization] = (await one.local.show("northwind")).organizations;
  const form = await service.createForm({
    ...CANDIDATE,
    body: { name: "Intake", types: ["CREATE"], config: { title: "A" } },
  });
  const roles = [{ roleId: organization!.roles[0]!.id, types: ["CREATE" as const] }];
  await service.replaceFormAccess({ ...CANDIDATE, formId: form.id, body: { users: [], roles } });
  const close = async () => {
    await one.local.close();
    await other.local.close();
  };
  return { root, from: one.side, to: other.side, source: one.local, close };
}

describe("the library", () => {
  let sides: Awaited<ReturnType<typeof openSides>>;
  beforeAll(async () => {
    sides = await openSides();
    return () => sides.close();
  });

  it("plans a promotion, carries it out, and compares the targets", async () => {
    const { root, from, to } = sides;
    const selection = { objects: [CANDIDATE] };
    const { project, unmapped } = await preparePromotion({ root, from, to, selection });
    expect(unmapped).toEqual([]);
    const { plan, rehearsal } = await project.plan({ rehearse: true });
    expect(plan.resources).toMatchObject([{ address: "staffing/candidate/Intake", action: "create" }]);
    expect(rehearsal).toMatchObject({ refusals: [] });

    const before = await diffTargets({ from, to, selection });
    expect(before).toMatchObject({ hasDifferences: true, differences: [{ state: "onlyInFrom" }] });
    expect(await promote({ root, from, to, selection })).toMatchObject({ outcome: "applied" });
    const after = await diffTargets({ from, to });
    expect(after).toMatchObject({ hasDifferences: false, differences: [{ state: "equal" }] });
  });

  it("refuses a kept path that is invalid", async () => {
    const { root, from, to } = sides;
    for (const path of ["name", "access.roles", "layout.blocks[help]", "config.", ""]) {
      const error = preparePromotion({ root, from, to, keep: { "*": [path] } });
      await expect(error).rejects.toMatchObject({
        code: "INVALID_VALUE",
        message: expect.stringContaining("must") as unknown,
      });
    }
    // The control: valid paths.
    const keep = { "*": ["config.title", "access", 'layout.blocks["a b"].config.url', "layout.regions[main].label"] };
    await preparePromotion({ root, from, to, keep });
  });
});
