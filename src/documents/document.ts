/**
 * Reads a YAML or JSON file as values, and locates each path of a value in the file.
 *
 * JSON is read as YAML, because every JSON text is also a YAML text. The modules of this folder do three things:
 *
 * **Reading** (`readDocuments`) runs for every file of every command. Therefore it is built for speed:
 *
 * 1. `decode.ts` turns bytes into text. It refuses files that are too large or not UTF-8.
 * 2. `events.ts` lets js-yaml parse the text to events. An event has the offsets of a scalar or container in the text.
 *    A syntax error stops the reading here.
 * 3. `compose.ts` builds the values in one pass over the events. It collects all other problems: duplicate keys,
 *    unsupported tags, unknown aliases, exceeded limits. `scalars.ts` reads the scalars.
 * 4. `problems.ts` computes lines and columns of problems and of the root of each document.
 *
 * **Locating** (`Document.locate`) finds the line and column of a path such as `blocks[2].config.label`. A problem of
 * the value is reported at this position. Events need many times more memory than their text, and most files have no
 * problem. Therefore events are not kept. The first call for a file parses the file again, and `events.ts` walks the
 * events along the path. If the caller can read the text again (`Reread`), the text is not kept either.
 *
 * **Editing** (`editYaml`) changes the value of a document and keeps every byte that need not change. The events of
 * js-yaml contain no comments, commas or blank lines. Therefore a second parser, from the package `yaml`, parses the
 * files that change. The result of this parser is a concrete syntax tree (CST), which contains the whole text:
 *
 * 1. `yaml-source.ts` turns the CST into a tree of nodes. Each node has the offsets of its parts.
 * 2. `edit-yaml.ts` walks this tree together with the current value and the target value. It copies the text of
 *    unchanged nodes, replaces scalars and keeps their quotes, and descends into collections.
 * 3. `match-items.ts` matches the items of a collection with the items of the target. A moved item then keeps its text.
 * 4. `yaml-style.ts` detects the style of the text: indentation, brackets, line ends. It prints new values in this
 *    style.
 * 5. `join-items.ts` joins the items of a collection in their new order, with their comments and commas.
 * 6. `edit-yaml.ts` reads the result again with the first parser. If the result is not exactly the target, nothing is
 *    written. This check also detects text that the two parsers read differently.
 *
 * `write-yaml.ts` prints a value as new YAML. It does not import the modules that read or edit YAML. Therefore commands
 * that only print YAML load less code.
 */

import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { compose } from "./compose.ts";
import { decode, hasTooManyValues } from "./decode.ts";
import { pathLocator, readEvents, rootOffset } from "./events.ts";
import { invalidDocument, locateProblem, type Position, positionsOf, type Problem } from "./problems.ts";

/** A document of a file. `value` is JSON. Aliases share parts of `value`, so callers must not change it. */
export type Document = {
  file: string;
  /** The whole file, without a byte order mark. */
  text: string;
  value: unknown;
  /** Returns the position of a path, or of its nearest existing ancestor. */
  locate: (path: string) => Position;
};

/**
 * Reads the text of a file again. Returns undefined if the file can't be read, or has changed since it was read first.
 */
export type Reread = () => string | undefined;

/**
 * Returns the documents of a file, which are separated by `---`. Leaves out documents without content.
 *
 * @param reread lets `locate` read the text again instead of keeping it in memory. If `reread` returns undefined,
 *   `locate` returns the position of the document's root for every path
 * @throws INVALID_FILE with every problem found. A syntax error hides all other problems
 */
export function readDocuments(source: Uint8Array | string, file: string, reread?: Reread): Document[] {
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
    return fail([{ code: "YAML_LIMIT", message: "contains too many values. Split it into several files", offset: 0 }]);
  }
  const events = readEvents(text);
  if (!Array.isArray(events)) return fail([events]);
  const { documents, problems } = compose(text, events, position);
  if (problems.length > 0) return fail(problems);
  if (documents.length === 0) {
    const message = text.trim() === "" ? "is empty" : "is empty except for comments and document markers";
    return fail([{ code: "FILE_EMPTY", message, offset: 0 }]);
  }
  const origin: Origin = { reread: reread ?? keep(text) };
  recent = { origin, text, position, locate: undefined };
  // A plan needs the position of the root of every changed manifest. This position is computed here. Otherwise the text
  // would be parsed again.
  return documents.map(({ value, event }) => ({
    file,
    text,
    value,
    locate: locateFrom(origin, event, position(rootOffset(text, events, event))),
  }));
}

/** Identifies a text that was read. The documents of a file share one `Origin`. */
type Origin = { reread: Reread };

/**
 * The text that was last read or searched for a path. Only one text is kept, because texts and events need much memory.
 */
let recent:
  | {
      origin: Origin;
      text: string;
      position: (offset: number) => Position;
      /** Undefined until a path is located. */
      locate: ReturnType<typeof pathLocator> | undefined;
    }
  | undefined;

// `keep` and `locateFrom` are separate functions. A closure created inside `readDocuments` would keep the events in
// memory.

function keep(text: string): Reread {
  return () => text;
}

function locateFrom(origin: Origin, event: number, root: Position): Document["locate"] {
  return (path) => (path === "" ? root : (positionIn(origin, event, path) ?? root));
}

/** Returns the position of a path. Undefined if the text can't be read again. */
function positionIn(origin: Origin, event: number, path: string): Position | undefined {
  if (recent?.origin !== origin) {
    const text = origin.reread();
    if (text === undefined) return undefined;
    recent = { origin, text, position: positionsOf(text), locate: undefined };
  }
  recent.locate ??= locatorOf(recent.text);
  return recent.position(recent.locate(event, path));
}

function locatorOf(text: string): ReturnType<typeof pathLocator> {
  const events = readEvents(text) as Exclude<ReturnType<typeof readEvents>, Problem>;
  return pathLocator(text, events);
}

/**
 * Returns the only document of a file.
 *
 * @throws INVALID_FILE as {@link readDocuments} does, and for a file with a second document
 */
export function readDocument(source: Uint8Array | string, file: string): Document {
  const [first, second] = readDocuments(source, file);
  if (!second) return first!;
  const message = "unexpected second document. Remove it, or the `---` before it";
  const problem: Located = { severity: "error", code: "YAML_DOCUMENT_COUNT", message, file, ...second.locate("") };
  throw invalidDocument(file, second.text, [problem]);
}

/** Adds the position in the file to a diagnostic of the document's value. */
export function locateDiagnostic(document: Document, diagnostic: Diagnostic): Located {
  return { ...diagnostic, file: document.file, ...document.locate(diagnostic.path ?? "") };
}
