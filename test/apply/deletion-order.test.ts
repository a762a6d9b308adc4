/** A deletion waits until every resource with the same fields is finished. */

import { expect, it } from "vitest";
import { deletionBlocker } from "../../src/apply/apply.ts";
import type { Phase, PlannedResource } from "../../src/plan/planned.ts";
import type { StagedField } from "../../src/schemas/draft.ts";
import { content, resource } from "./apply-scene.ts";

const OLD = "staffing/candidate/Old";
const failed = resource("staffing/candidate/New", "create", []);

/** A form whose draft stages this change. */
function staging(action: StagedField["action"], members: Partial<PlannedResource> = {}): PlannedResource {
  const stagedFieldDefinitions = [{ draftId: "d1", action, key: "notes" }] as StagedField[];
  const request = {
    operation: "saveDraft",
    content: { ...content("email"), stagedFieldDefinitions },
    replaces: null,
  } as const;
  return resource(OLD, "update", [{ phase: "loseFields", request }], members);
}

const placement = { object: { moduleKey: "staffing", objectKey: "placement" } };

it.each<[string, Phase, PlannedResource, boolean]>([
  ["blocks the deletion of a form", "delete", resource(OLD, "delete", []), true],
  ["allows the deletion of a form of another object", "delete", resource(OLD, "delete", [], placement), false],
  ["blocks the deletion of a field", "loseFields", staging("delete"), true],
  ["allows the deletion of a field of another object", "loseFields", staging("delete", placement), false],
  ["allows the creation of a field in the same phase", "loseFields", staging("create"), false],
  [
    "blocks the publication of an existing draft, which may delete a field",
    "loseFields",
    resource(OLD, "update", []),
    true,
  ],
  ["allows a draft in an earlier phase", "content", staging("delete"), false],
])("%s in the phase %s", (_, phase, planned, isBlocked) => {
  const reason = "nothing is deleted until staffing/candidate/New is finished";
  expect(deletionBlocker(planned, phase, [failed])).toBe(isBlocked ? reason : undefined);
  expect(deletionBlocker(planned, phase, [])).toBeUndefined();
});

it("does not block a resource because of itself", () => {
  const doomed = resource(OLD, "delete", []);
  expect(deletionBlocker(doomed, "delete", [doomed])).toBeUndefined();
});

it("blocks layouts that have the same fields: of an object, or of a surface and scope", () => {
  const layout = (surface: "CONTRACTOR" | "ORGANIZATION", scopeId?: string) => {
    const target = scopeId === undefined ? {} : { scopeId };
    const planned = staging("delete", { kind: "Layout" });
    const { object: _, ...rest } = planned;
    const subject = {
      kind: "Layout" as const,
      address: OLD,
      surface,
      target,
      name: "L",
      content: true,
      fields: [],
      isDefault: false,
    };
    return { ...rest, subject };
  };
  expect(deletionBlocker(layout("CONTRACTOR"), "loseFields", [layout("CONTRACTOR")])).toBeDefined();
  expect(deletionBlocker(layout("CONTRACTOR"), "loseFields", [layout("CONTRACTOR", "s1")])).toBeUndefined();
  expect(deletionBlocker(layout("CONTRACTOR"), "loseFields", [layout("ORGANIZATION")])).toBeUndefined();
});
