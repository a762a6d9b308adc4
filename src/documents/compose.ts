/** The parser's events as values, with every problem that stands between a text and a JSON value. */

import {
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type AliasEvent,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
import { openAnchors, TOO_DEEP } from "./anchors.ts";
import { problemsWhile, TooManyProblems } from "./composing-problems.ts";
import { firstOffsetOf, offsetOf } from "./events.ts";
import { type Frame, openFrames } from "./frames.ts";
import type { Problem } from "./invalid-document.ts";
import { MAX_DEPTH, MAX_KEYS } from "./limits.ts";
import { type Read, readKey, readScalar } from "./nodes.ts";
import type { Position } from "./positions.ts";
import { keyOf, wordsOf } from "./words.ts";

/** A value and the index of the event that opened its document. */
export type ComposedDocument = { value: unknown; event: number };

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
  const { stack, open, close } = openFrames();
  const anchors = openAnchors(text);
  /** What complaints are about, unless they say otherwise. */
  let current: Event | undefined;
  const currentOffset = () => (current ? Math.max(offsetOf(current), 0) : 0);
  const { all: problems, complain, complainOnce } = problemsWhile(stack, currentOffset);
  /** Values and characters so far, what aliases stand for included. */
  let weight = 0;
  const wordAt = wordsOf(text);

  function openDocument(index: number, isTagged: boolean): void {
    anchors.forget();
    open(index, undefined, undefined, weight++);
    if (!isTagged) return;
    const at = Math.max(text.indexOf("%TAG", currentOffset()), 0);
    complain("YAML_TAG", "tags are not declared here. Remove the %TAG line", at);
  }

  function openContainer(index: number, isMap: boolean): void {
    const event = events[index] as MappingEvent | SequenceEvent;
    current = event;
    if (event.tagStart >= 0) {
      const tag = text.slice(event.tagStart, event.tagEnd);
      if (tag !== (isMap ? "!!map" : "!!seq")) {
        const message = `the tag ${tag} is not read here. Remove it, or quote a value that begins with !`;
        complain("YAML_TAG", message, event.tagStart);
      }
    }
    if (stack.length > MAX_DEPTH) complainOnce(TOO_DEEP);
    const list = isMap ? undefined : [];
    const map = isMap ? {} : undefined;
    const anchor = event.anchorStart < 0 ? undefined : anchors.keep(event, list ?? map, false);
    open(index, list, map, weight++).anchor = anchor;
  }

  function addScalar(event: ScalarEvent): void {
    const frame = stack[stack.length - 1]!;
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
    if (event.anchorStart >= 0) anchors.keep(event, value, true).weight = size;
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
      const message = `${JSON.stringify(key)} is already a key of this mapping, in line ${line}`;
      complain("YAML_DUPLICATE_KEY", message, currentOffset(), key);
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
    const frame = stack[stack.length - 1]!;
    current = event;
    const found = anchors.find(event, stack.length - 1, weight);
    let value: unknown;
    if (!("problem" in found)) {
      value = found.value;
      weight += found.weight;
      frame.height = Math.max(frame.height, found.height + 1);
    } else if (found.isLimit) complainOnce(found.problem);
    else complain("YAML_ALIAS", found.problem);
    if (frame.expectsKey && (value === undefined || typeof value === "string")) addKey(frame, value);
    else addValue(frame, value);
  }

  function closeContainer(): void {
    const frame = close();
    const parent = stack[stack.length - 1];
    if (!parent) return;
    current = events[frame.event]!;
    if (frame.height >= parent.height) parent.height = frame.height + 1;
    if (frame.anchor)
      Object.assign(frame.anchor, { complete: true, height: frame.height, weight: weight - frame.weightBefore });
    addValue(parent, frame.list ?? frame.map);
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
