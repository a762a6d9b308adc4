/** `formctl doctor --contract`: compares the answers of a server, or of a recording, with the documented shapes. */

import { dirname, resolve } from "node:path";
import { FormctlError } from "../base/error.ts";
import { targetText } from "../config/target.ts";
import { refuseLeadingOut } from "../disk/links.ts";
import { writeWhole } from "../disk/write-file.ts";
import { type Documented, loadDocumented } from "../schemas/contract/documented.ts";
import { readHar } from "../schemas/contract/har.ts";
import { compare, judge } from "../schemas/contract/judge.ts";
import { observe, readShapes, type Shapes, shapesText } from "../schemas/contract/shapes.ts";
import { type OperationName, operations } from "../schemas/operations.ts";
import type { CommandContext } from "./command.ts";
import { type NotLookedAt, readOperations, readServer } from "./contract-reads.ts";
import type { Contract } from "./contract-view.ts";

export type ContractInput = {
  from: string | undefined;
  save: string | undefined;
  compare: string | undefined;
};

export async function checkContract(context: CommandContext, input: ContractInput): Promise<Contract> {
  const documented = await loadDocumented();
  if (input.save !== undefined) refuseLeadingOut(dirname(resolve(context.cwd, input.save)), context.settings.root);
  const saved = input.compare === undefined ? undefined : await readFileWith(context, input.compare, readShapes);
  const { shapes, notLookedAt } =
    input.from === undefined
      ? await readServer(context, documented)
      : await readRecording(context, input.from, documented);
  const findings = judge(shapes, documented);
  const changes = saved && compare(saved, shapes, documented);
  if (input.save !== undefined) await writeWhole(resolve(context.cwd, input.save), shapesText(shapes), 0o644);
  const isChanged = changes !== undefined && changes.added.length + changes.removed.length > 0;
  return {
    exitCode: findings.some(({ group }) => group === "canBreak") ? 1 : isChanged ? 2 : 0,
    source: input.from ?? targetText(context.target),
    findings,
    lookedAt: (Object.keys(operations) as OperationName[]).filter((name) =>
      shapes[name]?.statuses.some((status) => status < 300),
    ),
    notLookedAt,
    ...(changes && { changes }),
  };
}

async function readRecording(
  context: CommandContext,
  path: string,
  documented: Documented,
): Promise<{ shapes: Shapes; notLookedAt: NotLookedAt[] }> {
  const observations = await readFileWith(context, path, readHar);
  if (observations.length === 0)
    throw new FormctlError("INVALID_VALUE", `${path} has no answers of the API`, "Record requests to /v1.");
  const shapes: Shapes = {};
  for (const one of observations) observe(shapes, documented, one);
  const notLookedAt = readOperations
    .filter((name) => shapes[name] === undefined)
    .map((operation) => ({ operation, reason: "not in the recording" }));
  return { shapes, notLookedAt };
}

/** @throws INVALID_VALUE if the file can't be read; INVALID_FILE if it has another format */
async function readFileWith<T>({ readFile }: CommandContext, path: string, read: (text: string) => T): Promise<T> {
  const text = Buffer.from(await readFile(path)).toString("utf8");
  try {
    return read(text);
  } catch (error) {
    // The message of a SyntaxError quotes the file.
    const reason = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
    throw new FormctlError("INVALID_FILE", `can't read ${path}: ${reason}`);
  }
}
