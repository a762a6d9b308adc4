/** A failure: exit.ts creates it from an error, and print-failure.ts prints it. */

import type { ExitCode } from "../exit-codes.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { JsonObject } from "../schemas/json.ts";

/** With `-o json` it is the `error` of one document on stderr. */
export type Failure = {
  code: string;
  message: string;
  hint?: string;
  exitCode: ExitCode;
  location?: { file: string; line: number; column: number };
  problems?: Located[];
  /** The writes that were done before the failure. */
  done?: string[];
  /** The error of the service, unchanged, and the HTTP status. Absent when formctl refuses without a request. */
  api?: JsonObject & { status: number };
};
