/** The rules about a draft that is not sent: what a dry run can tell of it, in local mode everything. */

import type { Document } from "../../documents/document.ts";
import { invalidDocument } from "../../documents/invalid-document.ts";
import { type Located, toValidation } from "../../schemas/diagnostic.ts";
import { checkDraft, checksNotRun } from "../../schemas/draft-checks.ts";
import { checkWords } from "../../schemas/draft-checks/unknown-words.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Service } from "../../service.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { LayoutAddress } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { findKnown } from "./known-of-layout.ts";
import { findPlace } from "./layout-place.ts";
import { locateValidation } from "./located-validation.ts";

type Unsent = { draft: DraftContent; document: Document };

/** Tells warnings, and what could not be checked. @throws INVALID_FILE when the draft breaks a rule */
export async function checkUnsent(
  context: CommandContext,
  service: Service,
  layout: LayoutAddress,
  { draft, document }: Unsent,
): Promise<void> {
  const known = await findKnown(context, await findPlace(service, layout));
  const { errors, warnings } = toValidation(checkDraft(draft, known));
  const problems = locateValidation(document, draft, [...errors, ...warnings]);
  if (errors.length > 0) throw invalidDocument(document.file, document.text, problems);
  // The answer of a dry run is its requests: what else there is to say goes beside it.
  const { terminal } = context;
  printBeside(terminal, document, problems);
  for (const check of checksNotRun(known)) terminal.hint(`Not checked: ${check}.`);
}

/** Warns of the words of a draft that formctl does not know, before a server decides about them. */
export function warnOfUnknownWords({ terminal }: Pick<CommandContext, "terminal">, { draft, document }: Unsent): void {
  printBeside(terminal, document, locateValidation(document, draft, checkWords(draft)));
}

function printBeside(terminal: Terminal, { file, text }: Document, problems: Located[]): void {
  if (problems.length > 0) terminal.err(renderDiagnostics(problems, new Map([[file, text]]), terminal.errStyle));
}
