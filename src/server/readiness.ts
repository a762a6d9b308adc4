/**
 * Decides whether the server is ready for requests (`GET /readyz`). A ready server is not stopping, and its store
 * answers in time. Any client can call the endpoint without a token. To limit the load on the store, concurrent
 * requests share one query. The result is reused for a second.
 */

export type Readiness = {
  /** Returns why the server is not ready; undefined if it is ready. */
  check: () => Promise<string | undefined>;
  /** Marks the server as stopping: from then on, it is not ready. */
  drain: () => void;
};

export type ReadinessOptions = {
  /** Sends a query to the store. @throws an error of the store */
  ask: () => Promise<void>;
  /** Describes an error of the store without private data such as paths. */
  describe: (error: unknown) => string;
  /** A clock in milliseconds. */
  now: () => number;
  /** The time that the store has to answer, in milliseconds. */
  patience?: number;
  /** Called when the state of the store changes. `reason` is undefined if the store answers. */
  onChange?: (reason: string | undefined) => void;
};

/** The time in milliseconds for which a result is reused. */
const HOLDS_MS = 1_000;

export function openReadiness({ ask, describe, now, patience = 2_000, onChange }: ReadinessOptions): Readiness {
  let isDraining = false;
  let running: Promise<string | undefined> | undefined;
  let last: { reason: string | undefined; at: number } | undefined;
  let reported: string | undefined;

  /** Returns the result of the query in progress, or of a new query. */
  const result = () =>
    (running ??= ask()
      .then(() => undefined, describe)
      .finally(() => (running = undefined)));
  const waited = async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(resolve, patience, `the store did not answer within ${patience / 1000} seconds`);
    const reason = await Promise.race([result(), promise]);
    clearTimeout(timer);
    last = { reason, at: now() };
    return reason;
  };
  const report = (reason: string | undefined) => {
    if (reason !== reported) onChange?.(reason);
    reported = reason;
    return reason;
  };
  return {
    async check() {
      if (isDraining) return "the server stops";
      const reason = last && now() - last.at < HOLDS_MS ? last.reason : await waited();
      return isDraining ? "the server stops" : report(reason);
    },
    drain() {
      isDraining = true;
    },
  };
}
