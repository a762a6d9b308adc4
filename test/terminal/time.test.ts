import { describe, expect, it } from "vitest";
import { formatTime, recordTime, relativeTime } from "../../src/terminal/time.ts";

const now = new Date("2026-11-22T10:00:00Z");

describe("formatTime", () => {
  it.each([
    ["2026-11-21T09:30:00.123Z", "2026-11-21T09:30:00Z"],
    ["2026-11-21T09:30:00Z", "2026-11-21T09:30:00Z"],
    ["yesterday\u0007", "yesterday\\u0007"],
    [null, ""],
    [undefined, ""],
  ])("of %j is %j", (moment, shown) => {
    expect(formatTime(moment)).toBe(shown);
  });
});

describe("relativeTime", () => {
  it.each([
    ["2026-11-22T10:00:00Z", "now"],
    ["2026-11-22T09:59:59Z", "1 second ago"],
    ["2026-11-22T09:58:00.500Z", "1 minute ago"],
    ["2026-11-22T07:59:00Z", "2 hours ago"],
    ["2026-11-21T10:00:00Z", "1 day ago"],
    ["2026-10-01T10:00:00Z", "1 month ago"],
    ["2024-11-01T10:00:00Z", "2 years ago"],
    ["2027-02-20T10:00:00Z", "in 3 months"],
    ["2026-11-25T12:00:00+02:00", "in 3 days"],
    ["2026-11-22", "today"],
    ["2026-11-19", "3 days ago"],
    ["never", "never"],
    ["2026-99-99T99:00\u0007", "2026-99-99T99:00\\u0007"],
  ])("of %j is %j", (moment, shown) => {
    expect(relativeTime(moment, now)).toBe(shown);
  });
});

describe("recordTime", () => {
  it("adds the relative time on a terminal", () => {
    expect(recordTime("2026-11-19T09:30:00.123Z", { now })).toBe("2026-11-19T09:30:00Z (3 days ago)");
    expect(recordTime("2026-11-19T09:30:00.123Z", {})).toBe("2026-11-19T09:30:00Z");
    expect(recordTime("soon", { now })).toBe("soon");
    expect(recordTime(null, { now })).toBe("");
  });
});
