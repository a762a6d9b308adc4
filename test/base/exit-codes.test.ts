/**
 * The exit code of every refusal. It depends first on the HTTP status, and then on the code and members of the error.
 */

import { describe, expect, it } from "vitest";
import { refusal } from "../../src/client/error-answer.ts";
import { describeFailure } from "../../src/composition/exit.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import { localRefusal } from "../../src/service.ts";

const invalid = { state: "invalid", errors: [{ code: "X", message: "wrong" }], warnings: [] };
const stateless = { errors: [{ message: "wrong" }] };
const valid = { state: "valid", errors: [], warnings: [] };
const warned = { state: "valid_with_warnings", errors: [], warnings: [{ message: "odd" }] };
const impacts = [{ draftId: "d_1", fieldKey: "pay", action: "delete" }];

const NO_HEADERS = { get: () => null, all: {} };

function exitCode(status: number, error: JsonObject): number {
  const body = { kind: "json" as const, value: { error: { message: "no", ...error } } };
  return describeFailure(refusal({ status, headers: NO_HEADERS, body })).exitCode;
}

describe("the exit code of a refusal", () => {
  it.each<[status: number, error: JsonObject, exitCode: number]>([
    [400, {}, 3],
    [400, { code: "DRAFT_STALE" }, 3],
    [400, { code: "FIELD_CHANGES_UNCONFIRMED" }, 3],
    [400, { code: "NOT_FOUND" }, 5],
    [401, {}, 4],
    [401, { code: "NOT_FOUND" }, 4],
    [401, { code: "DRAFT_INVALID", validation: invalid }, 4],
    [403, {}, 4],
    [403, { code: "FIELD_CHANGES_UNCONFIRMED", impacts }, 4],
    [404, {}, 5],
    [404, { code: "DRAFT_INVALID" }, 5],
    [405, {}, 1],
    [405, { code: "NOT_FOUND" }, 5],
    [408, {}, 1],
    [409, {}, 6],
    [409, { code: "NOT_FOUND" }, 6],
    [409, { code: "FORM_IS_DEFAULT" }, 6],
    [409, { code: "DRAFT_STALE" }, 6],
    [409, { code: "DRAFT_INVALID" }, 3],
    [409, { code: "DRAFT_INVALID", validation: invalid }, 3],
    [409, { code: "SOMETHING_ELSE", validation: invalid }, 3],
    [409, { validation: stateless }, 3],
    [409, { validation: { state: "invalid" } }, 3],
    [409, { validation: "invalid" }, 3],
    [409, { validation: [{ message: "wrong" }] }, 3],
    [409, { validation: valid }, 6],
    [409, { validation: warned }, 6],
    [409, { validation: 7 }, 6],
    [409, { validation: {} }, 6],
    [409, { code: "FIELD_CHANGES_UNCONFIRMED" }, 8],
    [409, { code: "FIELD_CHANGES_UNCONFIRMED", impacts }, 8],
    [409, { code: "FIELD_CHANGES_UNCONFIRMED", impacts, validation: invalid }, 3],
    [409, { code: "OTHER", impacts }, 6],
    [412, {}, 6],
    [412, { code: "DRAFT_INVALID" }, 6],
    [412, { code: "FIELD_CHANGES_UNCONFIRMED" }, 6],
    [413, {}, 1],
    [414, {}, 1],
    [415, {}, 1],
    [422, {}, 3],
    [422, { code: "NOT_FOUND" }, 5],
    [429, {}, 7],
    [429, { code: "NOT_FOUND" }, 7],
    [429, { code: "FIELD_CHANGES_UNCONFIRMED" }, 7],
    [500, {}, 7],
    [500, { code: "DRAFT_INVALID", validation: invalid }, 7],
    [500, { code: "NOT_FOUND" }, 7],
    [501, {}, 7],
    [503, { code: "FIELD_CHANGES_UNCONFIRMED" }, 7],
    [400, { meta: { partiallyApplied: true } }, 9],
    [409, { meta: { partiallyApplied: true }, validation: invalid }, 9],
    [500, { code: "DRAFT_INVALID", meta: { partiallyApplied: true } }, 9],
    [409, { meta: { partiallyApplied: false } }, 6],
    [409, { meta: { partiallyApplied: "yes" } }, 6],
  ])("of %i with %j is %i", (status, error, expected) => {
    expect(exitCode(status, error)).toBe(expected);
  });

  it("is 8 under any code for a publish that waits for a confirmation", () => {
    const body = { kind: "json" as const, value: { error: { code: "OTHER", message: "no", impacts } } };
    const refused = refusal({ status: 409, headers: NO_HEADERS, body });
    expect(describeFailure(refused.reworded({ needsConfirmation: true })).exitCode).toBe(8);
  });

  it("is that of the status where formctl refuses without a request", () => {
    expect(describeFailure(localRefusal(404, "NOT_FOUND", "no")).exitCode).toBe(5);
    expect(describeFailure(localRefusal(409, "FORM_IS_DEFAULT", "no")).exitCode).toBe(6);
  });
});
