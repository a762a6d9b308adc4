/** Parses a YAML text to events. Finds the offset of an event, or of a path in the value. */

import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException, type Event } from "js-yaml";
import { parsePath, type PathStep } from "../schemas/path.ts";
import { MAX_DEPTH } from "./decode.ts";
import type { Problem } from "./problems.ts";

export const TOO_DEEP = `the file is nested more than ${MAX_DEPTH} levels deep`;

/** Parses `text`. Returns its events, or the first syntax error. */
export function readEvents(text: string): Event[] | Problem {
  try {
    // The parser may count two levels more than the nested containers, for example a level for a scalar. With 2 added,
    // MAX_DEPTH containers are accepted in every style. In some styles one container more is accepted. compose.ts
    // reports it with its path.
    return parseEvents(text, { maxDepth: MAX_DEPTH + 2 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const offset = error.mark?.position ?? 0;
    // Between brackets, a plain value ends before `{`: the parser reads `$`, and then a mapping without a comma.
    if (error.reason === MISSED_COMMA && text.startsWith("${", offset - 1))
      return { ...UNQUOTED_PLACEHOLDER, offset: offset - 1 };
    return { ...syntaxProblem(error.reason), offset };
  }
}

const MISSED_COMMA = "missed comma between flow collection entries";
const UNQUOTED_PLACEHOLDER = {
  code: "YAML_SYNTAX",
  message: 'a value that contains ${ must be quoted between { } or [ ]. Write "${NAME}"',
} as const;

function syntaxProblem(reason: string): Pick<Problem, "code" | "message"> {
  if (reason.startsWith("nesting exceeded")) return { code: "YAML_LIMIT", message: TOO_DEEP };
  if (reason.startsWith("null byte")) {
    return { code: "YAML_FORBIDDEN_TEXT", message: "the character U+0000 is not allowed" };
  }
  const nextStep = NEXT_STEPS[reason];
  return { code: "YAML_SYNTAX", message: nextStep ? `${reason}. ${nextStep}` : reason };
}

/** The next step for the user, by the parser's most common error messages. */
const NEXT_STEPS: Record<string, string> = {
  "tab characters must not be used in indentation": "Indent with spaces",
  "the stream contains non-printable characters": 'Write them as escapes between double quotes: "\\u0007"',
  "bad indentation of a mapping entry": "Align the key with the other keys, or quote a value that contains `: `",
  "unexpected end of the stream within a double quoted scalar": "Close the quotes",
  "unexpected end of the stream within a single quoted scalar": "Close the quotes",
  "unexpected end of the stream within a flow collection": "Close the bracket",
  [MISSED_COMMA]: "Add a comma, or quote a value that contains one of { } [ ]",
  "end of the stream or a document separator is expected":
    "Indent with spaces, not tabs, and align the keys of a mapping",
  "deficient indentation": "Close the bracket or quotes that are open above, or indent this line",
  "expected ':' after a mapping key": "Write each line of a mapping as `key: value`",
};

/** The offset of an event's first character. It is -1 for a value that the text omits, as in `key:`. */
export function offsetOf(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
        ? event.valueStart - 1
        : event.valueStart;
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start;
    default:
      return -1;
  }
}

/** The offset of the first `key` in the mapping that the event `map` opens. */
export function keyOffset(text: string, events: readonly Event[], map: number, key: string): number {
  let depth = 0;
  let isKey = true;
  for (let index = map + 1; index < events.length; index++) {
    const event = events[index]!;
    if (event.type === EVENT_ID.POP) depth--;
    if (depth < 0) break;
    if (depth === 0 && event.type === EVENT_ID.SCALAR && isKey && getScalarValue(text, event) === key)
      return offsetOf(event);
    const opens = event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING;
    if (opens) depth++;
    else if (depth === 0) isKey = !isKey;
  }
  return offsetOf(events[map]!);
}

/** The offset of the value of the document that the event `document` opens. */
export function rootOffset(text: string, events: readonly Event[], document: number): number {
  return Math.max(contentOffset(text, events[document + 1]!), 0);
}

/**
 * The indices of the events of the key and the value at a path. `key` is -1 for a list item and for the root. `rest` is
 * the number of missing steps at the end of the path. If `rest` is not 0, the indices are those of the nearest existing
 * ancestor.
 */
type Found = { key: number; value: number; rest: number };

type Children = Map<PathStep, { key: number; value: number }>;

/**
 * Returns a function that finds the offset of a path. The event `document` opens the document that contains the path.
 * The offset is the following:
 * - for a scalar or an alias: its own offset
 * - for a mapping, a list or an omitted value: the offset of its key, or its own offset without a key
 * - for a missing value: the offset of the nearest existing ancestor
 */
export function pathLocator(text: string, events: readonly Event[]): (document: number, path: string) => number {
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
      // For a repeated key, the first occurrence counts: compose.ts keeps the first value.
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

/** Returns the offset of an event without leading spaces. The event of a block scalar begins with its indentation. */
function contentOffset(text: string, event: Event): number {
  let offset = offsetOf(event);
  while (offset >= 0 && text.charCodeAt(offset) === 32) offset++;
  return offset;
}

/**
 * Returns two results:
 * - `ends`: for each event, the index after its last descendant
 * - `targets`: for each alias, the index of the event with its anchor
 */
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
