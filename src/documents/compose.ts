/** Builds JSON values from the events of the YAML parser. Collects every problem of the values. */

import {
  EVENT_ID,
  SCALAR_STYLE,
  type AliasEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
import type { JsonObject } from "../schemas/json.ts";
import { formatPath } from "../schemas/path.ts";
import { MAX_ALIASES, MAX_DEPTH, MAX_EXPANDED, MAX_KEYS, MAX_PROBLEMS } from "./decode.ts";
import { keyOffset, offsetOf, TOO_DEEP } from "./events.ts";
import type { Position, Problem } from "./problems.ts";
import { readKey, readValue, unsupportedTag } from "./scalars.ts";

/** A value and the index of the event that opened its document. */
export type ComposedDocument = { value: unknown; event: number };

/**
 * A document, list or mapping whose last event is not read yet. A document contains exactly one value, so it has
 * neither `list` nor `map`.
 */
type Frame = {
  /** The index of the event that opened this container. */
  event: number;
  list: unknown[] | undefined;
  map: JsonObject | undefined;
  /** The key of the next value. Undefined after an invalid key: the next value is dropped. */
  key: string | undefined;
  expectsKey: boolean;
  keys: number;
  /** The number of nested levels read so far, counting this container as 1. */
  height: number;
  anchor: Anchor | undefined;
  weightBefore: number;
};

/**
 * A value with an anchor. An alias of the anchor adds `weight` to the expanded size of the file. An alias also nests
 * `height` levels deep. The size and the depth have a limit. `complete` is false until the last event of the value is
 * read. An alias that is found earlier is inside its own anchor.
 */
type Anchor = { value: unknown; weight: number; height: number; complete: boolean };

class TooManyProblems extends Error {}

/**
 * Returns the value of each document, and all problems. Documents without content are left out. An alias shares the
 * value of its anchor, so callers must not change values.
 */
export function compose(
  text: string,
  events: readonly Event[],
  position: (offset: number) => Position,
): { documents: ComposedDocument[]; problems: Problem[] } {
  const documents: ComposedDocument[] = [];
  const problems: Problem[] = [];
  const reportedLimits = new Set<string>();
  const stack: Frame[] = [];
  let anchors = new Map<string, Anchor>();
  let aliases = 0;
  /** The number of values and characters read so far, with aliases expanded. */
  let weight = 0;
  /** The event whose position a problem gets by default. */
  let current: Event | undefined;
  const currentOffset = () => (current ? Math.max(offsetOf(current), 0) : 0);

  function report(code: Problem["code"], message: string, offset = currentOffset(), key?: string): void {
    const steps = stack.flatMap((frame) => frame.list?.length ?? frame.key ?? []);
    const path = formatPath(key === undefined ? steps : [...steps, key]);
    problems.push({ code, message, offset, ...(path && { path }) });
    if (problems.length < MAX_PROBLEMS) return;
    const rest = `has more than ${MAX_PROBLEMS} problems. Correct these and check again`;
    problems.push({ code: "YAML_LIMIT", message: rest, offset });
    throw new TooManyProblems();
  }

  /** Reports each exceeded limit only once. Many later values may exceed the same limit. */
  function reportLimit(message: string): void {
    if (reportedLimits.has(message)) return;
    reportedLimits.add(message);
    report("YAML_LIMIT", message);
  }

  function open(event: number, list: unknown[] | undefined, map: JsonObject | undefined): Frame {
    const frame: Frame = {
      event,
      list,
      map,
      key: undefined,
      expectsKey: map !== undefined,
      keys: 0,
      height: 1,
      anchor: undefined,
      weightBefore: weight++,
    };
    stack.push(frame);
    return frame;
  }

  function openDocument(index: number, hasTagDirective: boolean): void {
    anchors = new Map();
    open(index, undefined, undefined);
    if (!hasTagDirective) return;
    const offset = Math.max(text.indexOf("%TAG", currentOffset()), 0);
    report("YAML_TAG", "%TAG directives are not supported. Remove the line", offset);
  }

  function openContainer(index: number, isMap: boolean): void {
    const event = events[index] as MappingEvent | SequenceEvent;
    current = event;
    if (event.tagStart >= 0) {
      const tag = text.slice(event.tagStart, event.tagEnd);
      if (tag !== (isMap ? "!!map" : "!!seq")) report("YAML_TAG", unsupportedTag(tag), event.tagStart);
    }
    if (stack.length > MAX_DEPTH) reportLimit(TOO_DEEP);
    const list = isMap ? undefined : [];
    const map = isMap ? {} : undefined;
    const anchor = event.anchorStart < 0 ? undefined : addAnchor(event, list ?? map, false);
    open(index, list, map).anchor = anchor;
  }

  function closeContainer(): void {
    const frame = stack.pop()!;
    const parent = stack[stack.length - 1];
    if (!parent) return;
    current = events[frame.event]!;
    if (frame.height >= parent.height) parent.height = frame.height + 1;
    if (frame.anchor)
      Object.assign(frame.anchor, { complete: true, height: frame.height, weight: weight - frame.weightBefore });
    addValue(parent, frame.list ?? frame.map);
  }

  function addScalar(event: ScalarEvent): void {
    const frame = stack[stack.length - 1]!;
    if (event.valueStart >= 0) current = event;
    const size = event.valueEnd - event.valueStart + 1;
    weight += size;
    const isKey = frame.expectsKey;
    const read = isKey ? readKey(text, event) : readValue(text, event);
    const value = read.problem ? undefined : read.value;
    if (read.problem) {
      const { code, message } = read.problem;
      // A refused key is not part of a path. Therefore the path of the problem is the path of the mapping.
      if (isKey) frame.key = undefined;
      report(code, message, event.tagStart >= 0 && code === "YAML_TAG" ? event.tagStart : currentOffset());
    }
    if (event.anchorStart >= 0) addAnchor(event, value, true).weight = size;
    if (isKey) addKey(frame, read.problem ? undefined : (value as string));
    else addValue(frame, value);
  }

  function addKey(frame: Frame, key: string | undefined): void {
    frame.expectsKey = false;
    frame.key = undefined;
    if (key === undefined || ++frame.keys > MAX_KEYS + 1) return;
    if (frame.keys > MAX_KEYS) {
      report("YAML_LIMIT", `has more than ${MAX_KEYS} keys`);
    } else if (Object.hasOwn(frame.map!, key)) {
      const { line } = position(keyOffset(text, events, frame.event, key));
      const message = `duplicate key ${JSON.stringify(key)}: the first one is in line ${line}`;
      report("YAML_DUPLICATE_KEY", message, currentOffset(), key);
    } else {
      frame.key = key;
    }
  }

  function addValue(frame: Frame, value: unknown): void {
    if (frame.list) frame.list.push(value);
    else if (!frame.map) documents.push({ value, event: frame.event });
    else if (frame.expectsKey) {
      report("YAML_KEY", "a key must be text. Quote it, as an unquoted `{{ … }}` is a mapping too");
      frame.expectsKey = false;
    } else {
      if (frame.key !== undefined) frame.map[frame.key] = value;
      frame.key = undefined;
      frame.expectsKey = true;
    }
  }

  function addAnchor(event: { anchorStart: number; anchorEnd: number }, value: unknown, complete: boolean): Anchor {
    const anchor = { value, weight: 0, height: 0, complete };
    anchors.set(text.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  function addAlias(event: AliasEvent): void {
    const frame = stack[stack.length - 1]!;
    current = event;
    const anchor = resolveAlias(text.slice(event.anchorStart, event.anchorEnd));
    if (anchor) {
      weight += anchor.weight;
      frame.height = Math.max(frame.height, anchor.height + 1);
    }
    const value = anchor?.value;
    if (frame.expectsKey && (value === undefined || typeof value === "string")) addKey(frame, value);
    else addValue(frame, value);
  }

  /**
   * Returns the anchor of an alias. Reports a problem and returns undefined in these cases:
   * - The anchor is missing.
   * - The alias is inside its own anchor.
   * - The alias exceeds a limit.
   */
  function resolveAlias(name: string): Anchor | undefined {
    const anchor = anchors.get(name);
    aliases++;
    if (!anchor) report("YAML_ALIAS", `no anchor &${name} precedes this alias. Quote a value that begins with *`);
    else if (!anchor.complete) report("YAML_ALIAS", `*${name} is inside of its own anchor`);
    else if (aliases > MAX_ALIASES) reportLimit(`the file has more than ${MAX_ALIASES} aliases`);
    else if (weight + anchor.weight > MAX_EXPANDED) reportLimit("the aliases of the file expand to too much text");
    else if (stack.length - 1 + anchor.height > MAX_DEPTH) reportLimit(TOO_DEEP);
    else return anchor;
    return undefined;
  }

  function take(index: number): void {
    const event = events[index]!;
    switch (event.type) {
      case EVENT_ID.SCALAR:
        return addScalar(event);
      case EVENT_ID.MAPPING:
        return openContainer(index, true);
      case EVENT_ID.SEQUENCE:
        return openContainer(index, false);
      case EVENT_ID.POP:
        return closeContainer();
      case EVENT_ID.ALIAS:
        return addAlias(event);
      case EVENT_ID.DOCUMENT:
        return openDocument(
          index,
          event.directives.some(({ kind }) => kind === "tag"),
        );
    }
  }

  try {
    for (let index = 0; index < events.length; index++) {
      if (isEmptyDocument(events, index)) index += 2;
      else take(index);
    }
  } catch (error) {
    if (!(error instanceof TooManyProblems)) throw error;
  }
  return { documents, problems };
}

/** Whether the event at `index` opens a document without content, such as the text between two `---`. */
function isEmptyDocument(events: readonly Event[], index: number): boolean {
  if (events[index]!.type !== EVENT_ID.DOCUMENT) return false;
  const content = events[index + 1];
  return (
    content?.type === EVENT_ID.SCALAR &&
    content.style === SCALAR_STYLE.PLAIN &&
    content.valueStart < 0 &&
    content.tagStart < 0
  );
}
