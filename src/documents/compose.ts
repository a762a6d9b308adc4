/** The parser's events as values, with every problem that stands between a text and a JSON value. */

import { EVENT_ID, getScalarValue, SCALAR_STYLE, type AliasEvent, type Event, type ScalarEvent } from "js-yaml";
import type { JsonObject } from "../schemas/json.ts";
import { formatPath } from "../schemas/path.ts";
import { firstOffsetOf, offsetOf } from "./events.ts";
import { type Read, readKey, readScalar } from "./nodes.ts";
import { MAX_ALIASES, MAX_DEPTH, MAX_EXPANDED, MAX_KEYS, MAX_PROBLEMS } from "./limits.ts";
import type { Position } from "./positions.ts";
import type { Problem } from "./invalid-document.ts";
import { keyOf, wordsOf } from "./words.ts";

/** A value and the index of the event that opened its document. */
export type ComposedDocument = { value: unknown; event: number };

type Anchor = { value: unknown; weight: number; height: number; complete: boolean };

type Frame = {
  /** Index of the event that opened it. */
  event: number;
  list: unknown[] | undefined;
  map: JsonObject | undefined;
  /** The key that waits for its value; undefined where a key was refused, and its value goes nowhere. */
  key: string | undefined;
  expectsKey: boolean;
  keys: number;
  /** Levels of containers inside. */
  height: number;
  anchor: Anchor | undefined;
  weightBefore: number;
};

const TOO_DEEP = `the file is nested more than ${MAX_DEPTH} levels deep`;

class TooManyProblems extends Error {}

/**
 * Builds the value of each document. An alias shares the value of its anchor, so values are to be read, not changed.
 * A document without any content is left out.
 */
export function compose(
  text: string,
  events: readonly Event[],
  position: (offset: number) => Position,
): { documents: ComposedDocument[]; problems: Problem[] } {
  const documents: ComposedDocument[] = [];
  const problems: Problem[] = [];
  const frames: Frame[] = [];
  /** Frames that are closed: a file has thousands of containers, and few are open at once. */
  const spare: Frame[] = [];
  let anchors = new Map<string, Anchor>();
  let aliases = 0;
  /** Values and characters so far, what aliases stand for included. */
  let weight = 0;
  const limitsTold = new Set<string>();
  const wordAt = wordsOf(text);
  /** What complaints are about, unless they say otherwise. Its offset is found out when there is one. */
  let current: Event | undefined;
  const currentOffset = () => (current ? Math.max(offsetOf(current), 0) : 0);

  function complain(code: Problem["code"], message: string, at = currentOffset(), key?: string): void {
    const steps = frames.flatMap((frame) => frame.list?.length ?? frame.key ?? []);
    const path = formatPath(key === undefined ? steps : [...steps, key]);
    problems.push({ code, message, offset: at, ...(path && { path }) });
    if (problems.length < MAX_PROBLEMS) return;
    problems.push({ code: "YAML_LIMIT", message: `has more problems than these ${MAX_PROBLEMS}`, offset: at });
    throw new TooManyProblems();
  }

  /** A limit that is passed once is passed by all that follows. */
  function complainOnce(message: string): void {
    if (limitsTold.has(message)) return;
    limitsTold.add(message);
    complain("YAML_LIMIT", message);
  }

  function open(index: number, list: unknown[] | undefined, map: JsonObject | undefined): Frame {
    const frame = spare.pop() ?? ({} as Frame);
    frame.event = index;
    frame.list = list;
    frame.map = map;
    frame.key = undefined;
    frame.expectsKey = map !== undefined;
    frame.keys = 0;
    frame.height = 1;
    frame.anchor = undefined;
    frame.weightBefore = weight++;
    frames.push(frame);
    return frame;
  }

  function openContainer(index: number, isMap: boolean): void {
    const event = events[index] as Event & { start: number; tagStart: number; tagEnd: number };
    current = event;
    if (event.tagStart >= 0) {
      const tag = text.slice(event.tagStart, event.tagEnd);
      if (tag !== (isMap ? "!!map" : "!!seq")) complainAboutTag(tag, event.tagStart);
    }
    if (frames.length > MAX_DEPTH) complainOnce(TOO_DEEP);
    const value = isMap ? {} : [];
    const anchor = keepAnchor(event, value, false);
    const frame = open(index, isMap ? undefined : (value as unknown[]), isMap ? value : undefined);
    frame.anchor = anchor;
  }

  function complainAboutTag(tag: string, at: number): void {
    complain("YAML_TAG", `the tag ${tag} is not read here. Remove it, or quote a value that begins with !`, at);
  }

  function keepAnchor(event: Event, value: unknown, complete: boolean): Anchor | undefined {
    if (!("anchorStart" in event) || event.anchorStart < 0) return undefined;
    const anchor = { value, weight: 0, height: 0, complete };
    anchors.set(text.slice(event.anchorStart, event.anchorEnd), anchor);
    return anchor;
  }

  function addScalar(event: ScalarEvent): void {
    const frame = frames[frames.length - 1]!;
    if (event.valueStart >= 0) current = event;
    const size = event.valueEnd - event.valueStart + 1;
    weight += size;
    const isKey = frame.expectsKey;
    const read = isKey ? readAsKey(event) : readAsValue(event);
    const value = read.problem ? undefined : read.value;
    if (read.problem) {
      const { code, message } = read.problem;
      // A refused key is named by its parent's path: it has none of its own.
      if (isKey) frame.key = undefined;
      complain(code, message, event.tagStart >= 0 && code === "YAML_TAG" ? event.tagStart : currentOffset());
    }
    const anchor = keepAnchor(event, value, true);
    if (anchor) anchor.weight = size;
    if (isKey) addKey(frame, read.problem ? undefined : (value as string));
    else addValue(frame, value);
  }

  function readAsKey(event: ScalarEvent): Read<string> {
    const word = wordAt(event);
    return word ? keyOf(word, text, event) : readKey(text, event, getScalarValue(text, event));
  }

  function readAsValue(event: ScalarEvent): Read<unknown> {
    return wordAt(event)?.scalar ?? readScalar(text, event, getScalarValue(text, event));
  }

  function addKey(frame: Frame, key: string | undefined): void {
    frame.expectsKey = false;
    frame.key = undefined;
    if (key === undefined || ++frame.keys > MAX_KEYS + 1) return;
    if (frame.keys > MAX_KEYS) {
      complain("YAML_LIMIT", `has more than ${MAX_KEYS} keys`);
    } else if (Object.hasOwn(frame.map!, key)) {
      const { line } = position(firstOffsetOf(text, events, frame.event, key));
      complain(
        "YAML_DUPLICATE_KEY",
        `${JSON.stringify(key)} is already a key of this mapping, in line ${line}`,
        currentOffset(),
        key,
      );
    } else {
      frame.key = key;
    }
  }

  function addValue(frame: Frame, value: unknown): void {
    if (frame.list) frame.list.push(value);
    else if (!frame.map) documents.push({ value, event: frame.event });
    else if (frame.expectsKey) {
      complain("YAML_KEY", "a key must be text. Quote it; `{{ … }}` without quotes is read as a mapping too");
      frame.expectsKey = false;
    } else {
      if (frame.key !== undefined) frame.map[frame.key] = value;
      frame.key = undefined;
      frame.expectsKey = true;
    }
  }

  function addAlias(event: AliasEvent): void {
    const frame = frames[frames.length - 1]!;
    current = event;
    const name = text.slice(event.anchorStart, event.anchorEnd);
    const anchor = anchors.get(name);
    aliases++;
    let value: unknown;
    if (!anchor)
      complain("YAML_ALIAS", `there is no anchor &${name} before this alias. Quote a value that begins with *`);
    else if (!anchor.complete) complain("YAML_ALIAS", `*${name} stands inside its own anchor, so it has no end`);
    else if (aliases > MAX_ALIASES) complainOnce(`a file may hold ${MAX_ALIASES} aliases at most`);
    else if (weight + anchor.weight > MAX_EXPANDED) complainOnce("the aliases of this file expand to too much text");
    else if (frames.length - 1 + anchor.height > MAX_DEPTH) complainOnce(TOO_DEEP);
    else {
      value = anchor.value;
      weight += anchor.weight;
      frame.height = Math.max(frame.height, anchor.height + 1);
    }
    if (frame.expectsKey && (value === undefined || typeof value === "string")) addKey(frame, value);
    else addValue(frame, value);
  }

  function close(): void {
    const frame = frames.pop()!;
    const parent = frames[frames.length - 1];
    if (!parent) return;
    current = events[frame.event]!;
    if (frame.height >= parent.height) parent.height = frame.height + 1;
    if (frame.anchor) {
      frame.anchor.complete = true;
      frame.anchor.height = frame.height;
      frame.anchor.weight = weight - frame.weightBefore;
    }
    addValue(parent, frame.list ?? frame.map);
    spare.push(frame);
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
        return close();
      case EVENT_ID.ALIAS:
        return addAlias(event);
      case EVENT_ID.DOCUMENT: {
        anchors = new Map();
        open(index, undefined, undefined);
        if (event.directives.some(({ kind }) => kind === "tag")) {
          complain(
            "YAML_TAG",
            "tags are not declared here. Remove the %TAG line",
            Math.max(text.indexOf("%TAG", currentOffset()), 0),
          );
        }
      }
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

/** Whether a document is opened here that says nothing, as between two `---`. */
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
