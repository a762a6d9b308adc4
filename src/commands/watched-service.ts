/** A service whose requests are noted: written to the log, counted, or with `--dry-run` not sent at all. */

import { operationRow, operations, type OperationName, pathParameters } from "../schemas/operations.ts";
import { type CallOptions, NotConfirmed, type Service, ServiceError } from "../service.ts";
import { Interrupted } from "../terminal/interrupted.ts";

/** A request as the API would see it. */
export type RequestView = { method: string; path: string; body?: unknown };

export type Watch = {
  /** Writes that were sent and not refused, with `tellsSteps` only those that were accepted, or with `dryRun` that would have been sent. */
  writes: RequestView[];
  /** Reads go through, writes are only noted. */
  dryRun: boolean;
  /** Whoever asks tells of each request by himself. */
  tellsSteps: boolean;
  /** Told of each request that was answered or refused. */
  log?: ((line: string) => void) | undefined;
  now: () => Date;
};

/**
 * A read failed after a write of the same command had been done, or the next write was interrupted: what is told of that
 * must not hide what is done.
 */
export class StoppedAfterWrite extends Error {
  override readonly name = "StoppedAfterWrite";
  readonly hint = "Look at what is there before you type it again.";

  constructor(done: readonly RequestView[], cause: unknown) {
    const writes = done.map(({ method, path }) => `${method} ${path}`).join(", ");
    super(`${writes} is done; then it could not go on: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

type AnyInput = Record<string, unknown> & { body?: unknown };
type AnyOperation = (input: AnyInput, options?: CallOptions) => Promise<unknown>;

/** Thrown when a command needs the answer of a write that `--dry-run` did not send: nothing more can be foretold. */
export class DryRunEnd extends Error {
  override readonly name = "DryRunEnd";
}

export function watchService(service: Service, watch: Watch): Service {
  const done: RequestView[] = [];
  const watched: Partial<Record<OperationName, AnyOperation>> = {};
  for (const name of Object.keys(operations) as OperationName[]) {
    const call = service[name] as unknown as AnyOperation;
    const isWrite = operationRow(name).method !== "GET";
    watched[name] = async (input, options) => {
      if (!isWrite && !watch.log && (watch.tellsSteps || done.length === 0)) return call(input, options);
      const request = requestView(name, input);
      if (isWrite) watch.writes.push(request);
      if (isWrite && watch.dryRun) return unknownAnswer();
      try {
        const send = () => call(input, options);
        const answer = await (watch.log ? logged(request, send, watch.log, watch.now) : send());
        if (isWrite && !watch.tellsSteps) done.push(request);
        return answer;
      } catch (error) {
        // What was refused was not written. Whoever tells of each request tells of one without an answer, too.
        const isWritten = watch.tellsSteps ? error instanceof NotConfirmed : isNoAnswer(error);
        if (isWrite && !isWritten) watch.writes.splice(watch.writes.indexOf(request), 1);
        const isStopped = isWrite ? error instanceof Interrupted : isNoAnswer(error);
        throw isStopped && done.length > 0 ? new StoppedAfterWrite(done, error) : error;
      }
    };
  }
  return watched as unknown as Service;
}

/** Nobody answered, or the answer says nothing of what was asked. */
function isNoAnswer(error: unknown): boolean {
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
