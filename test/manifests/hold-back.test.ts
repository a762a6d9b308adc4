/** What is deleted waits for everything beside it. */

import { expect, it } from "vitest";
import { reasonToKeep } from "../../src/manifests/apply/hold-back.ts";
import type { Phase, PlannedResource } from "../../src/manifests/plan/planned.ts";
import type { StagedField } from "../../src/schemas/draft.ts";
import { content, resource } from "./apply-scene.ts";

const OLD = "staffing/candidate/Old";
const failed = resource("staffing/candidate/New", "create", []);

/** A form whose draft stages this. */
function losing(action: StagedField["action"], members: Partial<PlannedResource> = {}): PlannedResource {
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
  ["a form", "delete", resource(OLD, "delete", []), true],
  ["a form of another object", "delete", resource(OLD, "delete", [], placement), false],
  ["a field", "loseFields", losing("delete"), true],
  ["a field of another object", "loseFields", losing("delete", placement), false],
  ["no field, though it comes as late", "loseFields", losing("create"), false],
  ["what a draft stages that is there already", "loseFields", resource(OLD, "update", []), true],
  ["a field, before its time", "content", losing("delete"), false],
])("%s in the phase %s", (_, phase, planned, isKept) => {
  const reason = "nothing is deleted as long as staffing/candidate/New is not finished";
  expect(reasonToKeep(planned, phase, [failed])).toBe(isKept ? reason : undefined);
  expect(reasonToKeep(planned, phase, [])).toBeUndefined();
});

it("is not kept because of itself", () => {
  const doomed = resource(OLD, "delete", []);
  expect(reasonToKeep(doomed, "delete", [doomed])).toBeUndefined();
});

it("is kept with layouts that have the same fields: of an object, or of a surface and scope", () => {
  const layout = (surface: "CONTRACTOR" | "ORGANIZATION", scopeId?: string) => {
    const target = scopeId === undefined ? {} : { scopeId };
    const planned = losing("delete", { kind: "Layout" });
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
  expect(reasonToKeep(layout("CONTRACTOR"), "loseFields", [layout("CONTRACTOR")])).toBeDefined();
  expect(reasonToKeep(layout("CONTRACTOR"), "loseFields", [layout("CONTRACTOR", "s1")])).toBeUndefined();
  expect(reasonToKeep(layout("CONTRACTOR"), "loseFields", [layout("ORGANIZATION")])).toBeUndefined();
});
