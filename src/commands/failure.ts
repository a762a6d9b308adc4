/** A failure in words: what exit.ts makes of an error, and print-failure.ts prints. */

import type { ExitCode } from "../exit-codes.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { ErrorBody } from "../schemas/error-body.ts";

/** With `-o json` it is the `error` of one document on stderr. */
export type Failure = {
  code: string;
  message: string;
  hint?: string;
  exitCode: ExitCode;
  location?: { file: string; line: number; column: number };
  problems?: Located[];
  /** The writes that were done before it failed. */
  done?: string[];
  api?: ErrorBody & { status: number };
};
