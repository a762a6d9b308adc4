/**
 * Wraps a service to record its requests. The log, reports after a failure, and `--dry-run` use the recorded requests.
 */

import { isJsonObject } from "../schemas/json.ts";
import { operationRow, type OperationName, pathParameters } from "../schemas/operations.ts";
import { type AnyInput, mapCalls, mayBeDone, NotConfirmed, type Service, ServiceError } from "../service.ts";

export type RequestView = { method: string; path: string; body?: unknown };

export type Watch = {
  /** With `dryRun`, the writes that would be sent. */
  unsent: RequestView[];
  /** The number of writes that were sent and not refused. With `reportsSteps`, only of the accepted writes. */
  written: number;
  /** The writes that are done, as texts for the error of the command. Empty with `reportsSteps`. */
  done: string[];
  /** The errors of reads. Without `log`, only the errors of reads after an accepted write. */
  failedReads: WeakSet<object>;
  /** Whether writes are recorded instead of sent. Reads are always sent. */
  dryRun: boolean;
  /** Whether the command itself reports the outcome of each request. */
  reportsSteps: boolean;
  /** Called with a line for each request that was answered or refused. */
  log?: ((line: string) => void) | undefined;
  now: () => Date;
};

/** Ends a dry run. Thrown when a command reads the response of an unsent write. */
export class DryRunEnd extends Error {
  override readonly name = "DryRunEnd";
}

export function watchService(service: Service, watch: Watch): Service {
  return mapCalls(service, (call, name) => {
    const isWrite = operationRow(name).method !== "GET";
    return async (input, options) => {
      if (!isWrite && !watch.log && watch.done.length === 0) return call(input, options);
      const request = requestView(name, input);
      if (isWrite && watch.dryRun) {
        watch.unsent.push(request);
        return unknownAnswer();
      }
      try {
        const send = () => call(input, options);
        const answer = await (watch.log ? logged(request, send, watch.log, watch.now) : send());
        if (isWrite) recordDone(watch, request, answer);
        return answer;
      } catch (error) {
        if (isWrite && error instanceof NotConfirmed) recordDone(watch, request, undefined);
        // A refused request wrote nothing. With `reportsSteps`, a request with an unknown outcome is not counted either.
        else if (isWrite && !watch.reportsSteps && mayBeDoneDespite(error)) watch.written++;
        if (!isWrite && error instanceof Error) watch.failedReads.add(error);
        throw error;
      }
    };
  });
}

/**
 * Counts an accepted write, and adds it to `done` as a text. If the write created a record, the text includes the id of
 * the record.
 */
export function recordDone(watch: Watch, { method, path }: RequestView, answer: unknown): void {
  watch.written++;
  if (watch.reportsSteps) return;
  const { id, draftVersionId, versionId } = isJsonObject(answer) ? answer : {};
  const ids = [id, draftVersionId, versionId].filter((each) => typeof each === "string" || typeof each === "number");
  const createdId = ids.map(String).find((each) => !path.includes(each));
  watch.done.push(`${method} ${path}${createdId === undefined ? "" : ` (${createdId})`}`);
}

/** Whether a write may be done despite its error: there is no answer, or the status of the answer is not a refusal. */
export function mayBeDoneDespite(error: unknown): boolean {
  return !(error instanceof ServiceError) || mayBeDone(error.status);
}

export function requestView(name: OperationName, input: AnyInput): RequestView {
  const { method, path } = operationRow(name);
  let filled = path;
  for (const parameter of pathParameters(path)) {
    filled = filled.replace(`:${parameter}`, encodeURIComponent(String(input[parameter])));
  }
  return { method, path: filled, ...("body" in input && { body: input.body }) };
}

async function logged(
  { method, path }: RequestView,
  call: () => Promise<unknown>,
  log: (line: string) => void,
  now: () => Date,
): Promise<unknown> {
  const start = now().getTime();
  const write = (outcome: string) => log(`${method} ${path} ${outcome} ${now().getTime() - start} ms`);
  try {
    const answer = await call();
    write("ok");
    return answer;
  } catch (error) {
    write(String((error as { status?: number }).status ?? "failed"));
    throw error;
  }
}

/**
 * Returns the response of a write in a dry run. Reading a member of the response ends the dry run. `then` is an
 * exception, because `await` reads `then`.
 */
function unknownAnswer(): unknown {
  return new Proxy(
    {},
    {
      get(_target, member) {
        if (member === "then") return undefined;
        throw new DryRunEnd("the next step needs a response that a dry run does not get");
      },
    },
  );
}
