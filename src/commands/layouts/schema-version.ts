/** A warning about a content of a newer server: it is passed on as it is, though formctl may not show all of it. */

import { SCHEMA_VERSION } from "../../schemas/words.ts";
import { visible } from "../../terminal/escape.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export function warnOfSchemaVersion(
  terminal: Terminal,
  { id, schemaVersion }: { id: string; schemaVersion?: number | undefined },
): void {
  if (schemaVersion === undefined || schemaVersion === SCHEMA_VERSION) return;
  const fact = `the version ${id} has the schema version ${schemaVersion}, and formctl knows ${SCHEMA_VERSION}`;
  terminal.warn(visible(`${fact}. Its content is left as it is.`));
}
