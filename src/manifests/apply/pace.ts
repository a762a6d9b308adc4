/** Sending no faster than a service takes it: who is told to wait waits for all, and then all go on. */

import { ServiceError } from "../../service.ts";

/** The longest that a service may ask to wait, and all that is waited while it takes nothing in between; in milliseconds. */
const PATIENCE = 60_000;
/** The shortest that `Retry-After` can ask for. */
const SHORTEST = 1_000;

export type Pace = {
  /**
   * Makes the attempt as soon as nobody has to wait, and again after each refusal that says how long to wait (429): such a
   * request was not carried out. `isAgain` tells that there was one.
   *
   * @throws what the attempt throws; the refusal where it would be waited for too long, then also to those that come before
   *   its time is over, who send nothing; the reason of `ending`
   */
  keep<T>(attempt: (isAgain: boolean) => Promise<T>): Promise<T>;
};

export type PaceOptions = {
  now: () => Date;
  /** Ends sooner where `ending` does. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  ending: AbortSignal;
  onWait: (until: Date) => void;
  /** Everybody who was refused goes on now. */
  onResume: () => void;
};

export function createPace({ now, sleep, ending, onWait, onResume }: PaceOptions): Pace {
  const gate: { reopens?: Promise<void> | undefined } = {};
  /** Since the service has last taken something. */
  let waited = 0;
  let givenUp: ServiceError | undefined;

  return {
    async keep(attempt) {
      for (let isAgain = false; ; isAgain = true) {
        while (gate.reopens) await gate.reopens;
        if (isAgain) ending.throwIfAborted();
        if (givenUp && now() < givenUp.retryAt!) throw givenUp;
        try {
          const taken = await attempt(isAgain);
          waited = 0;
          return taken;
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 429 || !error.retryAt) throw error;
          const wait = Math.max(SHORTEST, error.retryAt.getTime() - now().getTime());
          if (wait > PATIENCE || (!gate.reopens && waited + wait > PATIENCE)) throw (givenUp = error);
          gate.reopens ??= rest(wait);
        }
      }
    },
  };

  async function rest(milliseconds: number): Promise<void> {
    waited += milliseconds;
    onWait(new Date(now().getTime() + milliseconds));
    await sleep(milliseconds, ending);
    gate.reopens = undefined;
    onResume();
  }
}
