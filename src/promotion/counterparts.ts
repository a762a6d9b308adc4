/**
 * Finds the record of the target that corresponds to a record of the source. Texts are compared exactly, in Unicode
 * normalization form NFC: keys with keys, and names with names. A name in a project file may be either.
 */

import type { Named } from "../manifests/references.ts";

export type Counterpart =
  | { state: "found"; record: Named }
  /** No record of the target has the key, a name or the id. `similar` differ in case or encoding only. */
  | { state: "missing"; similar: readonly Named[] }
  /** Several records of the target may be meant. */
  | { state: "ambiguous"; records: readonly Named[] }
  /** Only the id is the same. The names of the two records are known, and differ. */
  | { state: "otherNames"; record: Named }
  /** The record of the target may also be the counterpart of other records of the source. */
  | { state: "shared"; record: Named; rivals: readonly Named[] };

/**
 * Returns a function that finds the counterpart of a record of the source. What is known of the record must lead to one
 * record. Otherwise the wrong role could get access, because users may give a role any name.
 */
export function openCounterparts(from: readonly Named[], to: readonly Named[]): (record: Named) => Counterpart {
  const [source, target] = [indexFacts(from), indexFacts(to)];
  return (record) => {
    const facts = target.factsOf(record);
    const sameId = target.ofId(record.id);
    const found = facts.map(({ records }) => records).filter(({ size }) => size > 0);
    if (sameId && (isUnnamed(record) || (found.length > 0 && areStored(record, sameId)))) found.push(new Set([sameId]));
    if (found.length === 0) {
      if (sameId) return { state: "otherNames", record: sameId };
      return { state: "missing", similar: unique(facts.flatMap(({ text }) => target.similarTo(text))) };
    }
    const [only, ...more] = [...found[0]!].filter((each) => found.every((set) => set.has(each)));
    if (!only || more.length > 0) {
      return { state: "ambiguous", records: only ? [only, ...more] : unique(found.flatMap((set) => [...set])) };
    }
    const back = source.factsOf(only);
    if (facts.every(({ records }) => records.has(only)) && back.every(({ records }) => records.has(record))) {
      return { state: "found", record: only };
    }
    // A part of what is known has no match. So another record that resembles this part may be meant.
    const unmatched = facts.filter(({ records }) => records.size === 0);
    const others = unique(unmatched.flatMap(({ text }) => target.similarTo(text))).filter((each) => each !== only);
    if (others.length > 0) return { state: "ambiguous", records: [only, ...others] };
    const rivals = unique(back.flatMap(({ records }) => [...records])).filter(({ id }) => id !== record.id);
    return rivals.length > 0 ? { state: "shared", record: only, rivals } : { state: "found", record: only };
  };
}

/** Describes a record in messages: `rol_1 (administrator, "Administrator")`. */
export function recordText({ id, key, names }: Named): string {
  const known = [...(key === undefined || key === id ? [] : [key]), ...names.map((name) => `"${name}"`)];
  return known.length > 0 ? `${id} (${known.join(", ")})` : id;
}

/** Whether nothing but the id is known. A binding or an object may have the key of its script or module as its id. */
function isUnnamed({ id, key, names }: Named): boolean {
  return key === undefined && names.every((name) => name === id);
}

/**
 * Whether both records are of stores, in which an id belongs to one record. On servers, the names in the project file
 * decide: unrelated servers may have the same ids.
 */
function areStored(...records: readonly Named[]): boolean {
  return records.every(({ key }) => key !== undefined);
}

/** A key or name, with the records of one side that have it. */
type Fact = { text: string; records: ReadonlySet<Named> };

type FactIndex = {
  factsOf(record: Named): Fact[];
  ofId(id: string): Named | undefined;
  /** Returns the records with a key or name that differs from the text in case, spaces or encoding only. */
  similarTo(text: string): Named[];
};

function indexFacts(all: readonly Named[]): FactIndex {
  const byId = new Map(all.map((record) => [record.id, record]));
  const [keys, names, folded] = [new Map(), new Map(), new Map()] as Map<string, Set<Named>>[];
  const add = (map: Map<string, Set<Named>>, text: string, record: Named) =>
    map.set(text, (map.get(text) ?? new Set()).add(record));
  for (const record of all) {
    for (const text of record.names) add(names!, exact(text), record);
    for (const text of record.key === undefined ? record.names : [record.key]) add(keys!, exact(text), record);
    for (const text of textsOf(record)) add(folded!, fold(text), record);
  }
  const none: ReadonlySet<Named> = new Set();
  const keyed = (text: string): ReadonlySet<Named> => keys!.get(exact(text)) ?? none;
  const named = (text: string): ReadonlySet<Named> => names!.get(exact(text)) ?? none;
  return {
    factsOf: (record) =>
      record.key === undefined
        ? record.names.map((text) => ({ text, records: new Set([...named(text), ...keyed(text)]) }))
        : [
            { text: record.key, records: keyed(record.key) },
            ...record.names.map((text) => ({ text, records: named(text) })),
          ],
    ofId: (id) => byId.get(id),
    similarTo: (text) => [...(folded!.get(fold(text)) ?? [])],
  };
}

function textsOf({ key, names }: Named): string[] {
  return key === undefined ? [...names] : [key, ...names];
}

function unique(records: readonly Named[]): Named[] {
  return [...new Set(records)];
}

function exact(text: string): string {
  return text.normalize("NFC");
}

/** The text by which similar texts are found. Similar texts are reported, and never count as equal. */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toLowerCase();
}
