/**
 * What earlier plans have found in place, kept beside the manifests and out of the repository: a later plan asks only whether
 * the same version is still shown. Losing it costs time and nothing else.
 */

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isJsonObject } from "../../schemas/json.ts";
import { modesOf, shownVersion, surfaceOf } from "../current/in-place.ts";
import type { Current, InPlace } from "../state.ts";
import type { Wanted } from "../manifest.ts";
import { othersTurn } from "../others-turn.ts";
import { refuseLinks } from "../../disk/unfit-file.ts";
import { clearDrafts, writeWhole } from "../../disk/whole-file.ts";

type Entry = { key: string; version: string; content: string };

export type PlanCache = {
  /** What was in place when a manifest said the same as now, by address. */
  inPlace(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, InPlace>>;
  /** Keeps what has been found in place. Where nothing can be written, nothing is kept. */
  keep(wanted: readonly Wanted[], current: Current): Promise<void>;
};

/** @param folder where caches are @param place as in the lock */
export async function openPlanCache(folder: string, place: string): Promise<PlanCache> {
  const path = join(folder, `${hash(place).slice(0, 16)}.json`);
  const entries = await readEntries(path, place);
  /** Asked about when a plan begins, and again when it ends. */
  const keys = new WeakMap<Wanted, string>();
  const keyOf = (wanted: Wanted) => {
    const key = keys.get(wanted) ?? makeKey(wanted);
    keys.set(wanted, key);
    return key;
  };
  return {
    async inPlace(wanted) {
      const known = new Map<string, InPlace>();
      for (const each of entries.size === 0 ? [] : wanted) {
        const entry = entries.get(each.address);
        await othersTurn();
        if (!entry || entry.key !== keyOf(each)) continue;
        const { version, content } = entry;
        known.set(each.address, { version, draft: null, base: { content } });
      }
      return known;
    },
    async keep(wanted, { forms }) {
      const kept = new Map(entries);
      for (const each of wanted) {
        // What the manifest says now may be saved beside what it said before: going back to that is to be looked at.
        if (kept.has(each.address) && kept.get(each.address)!.key !== keyOf(each)) kept.delete(each.address);
        const state = forms.get(each.address);
        if (!state?.inPlace || shownVersion(state.form) !== state.inPlace.version) continue;
        const { version, draft, base } = state.inPlace;
        // A draft beside it is told each time, and the list does not show whether it is still there.
        if (draft !== null) kept.delete(each.address);
        else kept.set(each.address, { key: keyOf(each), version, content: base.content });
      }
      const text = textOf(place, kept);
      if (text !== textOf(place, entries)) await writeQuietly(path, text);
    },
  };
}

/** Whatever differs in it may be another content: what only looks different is read once more. */
function makeKey(wanted: Wanted): string {
  return hash(JSON.stringify([surfaceOf(wanted), modesOf(wanted), wanted.publish, wanted.content ?? null]));
}

function textOf(place: string, entries: ReadonlyMap<string, Entry>): string {
  return JSON.stringify({ version: 2, place, entries: Object.fromEntries(entries) });
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function readEntries(path: string, place: string): Promise<Map<string, Entry>> {
  try {
    await refuseLinks(path, home(path));
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isJsonObject(value) || value["version"] !== 2 || value["place"] !== place) return new Map();
    const { entries } = value;
    if (!isJsonObject(entries)) return new Map();
    return new Map(Object.entries(entries).filter((entry): entry is [string, Entry] => isEntry(entry[1])));
  } catch {
    return new Map();
  }
}

function isEntry(value: unknown): value is Entry {
  if (!isJsonObject(value)) return false;
  const { key, version, content } = value;
  return [key, version, content].every((text) => typeof text === "string");
}

/** The folder that caches are in is in one that a repository may bring along, too. */
function home(path: string): string {
  return dirname(dirname(path));
}

async function writeQuietly(path: string, text: string): Promise<void> {
  try {
    await refuseLinks(path, home(path));
    await writeWhole(path, text, 0o600);
    await clearDrafts(dirname(path));
    await writeFile(join(dirname(path), ".gitignore"), "*\n", { flag: "wx" });
  } catch {
    // A folder that can't be written has no cache.
  }
}
