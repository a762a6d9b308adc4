/** How a likely rename is told, so that what is said can be done as it stands, also where it is said of several. */

import type { Located } from "../../schemas/diagnostic.ts";
import type { LikelyRename } from "./renames.ts";

/** What to do about it, for the manifest. Whoever does it for each manifest that says so gives no name away twice. */
export function renameNote({ wanted, from, alike }: LikelyRename): string {
  const names = [...new Set(from.map(({ name }) => JSON.stringify(name)))];
  const twin = from.find(({ isTwin }) => isTwin);
  const first = twin ? `. More than one is called ${JSON.stringify(twin.name)} there: rename the others first` : "";
  const others = alike === 2 ? "does another manifest" : `do ${alike - 1} other manifests`;
  const shared = alike > 1 ? `. So ${others}, and each can be renamed once` : "";
  const likely = `looks like a rename of ${oneOf(names)}, which no manifest describes any more${shared}${first}`;
  const { kind, name, address, formerAddress } = wanted;
  const another = `another ${kind.toLowerCase()} is made`;
  const isClear = names.length === 1 && alike === 1;
  if (formerAddress === undefined) {
    const way = isClear ? `Add renamedFrom: ${names[0]}` : "Add renamedFrom with the name that this one had";
    return `${likely}. ${way}, or ${another}`;
  }
  const former = JSON.stringify(formerAddress.slice(address.length - name.length));
  const way = isClear ? `say ${names[0]} for this place` : "say the name that this one has in this place";
  return `${likely}. renamedFrom says ${former}, which is not there: ${way}, or ${another}`;
}

/** The same as a warning at its line. */
export function renameWarning(rename: LikelyRename): Located {
  const path = rename.wanted.formerAddress === undefined ? "name" : "renamedFrom";
  return rename.wanted.locate({ severity: "warning", code: "RENAME_LIKELY", message: renameNote(rename), path });
}

/** By the id of a form, what its deletion may really be: whoever consents to it reads this first. */
export function deletedRenames(renames: ReadonlyMap<string, LikelyRename>): Map<string, string> {
  const likely = [...renames.values()].flatMap((rename) => rename.from.map((former) => ({ former, rename })));
  const words = Map.groupBy(likely, ({ former }) => former);
  return new Map(
    [...words].map(([{ id, name }, all]) => {
      const places = all.map(({ rename }) => targetText(rename));
      return [id, `it looks like ${oneOf(places)}, and renamedFrom: ${JSON.stringify(name)} there would keep it`];
    }),
  );
}

function targetText(rename: LikelyRename): string {
  const { file, line } = renameWarning(rename);
  return `what ${file}:${line} calls ${JSON.stringify(rename.wanted.name)} now`;
}

function oneOf(words: readonly string[]): string {
  const more = words.length > MAX_NAMED ? [`one of ${words.length - MAX_NAMED} more`] : [];
  return [...words.slice(0, MAX_NAMED), ...more].join(" or ");
}

const MAX_NAMED = 3;
