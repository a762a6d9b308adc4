/** Which record of the target corresponds to a record of the source, and which records are refused as unclear. */

import { describe, expect, it } from "vitest";
import type { Named } from "../../src/manifests/references.ts";
import { openCounterparts, recordText } from "../../src/promotion/counterparts.ts";

/** A record of a store. */
const stored = (id: string, key: string, ...names: string[]): Named => ({ id, key, names });
/** A record that a project file names. */
const named = (id: string, ...names: string[]): Named => ({ id, names });

/** Returns the id of the counterpart, or the state and the ids of the records that are reported. */
function counterpart(record: Named, to: Named[], others: Named[] = []): string {
  const found = openCounterparts([record, ...others], to)(record);
  const ids = (records: readonly Named[]) => records.map(({ id }) => id).join(" ");
  if (found.state === "found") return found.record.id;
  if (found.state === "missing") return `missing ${ids(found.similar)}`.trim();
  if (found.state === "ambiguous") return `ambiguous ${ids(found.records)}`;
  return `${found.state} ${ids([found.record, ...("rivals" in found ? found.rivals : [])])}`;
}

describe("a counterpart is found", () => {
  it("by key, by name and by both", () => {
    const admin = stored("a", "admin", "Administrator");
    expect(counterpart(admin, [stored("1", "admin", "Administrator"), stored("2", "zzz", "Other")])).toBe("1");
    expect(counterpart(admin, [stored("1", "admin", "Chief")])).toBe("1");
    expect(counterpart(admin, [stored("1", "chief", "Administrator")])).toBe("1");
    expect(counterpart(admin, [stored("1", "admin", "Administrator"), stored("2", "zzz", "Administrator")])).toBe("1");
  });

  it("by a name of the project file, which may be a key or a name of a store", () => {
    expect(counterpart(named("a", "Administrator"), [stored("1", "admin", "Administrator")])).toBe("1");
    expect(counterpart(named("a", "admin"), [stored("1", "admin", "Administrator")])).toBe("1");
    expect(counterpart(stored("a", "admin", "Administrator"), [named("1", "admin")])).toBe("1");
    expect(counterpart(stored("a", "admin", "Administrator"), [named("1", "Administrator")])).toBe("1");
    expect(counterpart(named("a", "Admins"), [named("1", "Admins")])).toBe("1");
  });

  it("by the name in the project file, although another record has the same id", () => {
    expect(counterpart(named("a", "Admins"), [named("a", "Viewers"), named("b", "Admins")])).toBe("b");
  });

  it("by the id of a record without a name", () => {
    expect(counterpart(named("a"), [stored("a", "admin", "Administrator")])).toBe("a");
  });

  it("by a name with another encoding of accents", () => {
    const name = "B\u00fchne";
    expect(counterpart(named("a", name), [stored("1", "stage", name.normalize("NFD"))])).toBe("1");
  });
});

describe("a counterpart is not chosen", () => {
  it("if the key of one record resembles the name of another", () => {
    const roles = [stored("1", "administrator", "Administrator"), stored("2", "zzz", "Admin")];
    expect(counterpart(stored("a", "admin", "Administrator"), roles)).toBe("ambiguous 1 2");
    expect(counterpart(stored("a", "admin", "Administrator"), [stored("2", "zzz", "Admin")])).toBe("missing 2");
  });

  it("if key and name lead to different records, or a name leads to several", () => {
    const admin = stored("a", "admin", "Administrator");
    expect(counterpart(admin, [stored("1", "admin", "Other"), stored("2", "zzz", "Administrator")])).toBe(
      "ambiguous 1 2",
    );
    expect(counterpart(admin, [stored("1", "x", "Administrator"), stored("2", "y", "Administrator")])).toBe(
      "ambiguous 1 2",
    );
    expect(counterpart(named("a", "admin"), [stored("1", "admin", "x"), stored("2", "y", "admin")])).toBe(
      "ambiguous 2 1",
    );
  });

  it("if two stores have the id and the names in different records", () => {
    expect(counterpart(stored("a", "admin", "A"), [stored("a", "viewer", "V"), stored("b", "admin", "A")])).toBe(
      "ambiguous b a",
    );
  });

  it("if only the id is the same, and the names are known", () => {
    expect(counterpart(named("a", "Admins"), [named("a", "Viewers")])).toBe("otherNames a");
    expect(counterpart(stored("a", "admin", "A"), [stored("a", "viewer", "V")])).toBe("otherNames a");
  });

  it.each(["admin", "ADMIN", "Admin ", "\uff21dmin", "Ad\u200bmin"])("if the name %j only resembles Admin", (name) => {
    expect(counterpart(named("a", "Admin"), [named("1", name)])).toBe("missing 1");
  });

  it("if another record of the source has a better claim to it", () => {
    const admin = stored("a", "admin", "Administrator");
    const temporary = stored("b", "temp", "Administrator");
    const roles = [stored("1", "admin", "Administrator")];
    expect(counterpart(temporary, roles, [admin])).toBe("shared 1 a");
    expect(counterpart(admin, roles, [temporary])).toBe("1");
  });
});

it("describes a record by its id, key and names", () => {
  expect(recordText(stored("rol_1", "admin", "Administrator"))).toBe('rol_1 (admin, "Administrator")');
  expect(recordText(named("rol_1", "A", "B"))).toBe('rol_1 ("A", "B")');
  expect(recordText(stored("staffing", "staffing"))).toBe("staffing");
});
