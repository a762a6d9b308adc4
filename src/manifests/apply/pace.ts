/** Sending no faster than a service takes it: who is told to wait waits for all, and then all go on. */

import { ServiceError } from "../../service.ts";

/** The longest that a service may ask to wait, and all that is waited while it takes nothing in between; in milliseconds. */
const PATIENCE = 60_000;
/** The shortest that `Retry-After` can ask for, and the first wait where nothing is asked for: twice as long each time … */
const SHORTEST = 1_000;
/** … up to this. */
const LONGEST_UNASKED = 5_000;

export type Pace = {
  /**
   * Makes the attempt as soon as nobody has to wait, and again after each refusal for being too fast (429), be it said how
   * long to wait or not: such a request was not carried out. `isAgain` tells that there was one.
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
  /** `isAsked`: the service has said how long. */
  onWait: (until: Date, isAsked: boolean) => void;
  /** Everybody who was refused goes on now. */
  onResume: () => void;
};

export function createPace({ now, sleep, ending, onWait, onResume }: PaceOptions): Pace {
  const gate: { reopens?: Promise<void> | undefined } = {};
  /** Since the service has last taken something. */
  let waited = 0;
  /** How often it was waited since then without being told how long. */
  let unasked = 0;
  let givenUp: (ServiceError & { retryAt: Date }) | undefined;

  return {
    async keep(attempt) {
      for (let isAgain = false; ; isAgain = true) {
        while (gate.reopens) await gate.reopens;
        if (isAgain) ending.throwIfAborted();
        if (givenUp && now() < givenUp.retryAt) throw givenUp;
        try {
          const taken = await attempt(isAgain);
          waited = unasked = 0;
          return taken;
        } catch (error) {
          if (!(error instanceof ServiceError) || error.status !== 429) throw error;
          const asked = error.retryAt && Math.max(SHORTEST, error.retryAt.getTime() - now().getTime());
          const wait = asked ?? Math.min(LONGEST_UNASKED, SHORTEST * 2 ** unasked);
          if (wait > PATIENCE || (!gate.reopens && waited + wait > PATIENCE)) {
            if (hasTime(error)) givenUp = error;
            throw error;
          }
          gate.reopens ??= rest(wait, asked !== undefined);
        }
      }
    },
  };

  async function rest(milliseconds: number, isAsked: boolean): Promise<void> {
    waited += milliseconds;
    if (!isAsked) unasked++;
    onWait(new Date(now().getTime() + milliseconds), isAsked);
    await sleep(milliseconds, ending);
    gate.reopens = undefined;
    onResume();
  }
}

function hasTime(error: ServiceError): error is ServiceError & { retryAt: Date } {
  return error.retryAt !== undefined;
}
