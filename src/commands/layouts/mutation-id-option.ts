/** `--client-mutation-id`: the id by which the service knows a repeated request again. */

import { FormctlError } from "../../error.ts";
import { ClientMutationId } from "../../schemas/text.ts";
import { valueBy } from "../by-schema.ts";
import { type CommandContext, type Option, option } from "../command.ts";

/** @param request what the id belongs to, where the command may send several requests */
export function mutationIdOption(request = "the request"): Option<string | undefined> {
  return option(
    "--client-mutation-id <id>",
    `The clientMutationId of ${request}, 1 to 128 characters; a new one by default`,
    valueBy(ClientMutationId),
  );
}

/**
 * The id of a request: the one of the command line or of the file, or a new one.
 *
 * @throws USAGE where the file has another id
 */
export function mutationIdOf(
  context: Pick<CommandContext, "newMutationId">,
  typed: string | undefined,
  inFile?: string,
): string {
  if (typed !== undefined && inFile !== undefined && typed !== inFile) {
    throw new FormctlError(
      "USAGE",
      `--client-mutation-id ${typed} and the clientMutationId "${inFile}" of the file contradict each other`,
      "Remove one of them.",
    );
  }
  return typed ?? inFile ?? context.newMutationId();
}
