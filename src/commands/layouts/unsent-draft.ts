/**
 * Checks a draft before it is sent. A dry run checks all rules. Any other run only warns of values that are unknown to
 * formctl.
 */

import type { Document } from "../../documents/document.ts";
import { invalidDocument } from "../../documents/problems.ts";
import { type Located, toValidation } from "../../schemas/diagnostic.ts";
import { checkDraft, checksNotRun } from "../../schemas/draft-checks.ts";
import { checkWords } from "../../schemas/draft-checks/unknown-words.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Service } from "../../service.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { LayoutAddress } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-names.ts";
import { catalogOf } from "../../schemas/catalog.ts";
import { readSummary } from "./layout-summary.ts";
import { locateValidation } from "./validation.ts";

type Unsent = { draft: DraftContent; document: Document };

/**
 * Checks all rules. Prints the warnings, and the checks that were not possible.
 *
 * @throws INVALID_FILE if the draft breaks a rule
 */
export async function checkUnsent(
  context: CommandContext,
  service: Service,
  layout: LayoutAddress,
  { draft, document }: Unsent,
): Promise<void> {
  const { problems, notChecked } = await findProblems(context, service, layout, { draft, document });
  if (problems.some(({ severity }) => severity === "error"))
    throw invalidDocument(document.file, document.text, problems);
  const { terminal } = context;
  printToStderr(terminal, document, problems);
  for (const check of notChecked) terminal.hint(`Not checked: ${check}.`);
}

/** Checks all rules. Returns the problems, errors first, and the checks that were not possible. */
export async function findProblems(
  context: CommandContext,
  service: Service,
  layout: LayoutAddress,
  { draft, document }: Unsent,
): Promise<{ problems: Located[]; notChecked: string[] }> {
  const known = catalogOf(await readSummary(service, layout), await findLocalOrganization(context));
  const { errors, warnings } = toValidation(checkDraft(draft, known));
  return { problems: locateValidation(document, draft, [...errors, ...warnings]), notChecked: checksNotRun(known) };
}

/** Warns of values that are unknown to formctl. The server decides whether they are valid. */
export function warnOfUnknownWords({ terminal }: Pick<CommandContext, "terminal">, { draft, document }: Unsent): void {
  printToStderr(terminal, document, locateValidation(document, draft, checkWords(draft)));
}

/** Prints problems to stderr. stdout has the result of the command or, in a dry run, the requests. */
function printToStderr(terminal: Terminal, { file, text }: Document, problems: Located[]): void {
  const { errStyle, errWidth } = terminal;
  if (problems.length > 0) terminal.err(renderDiagnostics(problems, new Map([[file, text]]), errStyle, errWidth));
}
