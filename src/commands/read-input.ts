/** Reads arguments and files according to a schema. Problems in a file are reported with line and column. */

import { FormctlError } from "../base/error.ts";
import { extendHost } from "../base/host.ts";
import type { ReadBy, Schema } from "../schemas/schema.ts";
import { readShape, type ShapeProblem } from "../schemas/shape.ts";
import type { Parse, CommandContext } from "./command.ts";
import type { Document } from "../documents/document.ts";
import { isJsonObject } from "../schemas/json.ts";
import { type OptionalMember, ServiceError } from "../service.ts";

/** Returns a parser for a word that selects something, such as an id: `by(Identifier)`. The parser throws USAGE. */
export function by<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return parser(schema, "USAGE");
}

/** Returns a parser for a value that is sent in a request body: `valueBy(Name)`. The parser throws INVALID_VALUE. */
export function valueBy<S extends Schema>(schema: S): Parse<ReadBy<S>> {
  return parser(schema, "INVALID_VALUE");
}

function parser<S extends Schema>(schema: S, code: "USAGE" | "INVALID_VALUE"): Parse<ReadBy<S>> {
  return (text) => {
    const shape = readShape(schema, text);
    if (shape.ok) return shape.value;
    throw new FormctlError(code, shape.problems.map((problem) => problem.message).join("; "));
  };
}

/**
 * Returns why a parser refuses an answer to a prompt, with the next step. Returns undefined if the parser accepts the
 * answer.
 */
export function problemOf(parse: Parse<unknown>, answer: string): string | undefined {
  try {
    parse(answer);
    return undefined;
  } catch (error) {
    if (!(error instanceof FormctlError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  }
}

/** A file that was read. `value` is the parsed content. `document` finds the line and column of a path. */
export type Body<T> = { value: T; document: Document };

/**
 * Reads a YAML or JSON file according to a schema. The path `-` is standard input.
 *
 * @throws INVALID_FILE with every problem and its location
 * @throws INVALID_VALUE if the file can't be read
 */
export async function readBody<S extends Schema>(
  context: Pick<CommandContext, "readFile">,
  path: string,
  schema: S,
): Promise<Body<ReadBy<S>>> {
  const bytes = await context.readFile(path);
  const { readDocument } = await import("../documents/document.ts");
  const document = readDocument(bytes, path === "-" ? "<stdin>" : path);
  return { value: await readShaped(document, schema), document };
}

/** Returns the value of a document according to a schema. @throws INVALID_FILE with every problem and its location */
export async function readShaped<S extends Schema>(document: Document, schema: S): Promise<ReadBy<S>> {
  const shape = readShape(schema, document.value);
  if (!shape.ok) throw await refusedAt(document, "BODY_INVALID", shape.problems);
  return shape.value;
}

/**
 * Returns one error with the problems of a document and their locations. If a service reported the problems, `cause` is
 * the refusal of the service.
 */
export async function refusedAt(
  document: Document,
  code: string,
  problems: readonly ShapeProblem[],
  cause?: ServiceError,
): Promise<Error> {
  const { locateDiagnostic } = await import("../documents/document.ts");
  const { invalidDocument } = await import("../documents/problems.ts");
  const located = problems.map(({ path, message }) =>
    locateDiagnostic(document, { severity: "error", code, path, message: `${path || "the file"} ${message}` }),
  );
  return invalidDocument(document.file, document.text, located, { cause });
}

/**
 * Sends the content of a file. If the service reports problems, locates them in the file.
 *
 * @throws INVALID_FILE if the service reports problems by path; other errors of `send` unchanged, and also a refusal of
 *   a member that the file lacks and the command added
 */
export async function locatedRefusal<T>(document: Document, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.body.fieldErrors) throw error;
    // The command added the member, so no line of the file is wrong.
    const isAdded = (path: string) => !isJsonObject(document.value) || !Object.hasOwn(document.value, path);
    if (ADDED.some((path) => error.body.fieldErrors?.[path] && isAdded(path))) throw error;
    const problems = Object.entries(error.body.fieldErrors).flatMap(([path, messages]) =>
      messages.map((message) => ({ path, message })),
    );
    throw await refusedAt(document, error.code, problems, error);
  }
}

/** The members of request bodies that a file may lack, because commands add them. */
const ADDED: readonly OptionalMember[] = ["clientMutationId", "expectedDraftVersionId", "expectedPublishedVersionId"];

/** Returns a context that can read standard input several times. */
export function withStdinKept(context: CommandContext): CommandContext {
  let stdin: Promise<Uint8Array> | undefined;
  return extendHost(context, {
    readFile: (path: string) => (path === "-" ? (stdin ??= context.readFile("-")) : context.readFile(path)),
  });
}
