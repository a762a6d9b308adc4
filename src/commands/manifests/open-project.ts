/**
 * Opens the project for the target that the settings select. Prints progress and warnings on the terminal.
 */

import { type Progress, type Warning, openProject, type Project, type ProjectSetup } from "../../project/project.ts";
import { referencesFor } from "../../config/target-references.ts";
import { type ProjectTarget, serverTarget, storeTarget } from "../../state/target.ts";
import { storeLocation } from "../../base/database-url.ts";
import { visible } from "../../terminal/escape.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";

type Options = { organizationFile?: string | undefined; concurrency?: number | undefined };

export function projectOf(context: CommandContext, { organizationFile, concurrency }: Options = {}): Project {
  return openProject({ ...projectOptions(context), organizationFile, concurrency }, context);
}

/** Returns the options that all projects of a command share. */
export function projectOptions(context: CommandContext): ProjectSetup {
  const { cwd, settings, terminal } = context;
  return {
    root: settings.root,
    cwd,
    manifests: settings.manifests,
    target: targetOf(context),
    variables: settings.variables,
    rehearse: context.rehearse,
    onProgress: progressPrinter(terminal),
    onWarning: warningPrinter(context),
  };
}

/** Returns a function that prints warnings on the terminal, with their causes. */
export function warningPrinter(context: CommandContext): (warning: Warning) => Promise<void> {
  return async ({ message, cause }) => {
    const { terminal } = context;
    if (cause === undefined) return terminal.warn(visible(message));
    const { message: reason, hint } = await context.describe(cause);
    terminal.warn(visible(`${message}: ${reason}${hint === undefined ? "" : `. ${hint}`}`));
  };
}

/** Returns the target that the settings select. */
export function targetOf(context: CommandContext): ProjectTarget {
  const { stateFolder } = context;
  return { ...selectedTarget(context), ...(stateFolder !== undefined && { stateFolder }) };
}

function selectedTarget(context: CommandContext): ProjectTarget {
  const { target, localStore, cwd } = context;
  const service = () => context.service();
  if (target.kind === "remote") {
    const { baseUrl, profile } = target;
    return serverTarget({ baseUrl, profile, service, ...referencesOf(context, target.origin) });
  }
  return storeTarget({
    store: storeLocation(cwd, target.store),
    organization: target.organization,
    service,
    local: () => context.local(),
    exists: () => localStore.exists(),
  });
}

/** Returns the ids of roles and members on a server, from the project file of the command. */
export function referencesOf({ settings, target: { profile }, cwd }: CommandContext, origin: string) {
  const file = settings.files().find(({ kind }) => kind === "project")?.path;
  return referencesFor({ profile, origin }, { ...settings, file, cwd });
}

/**
 * Prints the progress on stderr. A terminal shows a bar. Otherwise stderr is a log: it gets a line for each step of an
 * apply. Reading, checking and rehearsing print a line there every few seconds.
 */
export function progressPrinter(terminal: Terminal): (progress: Progress) => void {
  let line: ReturnType<typeof startProgress> | undefined;
  return (progress) => {
    if (progress.stage === "ended") {
      line?.stop();
      line = undefined;
    } else if (progress.stage === "reading") {
      line ??= startProgress(terminal, { label: "Reading the current state" });
      line.update(progress.done, undefined, progress.total);
    } else if (progress.stage === "validating") {
      line ??= startProgress(terminal, { label: "Checking files" });
      line.update(progress.done, undefined, progress.total);
    } else if (progress.stage === "rehearsing") {
      line ??= startProgress(terminal, { label: "Rehearsing on a copy" });
      line.update(progress.done, undefined, progress.total);
    } else printApplying(progress);
  };

  function printApplying(
    progress: Exclude<Progress, { stage: "reading" | "rehearsing" | "validating" | "ended" }>,
  ): void {
    const { done, total } = progress;
    if (terminal.errIsTTY) line ??= startProgress(terminal, { label: "applying", total });
    if (progress.stage === "waiting") {
      const reason = progress.isAsked ? "as the server asks" : "because the server accepts no more requests now (429)";
      const text = `waiting until ${progress.until.toISOString()}, ${reason}`;
      if (line) line.update(done, text);
      else terminal.hint(text);
    } else if (progress.step) {
      const { address, operation, status } = progress.step;
      if (line) line.update(done, `${operation} ${address}`);
      else terminal.hint(`${done}/${total} ${status} ${operation} ${visible(address)}`);
    }
  }
}
