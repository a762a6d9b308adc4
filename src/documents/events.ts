/** The parser's events of a text, and where each of them stands. */

import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException, type Event } from "js-yaml";
import { MAX_DEPTH } from "./limits.ts";
import type { Problem } from "./invalid-document.ts";

/** The events of `text`, or the one place where it stops being YAML. */
export function readEvents(text: string): Event[] | Problem {
  try {
    // The composer complains about depth itself, and better, as long as the parser lets it see one level too many.
    return parseEvents(text, { maxDepth: MAX_DEPTH + 2 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { code: "YAML_SYNTAX", ...explain(error.reason), offset: error.mark?.position ?? 0 };
  }
}

/** The offset of an event's first character; -1 for what the text leaves out, as the value in `key:`. */
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

/** Where the key `key` is first written in the mapping that the event `map` opens. */
export function firstOffsetOf(text: string, events: readonly Event[], map: number, key: string): number {
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

/** The parser's reason, with the way out where people commonly meet it. */
function explain(reason: string): { message: string; code?: "YAML_FORBIDDEN_TEXT" | "YAML_LIMIT" } {
  if (reason.startsWith("nesting exceeded")) {
    return { code: "YAML_LIMIT", message: `the file is nested more than ${MAX_DEPTH} levels deep` };
  }
  if (reason.startsWith("null byte")) {
    return { code: "YAML_FORBIDDEN_TEXT", message: "the character U+0000 stands here, which no value may contain" };
  }
  const wayOut = WAYS_OUT[reason];
  return { message: wayOut ? `${reason}. ${wayOut}` : reason };
}

const WAYS_OUT: Record<string, string> = {
  "tab characters must not be used in indentation": "Indent with spaces",
  "the stream contains non-printable characters": 'Write them as escapes between double quotes: "\\u0007"',
  "bad indentation of a mapping entry": "Line the key up with the keys beside it, or quote a value that contains `: `",
  "unexpected end of the stream within a double quoted scalar": "Close the quotes",
  "unexpected end of the stream within a single quoted scalar": "Close the quotes",
  "unexpected end of the stream within a flow collection": "Close the bracket",
  "missed comma between flow collection entries":
    'Put a comma between them, or quote a value that holds one of { } [ ], such as "${NAME}"',
  "deficient indentation": "Close the bracket or the quotes that began above, or indent this line",
  "expected ':' after a mapping key": "Every line of a mapping is `key: value`",
};
