/** A YAML or JSON file as a value, and where each path of that value stands in the file. */

import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { compose } from "./compose.ts";
import { decode } from "./decode.ts";
import { readEvents } from "./events.ts";
import { hasTooManyValues } from "./limits.ts";
import { locator, rootOffset } from "./locate.ts";
import { positionsOf, type Position } from "./positions.ts";
import { invalidDocument, locateProblem, type Problem } from "./invalid-document.ts";

/** `value` is JSON. Parts that an alias repeats are shared, so it is to be read and not changed. */
export type Document = {
  file: string;
  /** The whole file, without a byte order mark. */
  text: string;
  value: unknown;
  /** Where a path stands, or its nearest ancestor that exists; lines and columns count from 1. */
  locate: (path: string) => Position;
};

/**
 * The documents of a file, `---` between them; those without content are left out. JSON is read as the YAML that it is.
 *
 * @throws INVALID_FILE with every problem found; a mistake in the syntax hides what comes after it.
 */
export function readDocuments(source: Uint8Array | string, file: string): Document[] {
  const { text, problem } = decode(source);
  const position = positionsOf(text);
  const fail = (problems: Problem[]): never => {
    throw invalidDocument(
      file,
      text,
      problems.map((each) => locateProblem(file, each, position)),
    );
  };
  if (problem) return fail([problem]);
  if (hasTooManyValues(text)) {
    return fail([{ code: "YAML_LIMIT", message: "holds too many values. Split it into several files", offset: 0 }]);
  }
  const events = readEvents(text);
  if (!Array.isArray(events)) return fail([events]);
  const { documents, problems } = compose(text, events, position);
  if (problems.length > 0) return fail(problems);
  if (documents.length === 0) {
    const message = text.trim() === "" ? "is empty" : "is empty but for comments and marks";
    return fail([{ code: "FILE_EMPTY", message, offset: 0 }]);
  }

  // Asked of every manifest that changes, and known now: it need not be looked for.
  return documents.map(({ value, event }) => ({
    file,
    text,
    value,
    locate: locateFrom(text, position, event, rootOffset(text, events, event)),
  }));
}

/** Made apart from the reading, all of whose variables a function that is made in it would keep: the events too. */
function locateFrom(
  text: string,
  position: (offset: number) => Position,
  event: number,
  start: number,
): Document["locate"] {
  return (path) => position(path === "" ? start : locatorOf(text)(event, path));
}

let lastAsked: { text: string; locate: ReturnType<typeof locator> } | undefined;

/**
 * Events are many times larger than their text, and most files have nothing to be shown: they are read again if need be,
 * and kept of one file, the one that was asked about last.
 */
function locatorOf(text: string): ReturnType<typeof locator> {
  if (lastAsked?.text !== text) {
    const events = readEvents(text) as Exclude<ReturnType<typeof readEvents>, Problem>;
    lastAsked = { text, locate: locator(text, events) };
  }
  return lastAsked.locate;
}

/**
 * The one document of a file.
 *
 * @throws INVALID_FILE as {@link readDocuments} does, and where a second document begins.
 */
export function readDocument(source: Uint8Array | string, file: string): Document {
  const [first, second] = readDocuments(source, file);
  if (!second) return first!;
  const message = "begins a second document, and one is expected. Remove it, or the `---` before it";
  const problem: Located = { severity: "error", code: "YAML_DOCUMENT_COUNT", message, file, ...second.locate("") };
  throw invalidDocument(file, second.text, [problem]);
}

/** A complaint about a document's value, at its place in the file. */
export function locateDiagnostic(document: Document, diagnostic: Diagnostic): Located {
  return { ...diagnostic, file: document.file, ...document.locate(diagnostic.path ?? "") };
}
