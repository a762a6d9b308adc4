/** For a person: each problem with its line and a caret, and what it comes to. */

import { countDiagnostics, renderEach } from "../../../terminal/diagnostics.ts";
import type { Style } from "../../../terminal/style.ts";
import { countManifests, type Validated } from "./validated.ts";

export function asText(validated: Validated, style: Style): string {
  const { problems, sources } = validated;
  return `${renderEach(problems, sources, style)}${countManifests(validated)}: ${countDiagnostics(problems)}\n`;
}
