/**
 * Sends requests in a way that the service accepts:
 *
 * - A limited number of requests is sent concurrently.
 * - No request is sent during a wait after a 429.
 * - Optional members that the service refuses are omitted.
 */

import { type Service, ServiceError } from "../service.ts";

export type Limited = <T>(task: () => Promise<T>) => Promise<T>;

/** Wraps a service so that each request is a limited task. */
export function limitedService(service: Service, limited: Limited): Service {
  const send = Object.entries(service) as [string, (...args: readonly unknown[]) => Promise<unknown>][];
  const wrapped = send.map(([name, call]) => [name, (...args: readonly unknown[]) => limited(() => call(...args))]);
  return Object.fromEntries(wrapped) as Service;
}

/** Returns a function that runs at most `limit` tasks concurrently. Other tasks wait in order. */
export function limitConcurrency(limit: number): Limited {
  const waiting: (() => void)[] = [];
  let running = 0;
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };
  return async (task) => {
    if (running < limit) running++;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      const result = await task();
      release();
      return result;
    } catch (error) {
      // The next task begins only after the caller has handled this failure. If the failure is a 429, the caller starts a
      // wait, and the next task must not begin before the end of that wait.
      setImmediate(release);
      throw error;
    }
  };
}

/**
 * The longest wait in milliseconds that is accepted from a service. After a 429 that states a longer wait, the request
 * fails. Also the longest total wait while the service answers every request with 429.
 */
const MAX_WAIT_MS = 60_000;
/**
 * The shortest wait in milliseconds after a 429 with `Retry-After`. Also the first wait without `Retry-After`. Each
 * further wait without `Retry-After` is twice as long as the previous wait.
 */
const MIN_WAIT_MS = 1_000;
/** The longest wait in milliseconds that the service did not request. */
const MAX_UNREQUESTED_WAIT_MS = 5_000;

type Pace = {
  /**
   * Sends a request as soon as no wait is in progress. Sends the request again after each 429: the service did not
   * carry out the refused request. `isRetry` is true if the request was refused before.
   *
   * @throws what `attempt` throws
   * @throws the reason of `ending`
   * @throws the 429 if the wait would take too long. If the 429 states a time, requests before this time are not sent,
   *   and throw the 429 too
   */
  send<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T>;
  /**
   * Resolves as soon as no wait is in progress.
   *
   * @throws the 429 after which `send` gave up, until the time that this 429 states
   */
  opened(): Promise<void>;
};

type PaceOptions = {
  now: () => Date;
  /** Waits, and ends early when `ending` is aborted. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  ending: AbortSignal;
  /** Called at the start of each wait. `isRequested` is true if the service stated how long to wait. */
  onWait: (until: Date, isRequested: boolean) => void;
  /** Called after a wait, before the refused requests are sent again. */
  onResume: () => void;
};

export function createPace({ now, sleep, ending, onWait, onResume }: PaceOptions): Pace {
  const gate: { reopens?: Promise<void> | undefined } = {};
  /** Milliseconds waited since the service last accepted a request. */
  let waited = 0;
  /** The number of waits whose length the service did not state, since the service last accepted a request. */
  let unrequested = 0;
  let givenUp: (ServiceError & { retryAt: Date }) | undefined;

  return {
    async send(attempt) {
      for (let isRetry = false; ; isRetry = true) {
        await opened();
        if (isRetry) ending.throwIfAborted();
        try {
          const answer = await attempt(isRetry);
          waited = unrequested = 0;
          return answer;
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 429) throw error;
          const requested = error.retryAt && Math.max(MIN_WAIT_MS, error.retryAt.getTime() - now().getTime());
          const wait = requested ?? Math.min(MAX_UNREQUESTED_WAIT_MS, MIN_WAIT_MS * 2 ** unrequested);
          if (wait > MAX_WAIT_MS || (!gate.reopens && waited + wait > MAX_WAIT_MS)) {
            if (hasRetryTime(error)) givenUp = error;
            throw error;
          }
          gate.reopens ??= closeGate(wait, requested !== undefined);
        }
      }
    },
    opened,
  };

  async function opened(): Promise<void> {
    while (gate.reopens) await gate.reopens;
    if (givenUp && now() < givenUp.retryAt) throw givenUp;
  }

  async function closeGate(milliseconds: number, isRequested: boolean): Promise<void> {
    waited += milliseconds;
    if (!isRequested) unrequested++;
    onWait(new Date(now().getTime() + milliseconds), isRequested);
    await sleep(milliseconds, ending);
    gate.reopens = undefined;
    onResume();
  }
}

function hasRetryTime(error: ServiceError): error is ServiceError & { retryAt: Date } {
  return error.retryAt !== undefined;
}

/**
 * - `expected…`: the id of the version that the write replaces
 * - `clientMutationId`: the id by which the server recognizes a repeated creation of a layout
 */
export type OptionalMember = "expectedDraftVersionId" | "expectedPublishedVersionId" | "clientMutationId";

/**
 * Sends a request with `{[member]: value}`, or without the member if the value is undefined. In these cases, the
 * request is sent again without the member:
 *
 * - The server refuses the member by name. Later requests of this run omit the member too.
 * - The server refuses the request without naming a cause. If the second attempt succeeds, later requests of this run
 *   omit the member too.
 * - The server refuses null as the expected draft, and reports that no draft exists. Later requests still have the
 *   member.
 *
 * @param refused the members that the server has refused in this run
 */
export async function sendWithOptional<M extends OptionalMember, V extends string | null, T>(
  refused: Set<OptionalMember>,
  member: M,
  value: V | undefined,
  send: (optional: { [K in M]?: V }) => Promise<T>,
): Promise<T> {
  const none = {} as { [K in M]?: V };
  if (value === undefined || refused.has(member)) return send(none);
  try {
    return await send({ ...none, [member]: value });
  } catch (error) {
    // The server supports the member, but reads null as an id. The write was not carried out.
    if (member === "expectedDraftVersionId" && value === null && reportsNoDraft(error)) return send(none);
    const named = namedMember(error, member);
    if (named === "other") throw error;
    if (named === "this") refused.add(member);
    const answer = await send(none).catch((again: unknown) => {
      throw named === "this" || namedMember(again, member) === "other" ? again : error;
    });
    refused.add(member);
    return answer;
  }
}

/** Whether the server reports a conflict although no draft exists. Used for requests that expect no draft. */
function reportsNoDraft(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 409 && error.body.meta?.["currentDraftVersionId"] === null;
}

/**
 * Returns what a refusal (400 or 422) names as its cause: `member` ("this"), something else ("other"), or nothing
 * ("none"). For an error that is not such a refusal, returns "other".
 */
function namedMember(error: unknown, member: OptionalMember): "this" | "other" | "none" {
  if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 422)) return "other";
  const { body } = error;
  if (JSON.stringify({ ...error.said, clientMutationId: undefined }).includes(member)) return "this";
  const { fieldErrors = {}, errors = [], impacts = [], validation } = body;
  const names = Object.keys(fieldErrors).length + errors.length + impacts.length;
  return names === 0 && !validation ? "none" : "other";
}
