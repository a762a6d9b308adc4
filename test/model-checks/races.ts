/**
 * Runs requests of several actors at once. Then searches for an order of these requests that explains the results: in
 * this order, the model gives the same answers and leaves the same records. The order must respect time: a request that
 * ended before another request began comes first.
 */

import { setTimeout } from "node:timers/promises";
import { difference, Ids } from "../model/compare.ts";
import type { Cut } from "./engine-connection.ts";
import { type Clock, type EngineTarget, firstState, type Pair } from "./engine-target.ts";
import { answer, type Outcome, type Request } from "../model/model.ts";
import type { Json, Key, State } from "../model/records.ts";

export type Random = (limit: number) => number;

export type Step = {
  operation: string;
  input: Json;
  by?: Key;
  idempotencyKey?: string;
  cut?: Cut;
  /** The actor is stopped before this request. It continues after all other actors have ended. */
  isHeld?: true;
};

/** The requests of one caller, in order. */
export type Actor = readonly Step[];

/** Prepares the records of a race, and returns its actors. */
export type Race = (scene: Scene, random: Random) => Promise<readonly Actor[]>;

type Sent = { request: Request; start: number; end: number; outcome: Outcome | undefined };

/**
 * A pair of organizations of a target, and the state of the model. The organizations and the state are equal before a
 * race.
 */
export class Scene {
  readonly state: State = firstState();
  readonly #target: EngineTarget;
  readonly #pair: Pair;
  readonly #clock: Clock;

  constructor(target: EngineTarget, pair: Pair, clock: Clock) {
    this.#target = target;
    this.#pair = pair;
    this.#clock = clock;
  }

  /** Sends a request before the race. @returns the answer with the ids of the model @throws if the answers differ */
  async ask<T = Json>(operation: string, input: Json): Promise<T> {
    this.#tick();
    const request = requestOf({ operation, input });
    const expected = answer(this.state, structuredClone(request));
    const found = difference(expected, await this.#pair.send(this.#pair.ids.toService(request)), this.#pair.ids);
    if (found !== undefined || expected.refusal) throw new Error(`the preparation fails: ${operation}: ${found}`);
    return expected.answer as T;
  }

  /**
   * Runs a race.
   *
   * @returns `found`: why no serial order explains the answers and records; undefined if an order explains them.
   *   `sent`: the requests
   */
  async run(actors: readonly Actor[], random: Random): Promise<{ found: string | undefined; sent: readonly Sent[] }> {
    this.#tick();
    const others: Promise<unknown>[] = [];
    const ended: Promise<readonly Sent[]>[] = [];
    for (const [index, steps] of actors.entries()) {
      const isHeld = steps.some((step) => step.isHeld);
      const run = this.#act(steps, index, random(3), () => Promise.allSettled(others));
      ended.push(run);
      if (!isHeld) others.push(run);
    }
    const sent = await Promise.all(ended);
    const reads = await this.#reads();
    const search: Search = { best: "no request can be the first one", placed: -1, reads };
    const found = isSerial(search, { state: this.state, ids: this.#pair.ids, left: sent, count: 0 });
    return { found: found ? undefined : describe(search.best, sent), sent: sent.flat() };
  }

  async #act(steps: Actor, index: number, delay: number, others: () => Promise<unknown>): Promise<Sent[]> {
    const sent: Sent[] = [];
    if (delay > 0) await setTimeout(delay - 1);
    for (const step of steps) {
      if (step.isHeld) await others();
      const request = requestOf(step);
      const start = performance.now();
      const how = { connection: index % this.#target.size, cut: step.cut };
      const outcome = await this.#pair.send(this.#pair.ids.toService(request), how);
      // A request has no effect, and no position in the order, if it was cut before its commit.
      const isDone = outcome !== undefined || step.cut === "after";
      if (isDone) sent.push({ request, start, end: performance.now(), outcome });
    }
    return sent;
  }

  async #reads(): Promise<Read[]> {
    const reads: Read[] = [];
    const read = async (operation: string, input: Json) => {
      const request = requestOf({ operation, input });
      const outcome = (await this.#pair.send(request))!;
      reads.push({ request, outcome });
      return outcome.answer;
    };
    const path = { moduleKey: "staffing", objectKey: "candidate" };
    const forms = (await read("listForms", { ...path, query: { limit: 100 } })) as
      | { data: { id: string }[] }
      | undefined;
    for (const { id } of forms?.data ?? []) await read("getFormAccess", { ...path, formId: id });
    const layouts = (await read("listLayouts", {})) as { id: string }[] | undefined;
    for (const { id } of layouts ?? []) await read("listVersions", { layoutId: id });
    return reads;
  }

  #tick(): void {
    this.#clock.now = new Date(this.#clock.now.getTime() + 1000);
    this.state.now = this.#clock.now.toISOString();
  }
}

type Read = { request: Request; outcome: Outcome };

function requestOf({ operation, input, by = "north", idempotencyKey }: Step): Request {
  return { by, isReader: false, operation, input, ...(idempotencyKey !== undefined && { idempotencyKey }) };
}

/** `best` explains why the longest order ends after `placed` requests. */
type Search = { best: string; placed: number; reads: readonly Read[] };

type Position = { state: State; ids: Ids; left: readonly (readonly Sent[])[]; count: number };

function isSerial(search: Search, { state, ids, left, count }: Position): boolean {
  const open = left.filter((steps) => steps.length > 0);
  if (open.length === 0) return hasSameRecords(search, state, ids, count);
  const earliestEnd = Math.min(...open.map(([first]) => first!.end));
  for (const steps of open) {
    const [{ request, start, outcome }, ...rest] = steps as [Sent, ...Sent[]];
    if (start > earliestEnd) continue;
    const nextState = structuredClone(state);
    const nextIds = new Ids(ids);
    const expected = answer(nextState, structuredClone(request));
    const found = outcome && difference(expected, outcome, nextIds);
    if (found !== undefined) note(search, count, `${request.operation}: ${found}`);
    else {
      const next = { state: nextState, ids: nextIds, left: left.map((each) => (each === steps ? rest : each)) };
      if (isSerial(search, { ...next, count: count + 1 })) return true;
    }
  }
  return false;
}

function hasSameRecords(search: Search, state: State, ids: Ids, count: number): boolean {
  const after = structuredClone(state);
  const bound = new Ids(ids);
  for (const { request, outcome } of search.reads) {
    const expected = answer(after, bound.toModel(request));
    const found = difference(expected, outcome, bound);
    if (found === undefined) continue;
    note(search, count, `after the race, ${request.operation}: ${found}`);
    return false;
  }
  return true;
}

function note(search: Search, placed: number, text: string): void {
  if (placed <= search.placed) return;
  search.placed = placed;
  search.best = text;
}

function describe(best: string, actors: readonly (readonly Sent[])[]): string {
  const lines = actors.map((steps, index) => {
    const requests = steps.map(({ request, outcome }) => {
      const code = outcome?.refusal
        ? String(outcome.refusal["code"] ?? outcome.refusal["failure"])
        : outcome
          ? "accepted"
          : "answer lost";
      return `${request.operation} ${JSON.stringify(request.input)} (${code})`;
    });
    return `    actor ${index}: ${requests.join(", ").slice(0, 400)}`;
  });
  return [`no serial order: ${best}`, ...lines].join("\n");
}
