/** Runs an invocation where its settings say, and closes what it opened. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { GlobalFlags, OutputFormat } from "./commands/global-flags.ts";
import type { Invocation } from "./commands/invocation.ts";
import { outputFormat, runCommand } from "./commands/run-command.ts";
import { loadSettings } from "./config/settings.ts";
import { localTarget } from "./local-target.ts";
import type { World } from "./system-world.ts";
import type { Terminal } from "./terminal/terminal.ts";

export type Surroundings = {
  world: World;
  terminal: Terminal;
  /** Told how the answer is printed, as soon as that is known: a failure is printed in the same way. */
  onFormat: (format: OutputFormat) => void;
};

/** @returns the exit code @throws whatever the command throws */
export async function execute(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { flags } = invocation;
  const { world, terminal, onFormat } = surroundings;
  const settings = await loadSettings({ env: world.env, cwd: world.cwd, flags: settingFlags(flags) });
  onFormat(outputFormat(flags, settings));
  const organization = settings.get("organization");
  const local = localTarget(resolve(world.cwd, settings.get("store") ?? ""), () => world.now());
  const place = `the local store ${local.file.location}`;
  const work = async () =>
    runCommand(invocation, {
      terminal,
      prompter: await world.prompter(terminal, flags),
      openService: async () => (await local.service()).service(organization),
      openLocal: () => local.service(),
      localStore: local.file,
      settings,
      readFile: (path) => world.readFile(path),
      env: world.env,
      cwd: world.cwd,
      now: () => world.now(),
      newMutationId: () => randomUUID(),
      target: organization === undefined ? place : `${place}, organization ${organization}`,
    });
  try {
    return await (invocation.command.writes ? world.finish(work) : work());
  } finally {
    await local.close();
  }
}

function settingFlags({ store, organization, output }: GlobalFlags) {
  return {
    ...(store !== undefined && { store }),
    ...(organization !== undefined && { organization }),
    ...(output !== undefined && { output }),
  };
}
