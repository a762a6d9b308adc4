import { describe, expect, it } from "vitest";
import { VersionedCache } from "../../src/base/versioned-cache.ts";

function open(maxSize = 10) {
  const data: { version: number | undefined } = { version: 1 };
  const cache = new VersionedCache<string>(() => data.version, maxSize);
  const get = (key: string) => {
    cache.refresh();
    return cache.get(key);
  };
  const set = (key: string, size = 1) => cache.set(key, `value of ${key}`, { asOf: cache.refresh(), size });
  return { data, cache, get, set };
}

describe("a versioned cache", () => {
  it("returns a value until the version changes", () => {
    const { data, get, set } = open();
    set("a");
    expect(get("a")).toBe("value of a");
    data.version = 2;
    expect(get("a")).toBeUndefined();
    data.version = 1;
    expect(get("a")).toBeUndefined();
  });

  it("does not keep a value whose computation began before a change", () => {
    const { data, cache, get } = open();
    const asOf = cache.refresh();
    data.version = 2;
    expect(get("a")).toBeUndefined();
    cache.set("a", "old", { asOf, size: 1 });
    expect(get("a")).toBeUndefined();
    const unseen = cache.refresh();
    data.version = 3;
    cache.set("a", "old", { asOf: unseen, size: 1 });
    expect(get("a")).toBeUndefined();
  });

  it("keeps nothing while the version is unknown", () => {
    const { data, get, set } = open();
    data.version = undefined;
    set("a");
    expect(get("a")).toBeUndefined();
  });

  it("removes the oldest values when it is full, and keeps no value that is larger than itself", () => {
    const { get, set } = open(3);
    for (const key of ["a", "b", "c", "d"]) set(key);
    expect(["a", "b", "c", "d"].map(get)).toEqual([undefined, "value of b", "value of c", "value of d"]);
    set("large", 4);
    expect(get("large")).toBeUndefined();
    set("b", 3);
    expect(["b", "c", "d"].map(get)).toEqual(["value of b", undefined, undefined]);
  });

  it("counts the size of a replaced value once", () => {
    const { get, set } = open(3);
    for (let times = 0; times < 10; times++) set("a");
    set("b", 2);
    expect(["a", "b"].map(get)).toEqual(["value of a", "value of b"]);
  });
});
