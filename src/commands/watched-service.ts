/** A service whose requests are noted: written to the log, counted, or with `--dry-run` not sent at all. */

import { isJsonObject } from "../schemas/json.ts";
import { operationRow, operations, type OperationName, pathParameters } from "../schemas/operations.ts";
import { type CallOptions, NotConfirmed, type Service, ServiceError } from "../service.ts";

/** A request as the API would see it. */
export type RequestView = { method: string; path: string; body?: unknown };

export type Watch = {
  /** Writes that were sent and not refused, with `tellsSteps` only those that were accepted, or with `dryRun` that would have been sent. */
  writes: RequestView[];
  /** The writes that are done, as a failure reports them; none with `tellsSteps`. */
  done: string[];
  /** What reads have thrown after a write was done. */
  failedReads: WeakSet<object>;
  /** Reads go through, writes are only noted. */
  dryRun: boolean;
  /** Whoever asks tells of each request by himself. */
  tellsSteps: boolean;
  /** Told of each request that was answered or refused. */
  log?: ((line: string) => void) | undefined;
  now: () => Date;
};

type AnyInput = Record<string, unknown> & { body?: unknown };
type AnyOperation = (input: AnyInput, options?: CallOptions) => Promise<unknown>;

/** Thrown when a command needs the answer of a write that `--dry-run` did not send: nothing more can be foretold. */
export class DryRunEnd extends Error {
  override readonly name = "DryRunEnd";
}

export function watchService(service: Service, watch: Watch): Service {
  const watched: Partial<Record<OperationName, AnyOperation>> = {};
  for (const name of Object.keys(operations) as OperationName[]) {
    const call = service[name] as unknown as AnyOperation;
    const isWrite = operationRow(name).method !== "GET";
    watched[name] = async (input, options) => {
      if (!isWrite && !watch.log && watch.done.length === 0) return call(input, options);
      const request = requestView(name, input);
      if (isWrite) watch.writes.push(request);
      if (isWrite && watch.dryRun) return unknownAnswer();
      try {
        const send = () => call(input, options);
        const answer = await (watch.log ? logged(request, send, watch.log, watch.now) : send());
        if (isWrite) noteDone(watch, request, answer);
        return answer;
      } catch (error) {
        // What was refused was not written. Whoever tells of each request tells of one without an answer, too.
        const isWritten = watch.tellsSteps ? error instanceof NotConfirmed : isNoAnswer(error);
        if (isWrite && !isWritten) watch.writes.splice(watch.writes.indexOf(request), 1);
        if (isWrite && error instanceof NotConfirmed) noteDone(watch, request, undefined);
        if (!isWrite && error instanceof Error) watch.failedReads.add(error);
        throw error;
      }
    };
  }
  return watched as unknown as Service;
}

/** A write that was accepted. With the id that the answer gives, where the path does not have it: what was created must be found again. */
export function noteDone({ tellsSteps, done }: Watch, { method, path }: RequestView, answer: unknown): void {
  if (tellsSteps) return;
  const { id, draftVersionId, versionId } = isJsonObject(answer) ? answer : {};
  const ids = [id, draftVersionId, versionId].filter((each) => typeof each === "string" || typeof each === "number");
  const made = ids.map(String).find((each) => !path.includes(each));
  done.push(`${method} ${path}${made === undefined ? "" : ` (${made})`}`);
}

/** Nobody answered, or the answer says nothing of what was asked. */
export function isNoAnswer(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.status === 429 || error.status >= 500;
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
  const tell = (outcome: string) => log(`${method} ${path} ${outcome} ${now().getTime() - start} ms`);
  try {
    const answer = await call();
    tell("ok");
    return answer;
  } catch (error) {
    tell(String((error as { status?: number }).status ?? "failed"));
    throw error;
  }
}

/** Stands for an answer that nobody gave: whoever looks into it ends the dry run. `then` is what `await` looks for. */
function unknownAnswer(): unknown {
  return new Proxy(
    {},
    {
      get(_target, member) {
        if (member === "then") return undefined;
        throw new DryRunEnd("the rest depends on an answer that a dry run does not get");
      },
    },
  );
}
