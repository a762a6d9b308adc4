/** From a path in a document's value back to the text that says it. */

import { EVENT_ID, getScalarValue, type Event } from "js-yaml";
import { parsePath, type PathStep } from "../schemas/path.ts";
import { offsetOf } from "./events.ts";

/** Where a path leads: events by their index, -1 for none. `rest` counts the steps that lead nowhere. */
type Found = { key: number; value: number; rest: number };

type Children = Map<PathStep, { key: number; value: number }>;

/**
 * A function from a path to the offset of what it names, in the document that the event `document` opens. A value that
 * is written out is shown itself; a mapping or list under a key, and a value that is left out, are shown by their key.
 * A path that does not exist is shown by its nearest ancestor that does.
 */
export function locator(text: string, events: readonly Event[]): (document: number, path: string) => number {
  const { ends, targets } = survey(text, events);
  const known = new Map<number, Children>();

  function childrenOf(container: number): Children {
    let children = known.get(container);
    if (children) return children;
    children = new Map();
    const isMap = events[container]!.type === EVENT_ID.MAPPING;
    for (let index = container + 1; index < ends[container]! - 1;) {
      const key = index;
      if (isMap) index = ends[index]!;
      const step = isMap ? keyText(key) : children.size;
      // Of two equal keys the first is meant: the second one never became a member.
      if (step !== undefined && !children.has(step)) children.set(step, { key: isMap ? key : -1, value: index });
      index = ends[index]!;
    }
    known.set(container, children);
    return children;
  }

  function keyText(index: number): string | undefined {
    const event = events[targets.get(index) ?? index]!;
    return event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : undefined;
  }

  function find(document: number, steps: readonly PathStep[]): Found {
    let found: Found = { key: -1, value: document + 1, rest: steps.length };
    for (const step of steps) {
      const container = targets.get(found.value) ?? found.value;
      const { type } = events[container]!;
      if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) break;
      const child = childrenOf(container).get(type === EVENT_ID.MAPPING ? String(step) : step);
      if (!child) break;
      found = { ...child, rest: found.rest - 1 };
    }
    return found;
  }

  return (document, path) => {
    const { key, value, rest } = find(document, parsePath(path));
    const event = events[value]!;
    const ownOffset = contentOffset(text, event);
    const isScalar = event.type === EVENT_ID.SCALAR || event.type === EVENT_ID.ALIAS;
    if (key < 0 || (isScalar && rest === 0 && ownOffset >= 0)) return Math.max(ownOffset, 0);
    return Math.max(contentOffset(text, events[key]!), 0);
  };
}

/** Where the value of the document stands that the event `document` opens: what the empty path leads to. */
export function rootOffset(text: string, events: readonly Event[], document: number): number {
  return Math.max(contentOffset(text, events[document + 1]!), 0);
}

/** A block scalar begins with its indentation, which is not what anybody wants to be shown. */
function contentOffset(text: string, event: Event): number {
  let offset = offsetOf(event);
  while (offset >= 0 && text.charCodeAt(offset) === 32) offset++;
  return offset;
}

/** For each event the index after its last descendant, and for each alias the event that it stands for. */
function survey(text: string, events: readonly Event[]): { ends: Int32Array; targets: Map<number, number> } {
  const ends = new Int32Array(events.length);
  const targets = new Map<number, number>();
  const open: number[] = [];
  let anchors = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    ends[index] = index + 1;
    if (event.type === EVENT_ID.DOCUMENT) anchors = new Map();
    if (event.type === EVENT_ID.ALIAS) {
      const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
      if (target !== undefined) targets.set(index, target);
    } else if (event.type === EVENT_ID.POP) {
      ends[open.pop()!] = index + 1;
    } else {
      if (event.type !== EVENT_ID.SCALAR) open.push(index);
      if ("anchorStart" in event && event.anchorStart >= 0)
        anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
    }
  }
  return { ends, targets };
}
