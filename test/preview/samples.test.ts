/** The sample values of fields in VIEW. */

import { expect, it } from "vitest";
import { sampleOf } from "../../src/preview/page/samples.ts";

it.each([
  ["TEXT", "Full name", "full_name", "Ana Lima"],
  ["TEXT", "Project name", "project_name", "Sample project name"],
  ["TEXT", "City", "home_city", "Lisbon"],
  ["TEXT", "Ciudad", "home_city", "Lisbon"],
  ["TEXT", "PO number", "po_number", "A-1024"],
  ["TEXT", "VAT", "vat", "Sample VAT"],
  ["TEXT", "Client", "client_name", "Example Ltd"],
  ["REFERENCE", "Candidate", "candidate_id", "Sample candidate"],
  ["USER", "Reviewer", "reviewer", "Ana Lima"],
  ["DATE", "Starts", "start_date", "2026-03-02"],
  ["DATE", "Expires", "expires_on", "2027-03-01"],
  ["FILES", "Work permits", "permits", "work-permits.pdf, work-permits-2.pdf"],
  ["SELECT", "Level", "level", "Sample level"],
  ["constructor", "Rank", undefined, "Sample rank"],
])("the sample of a %s field with the label %s and the key %s is %s", (type, label, fieldKey, sample) => {
  expect(sampleOf({ type, label, fieldKey, options: [] })).toBe(sample);
});
