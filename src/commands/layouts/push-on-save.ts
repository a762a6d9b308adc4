/** `formctl layouts draft push --watch`: saves the file as the draft at once, and again after each change. */

import { resolve } from "node:path";
import { watchFiles } from "../../disk/watch-file.ts";
import { LocatedError } from "../../documents/located-error.ts";
import { FormctlError } from "../../base/error.ts";
import { canonicalJson } from "../../schemas/json.ts";
import { renderDiagnostics } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import type { LayoutAddress } from "../addresses.ts";
import type { CommandContext } from "../command.ts";
import { FailedAfterWrite } from "../failure.ts";
import { findLayoutId } from "../lookups.ts";
import { printFailure } from "../print-failure.ts";
import { readBody } from "../read-input.ts";
import { draftFileOf, pushDraft, type Pushed } from "./push-draft.ts";
import { warnOfUnknownWords } from "./unsent-draft.ts";
import { stateText } from "./validation.ts";
import { idAndNumber, publishedNumber } from "../version-text.ts";

export type WatchRequest = {
  layout: LayoutAddress;
  file: string;
  /**
   * The id of the draft that the first push replaces. With null, the service refuses the first push if the layout has a
   * draft. With undefined, the first push replaces any draft, a draft of another user only with a confirmation.
   */
  expected: string | null | undefined;
  publish: boolean;
  clientMutationId: string | undefined;
};

/**
 * Pushes the file until a signal arrives. Each push replaces exactly the draft of the previous push. Prints a line for
 * each push, or the problems of the file.
 *
 * @returns the last push; undefined if there was no push
 * @throws USAGE for an option that a watch can't have
 * @throws ServiceError 409 if another user changed the draft
 * @throws FailedAfterWrite for an error after a successful push
 */
export async function pushOnSave(context: CommandContext, request: WatchRequest): Promise<Pushed | undefined> {
  refuseContradictions(context, request);
  const { layout, file, publish } = request;
  const { ending, terminal } = context;
  const service = await context.service();
  const { layoutId } = await findLayoutId(service, layout);
  let { expected } = request;
  let last: Pushed | undefined;
  let lastContent: string | undefined;

  const push = async () => {
    const { value: draft, document } = await readBody(context, file, draftFileOf(context));
    const content = canonicalJson(draft);
    if (content === lastContent || ending.aborted) return;
    if (context.target.kind !== "local") warnOfUnknownWords(context, { draft, document });
    const clientMutationId = context.newMutationId();
    last = await pushDraft(context, service, {
      layoutId,
      layout,
      draft,
      document,
      clientMutationId,
      expected,
      // The user specified only the draft that the first push replaces.
      mayOmit: last ? ["expectedDraftVersionId", "clientMutationId"] : ["clientMutationId"],
      publish,
    });
    lastContent = content;
    // A published draft is not a draft anymore, so the next push expects no draft.
    expected = last.published ? null : last.draftVersionId;
    const { errStyle, errWidth } = terminal;
    terminal.err(renderDiagnostics(last.problems, new Map([[document.file, document.text]]), errStyle, errWidth));
    terminal.err(`${timeOf(context.now())} ${pushedLine(last)}\n`);
  };

  const { promise, resolve: stop, reject } = Promise.withResolvers<void>();
  // After the signal, nothing awaits the promise. A failure would then end the process as an unhandled rejection.
  promise.catch(() => undefined);
  ending.addEventListener("abort", () => stop(), { once: true });
  let pushes = Promise.resolve();
  const saved = () => {
    pushes = pushes.then(push).catch(async (error: unknown) => {
      const failure = await context.describe(error);
      // The user corrects an invalid file with the next save.
      if (failure.exitCode !== INVALID) throw error;
      const sources = error instanceof LocatedError ? error.sources : new Map<string, string>();
      printFailure(failure, { json: false, terminal, sources });
    });
    return pushes;
  };
  const watch = await watchFiles([resolve(context.cwd, file)], { saved, failed: reject });
  try {
    terminal.hint(`Watching ${visible(file)}. Stop with Ctrl-C.`);
    saved().catch(reject);
    if (!ending.aborted) await promise;
    await pushes;
  } catch (error) {
    if (!last) throw error;
    const lead = `stopped watching ${visible(file)}`;
    throw new FailedAfterWrite({ done: [], lead, isStopped: false }, error);
  } finally {
    await watch.close();
  }
  return last;
}

/** The exit code of an invalid file. */
const INVALID = 3;

function refuseContradictions({ dryRun }: CommandContext, { file, clientMutationId }: WatchRequest): void {
  const other = [
    dryRun && "--dry-run",
    clientMutationId !== undefined && "--client-mutation-id",
    file === "-" && "standard input",
  ].find(Boolean);
  if (other) throw new FormctlError("USAGE", `--watch and ${other} can't be combined`, "Remove one of them.");
}

function pushedLine({ draftVersionId, version, validation, published }: Pushed): string {
  const saved = `Saved draft ${idAndNumber(draftVersionId, version)}: ${stateText(validation)}.`;
  return published ? `${saved} Published it as ${publishedNumber(published)}.` : saved;
}

/** Returns the local time of day, such as `14:05:09`. */
function timeOf(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
