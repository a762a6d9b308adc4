import { describe, expect, it } from "vitest";
import type { Exported } from "../../src/export/exported.ts";
import { type FolderManifest, openManifests } from "../../src/export/folder.ts";
import type { LockedResource } from "../../src/state/lock.ts";

const manifest = (address: string, formerAddress?: string, kind = "Form") =>
  ({ manifest: { kind, address, formerAddress } }) as FolderManifest;
const form = (address: string, formId: string) => ({ kind: "Form", address, formId }) as Exported;
const layout = (address: string, layoutId: string) => ({ kind: "Layout", address, layoutId }) as Exported;
const lockOf = (ids: Record<string, LockedResource>) => ({ get: (address: string) => ids[address] });

describe("openManifests", () => {
  it("finds a manifest by its address, its former address, or the id in the lock, and returns it once", () => {
    const [a, b, c] = [manifest("a"), manifest("b", "old b"), manifest("c")] as const;
    const manifests = openManifests([a, b, c], lockOf({ c: { formId: "frm_c", base: {} } }));
    expect(manifests.take(form("a", "frm_a"))).toBe(a);
    expect(manifests.take(form("a", "frm_a"))).toBeUndefined();
    expect(manifests.take(form("old b", "frm_b"))).toBe(b);
    expect(manifests.take(form("b", "frm_b"))).toBeUndefined();
    expect([...manifests.left]).toEqual([c]);
    expect(manifests.take(form("renamed c", "frm_c"))).toBe(c);
    expect([...manifests.left]).toEqual([]);
  });

  it("distinguishes forms and layouts, and takes the address before the id", () => {
    const [one, other, page] = [manifest("a"), manifest("b"), manifest("a", undefined, "Layout")] as const;
    const locked = lockOf({ a: { layoutId: "lay", base: {} }, b: { formId: "frm", base: {} } });
    const manifests = openManifests([other, one, page], locked);
    expect(manifests.take(form("a", "frm"))).toBe(one);
    expect(manifests.take(form("z", "frm"))).toBe(other);
    expect(manifests.take(layout("z", "lay"))).toBe(page);
    expect(openManifests([manifest("a")], lockOf({})).take(form("b", "frm"))).toBeUndefined();
  });

  it("looks up each manifest in the lock once, however many resources are exported", () => {
    const addresses = Array.from({ length: 300 }, (_address, index) => `form ${index}`);
    let reads = 0;
    const lock = { get: () => void reads++ };
    const manifests = openManifests(
      addresses.map((address) => manifest(address)),
      lock,
    );
    for (const address of addresses.toReversed()) expect(manifests.take(form(address, "x"))).toBeDefined();
    expect(reads).toBe(300);
  });
});
