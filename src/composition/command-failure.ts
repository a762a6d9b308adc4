/** Describes the error of a command line. The library does not use this module, which loads the tree of commands. */

import type { Failure } from "../commands/failure.ts";
import { type CommandLine, withTargetOptions } from "../commands/target-options.ts";
import { describeFailure } from "./exit.ts";

/**
 * Describes the error of a command line. The commands in the hint get the target options of the command line.
 *
 * @param ownHint replaces the hint of the error
 */
export function describeFailureOf(line: CommandLine, error: unknown, ownHint?: string): Failure {
  const failure = describeFailure(error);
  const hint = ownHint ?? failure.hint;
  return hint === undefined ? failure : { ...failure, hint: withTargetOptions(hint, line) };
}
