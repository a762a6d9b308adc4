/** A file that a command sends: read by a schema, and complained about at the line and column of what is wrong. */

import type { Document } from "../documents/document.ts";
import type { ReadBy, Schema } from "../schemas/schema.ts";
import { readShape, type ShapeProblem } from "../schemas/shape.ts";
import { ServiceError } from "../service.ts";
import type { CommandContext } from "./command.ts";

/** `value` is the file as the schema reads it; `document` knows where each path of it stands. */
export type Body<T> = { value: T; document: Document };

/**
 * Reads a YAML or JSON file that holds exactly what `schema` says; `-` is standard input.
 *
 * @throws INVALID_FILE with every problem at its place, INVALID_VALUE when there is no such file
 */
export async function readBody<S extends Schema>(
  context: Pick<CommandContext, "readFile">,
  path: string,
  schema: S,
): Promise<Body<ReadBy<S>>> {
  const bytes = await context.readFile(path);
  const { readDocument } = await import("../documents/document.ts");
  const document = readDocument(bytes, path === "-" ? "<stdin>" : path);
  const shape = readShape(schema, document.value);
  if (!shape.ok) throw await refusedAt(document, "BODY_INVALID", shape.problems);
  return { value: shape.value, document };
}

/** Problems of a document's value as one error that says where each of them stands; `cause` is who found them. */
export async function refusedAt(
  document: Document,
  code: string,
  problems: readonly ShapeProblem[],
  cause?: ServiceError,
): Promise<Error> {
  const { locateDiagnostic } = await import("../documents/document.ts");
  const { invalidDocument } = await import("../documents/invalid-document.ts");
  const located = problems.map(({ path, message }) =>
    locateDiagnostic(document, { severity: "error", code, path, message: `${path || "the file"} ${message}` }),
  );
  return invalidDocument(document.file, document.text, located, { cause });
}

/**
 * Sends what a file holds. What the service says about a value is said at that value's place in the file.
 *
 * @throws INVALID_FILE where the service refuses members by their paths, else whatever `send` throws
 */
export async function locatedRefusal<T>(document: Document, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.body.fieldErrors) throw error;
    const problems = Object.entries(error.body.fieldErrors).flatMap(([path, messages]) =>
      messages.map((message) => ({ path, message })),
    );
    throw await refusedAt(document, error.code, problems, error);
  }
}
