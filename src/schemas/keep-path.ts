/** Parses the paths of `promote.keep` in the project file: `config.title`, `access`, `layout.blocks[help].config.url`. */

/**
 * The paths on the target that a promotion does not change, by the address of a form or layout. In an address, `*`
 * matches any text.
 */
export type KeepRules = Readonly<Record<string, readonly string[]>>;

/**
 * A step of a path. `item` identifies an item in the list of the preceding step. It is the id of a block or script
 * binding, or the key of a region.
 */
export type KeepStep = { member: string } | { item: string };

/** The members that can only be kept as a whole. */
const WHOLE = ["access", "assignments", "defaultFor", "isActive", "isPublic"];
/** The members of which a part can be kept. */
const WITH_PARTS = ["config", "metadata", "layout"];
/** The lists of a layout whose items have an id or a key. */
const LISTS = new Set(["regions", "blocks", "children", "scriptBindings"]);

const TOKEN = /\.?([A-Za-z_$][\w$-]*)|\[(?:("(?:[^"\\]|\\.)*")|([^\]"]+))\]/gy;

/** @returns the steps of the path. For an invalid path, returns the problem as the end of a sentence */
export function parseKeepPath(text: string): { steps: KeepStep[] } | { problem: string } {
  const steps: KeepStep[] = [];
  let end = 0;
  let list: string | undefined;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    end = TOKEN.lastIndex;
    const [, plain, quoted, bare] = match;
    const name = plain ?? (quoted === undefined ? bare! : (JSON.parse(quoted) as string));
    const isItem = plain === undefined && list !== undefined;
    steps.push(isItem ? { item: name } : { member: name });
    list = !isItem && LISTS.has(name) ? name : undefined;
  }
  const [first] = steps;
  if (!first || !("member" in first) || end < text.length) {
    return { problem: "must be a path, such as config.title or layout.blocks[help].config.url" };
  }
  const { member } = first;
  if (![...WHOLE, ...WITH_PARTS].includes(member)) {
    return { problem: `must start with one of ${[...WITH_PARTS, ...WHOLE].join(", ")}` };
  }
  if (WHOLE.includes(member) && steps.length > 1) return { problem: `must name ${member} as a whole` };
  if (steps.length > 1 && (list !== undefined || "item" in steps.at(-1)!)) {
    return { problem: "must end with a member of an item, such as layout.blocks[help].config" };
  }
  return { steps };
}
