/**
 * Runs a script step by step. Each step runs once. The id of a write stays the same after an interruption. The service
 * recognizes a repeated id, and carries out the write once.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { LocatedError } from "../documents/located-error.ts";
import { FormctlError, isOutcomeUnknown } from "../base/error.ts";
import { derivedId } from "../mutation-ids.ts";
import type { Json } from "../schemas/json.ts";
import { type OperationName, operationRow, pathParameters } from "../schemas/operations.ts";
import { type AnyCall, mapCalls, type Service, ServiceError } from "../service.ts";
import { isScript, type ScriptService, type Step } from "./definition.ts";
import type { LoadedMigration, ScriptWrite } from "./loaded.ts";
import type { RecordedStep } from "./record.ts";
import { recordableAnswer } from "./step-answer.ts";
import { rememberCall } from "./thrown.ts";

export type ScriptRun = {
  loaded: LoadedMigration;
  direction: "run" | "down";
  service: Service;
  /**
   * Identifies this run of the migration. The ids of the writes are computed from the seed. An interrupted run
   * continues with the same seed. A run after `down` needs a new seed. Otherwise the service would return the stored
   * responses of the first run.
   */
  seed: string;
  /** The steps that are done. */
  recorded: readonly RecordedStep[];
  /** Only for `down`: the recorded steps of `run`. The function `down` gets their answers. */
  runSteps?: readonly RecordedStep[];
  now: () => Date;
  /**
   * Records a step that is done. The calls don't overlap. An error of `onStep` ends the script: no more writes are
   * sent. The error is thrown unchanged, even if the script catches it.
   */
  onStep: (step: RecordedStep) => Promise<void>;
  /** Called before each write. An error of `beforeWrite` has the same effect as an error of `onStep`. */
  beforeWrite?: (write: ScriptWrite) => Promise<void>;
};

type WriteInput = ScriptWrite["input"];

type RunningStep = {
  name: string;
  hasEnded: boolean;
  /** The operation of the first write that is not a deletion. A later deletion in this step is refused. */
  changed?: OperationName;
  /** The writes that have not been answered. */
  pending: Set<Promise<unknown>>;
  /** The ids of the writes that are in progress or done. */
  ids: Set<string>;
  /** The errors of writes whose outcome is unknown, by the id of the write. */
  unknown: Map<string, unknown>;
};

/**
 * Runs a script. The steps in `recorded` do not run again. This function returns or throws after all started steps have
 * ended.
 *
 * The first error ends the script, even if the script catches it: the error of a step, or of a write outside of a step.
 * A step fails if the outcome of one of its writes is unknown, even if the step catches the error of this write.
 *
 * @throws LocatedError for an error of the script: see {@link LoadedMigration.call}
 * @throws the errors of `onStep` and `beforeWrite`
 * @throws MIGRATION_INVALID in these cases:
 * - a write outside of a step
 * - a step inside another step
 * - a second step of the same name
 * - an answer that can't be recorded
 * - a deletion after another write in the same step
 * - a write or step that is not awaited
 */
export async function runScript(options: ScriptRun): Promise<void> {
  const { loaded, direction, recorded, runSteps = [], now, onStep } = options;
  const { migration } = loaded;
  if (!isScript(migration)) throw new TypeError("the migration is not a script");
  const running = new AsyncLocalStorage<RunningStep>();
  const answers = answersByName(recorded);
  const started = new Set<string>();
  const unfinished = new Map<Promise<unknown>, string>();
  let recording = Promise.resolve();
  const ending = openEnding();

  const step: Step = (name, work) => {
    const { stack } = new Error("a call of step");
    const done = runStep(name, work).catch((error: unknown) => {
      rememberCall(error, stack);
      ending.begin(error);
      throw error;
    });
    unfinished.set(done, name);
    track(done, () => unfinished.delete(done));
    return done;
  };

  async function runStep<T>(name: string, work: () => Promise<T>): Promise<T> {
    ending.check();
    const outer = running.getStore();
    if (outer) throw invalid(`step "${name}" is inside step "${outer.name}"`, "Call one step after the other.");
    if (started.has(name)) throw invalid(`two steps are named "${name}"`, "Give each step its own name.");
    started.add(name);
    if (Object.hasOwn(answers, name)) return structuredClone(answers[name]) as T;
    const current: RunningStep = { name, hasEnded: false, pending: new Set(), ids: new Set(), unknown: new Map() };
    const answer = await running.run(current, async () => work()).finally(() => (current.hasEnded = true));
    const isAwaited = current.pending.size === 0;
    await Promise.allSettled(current.pending);
    for (const error of current.unknown.values()) throw error;
    if (!isAwaited) throw invalid(`step "${name}" does not await a write`, "Await each write, or return its promise.");
    const json = recordableAnswer(name, answer);
    // The calls of `onStep` run one after the other: each call writes the whole record.
    recording = recording.then(() => ending.guard(() => onStep({ name, answer: json, at: now().toISOString() })));
    await recording;
    return structuredClone(json) as T;
  }

  const service = scriptService(options, running, ending);
  try {
    await loaded.call(direction, async () => {
      try {
        if (direction === "run") await migration.run(service, step);
        else await migration.down?.(service, step, answersByName(runSteps));
        const [left] = unfinished.values();
        if (left !== undefined) throw invalid(`the script ends before its step "${left}"`, "Await each step.");
      } catch (error) {
        const first = ending.begin(error);
        // For a script in YAML, `error` contains the first error and has the position of its step.
        throw error instanceof LocatedError && error.cause === first ? error : first;
      } finally {
        await Promise.allSettled(unfinished.keys());
      }
      ending.check();
    });
  } finally {
    ending.checkGuarded();
  }
}

/** The first error of a script, which ends it. */
type Ending = {
  /**
   * Ends the script with an error. A script that has ended keeps its first error.
   *
   * @returns the error that ended the script
   */
  begin(error: unknown): unknown;
  /** @throws the error that ended the script */
  check(): void;
  /**
   * Calls `onStep` or `beforeWrite`. An error of these functions ends the script. The error is thrown unchanged,
   * without a location in the migration. After such an error, neither function is called again.
   */
  guard(call: () => Promise<void> | undefined): Promise<void>;
  /** @throws the error of a function that `guard` called */
  checkGuarded(): void;
};

function openEnding(): Ending {
  let first: { error: unknown } | undefined;
  let guarded: { error: unknown } | undefined;
  const checkGuarded = () => {
    if (guarded) throw guarded.error;
  };
  return {
    begin(error) {
      first ??= { error };
      return first.error;
    },
    check() {
      checkGuarded();
      if (first) throw first.error;
    },
    async guard(call) {
      checkGuarded();
      try {
        await call();
      } catch (error) {
        guarded = { error };
        first ??= { error };
        throw error;
      }
    },
    checkGuarded,
  };
}

/** Returns the service for the script. Reads are sent unchanged. Writes are sent only in steps, each with an id. */
function scriptService(
  { service, seed, beforeWrite }: ScriptRun,
  running: AsyncLocalStorage<RunningStep>,
  ending: Ending,
): ScriptService {
  return mapCalls(service, callInSteps) as unknown as ScriptService;

  function callInSteps(call: AnyCall, operation: OperationName): AnyCall {
    if (operationRow(operation).method === "GET") return (input) => call(input);
    return (input) => {
      const { stack } = new Error("a call of a write");
      const current = running.getStore();
      const isInStep = current !== undefined && !current.hasEnded;
      const sent = write(operation, call, input, current).catch((error: unknown) => {
        rememberCall(error, stack);
        // A write outside of a step ends the script, even if the script does not await the write.
        if (!isInStep) ending.begin(error);
        throw error;
      });
      current?.pending.add(sent);
      track(sent, () => current?.pending.delete(sent));
      return sent;
    };
  }

  async function write(
    operation: OperationName,
    call: AnyCall,
    input: WriteInput,
    current: RunningStep | undefined,
  ): Promise<unknown> {
    ending.check();
    if (!current) {
      const example = `await step("…", () => service.${operation}(…))`;
      throw invalid(`${operation} is called outside of a step`, `A write must be in a step: ${example}`);
    }
    if (current.hasEnded) {
      throw invalid(`${operation} is called after step "${current.name}" has ended`, "Await each write.");
    }
    if (!DELETIONS.includes(operation)) current.changed ??= operation;
    else if (current.changed !== undefined) {
      throw invalid(
        `${operation} follows ${current.changed} in step "${current.name}"`,
        "Delete in a step of its own: the service recognizes no repeated write to a deleted form or layout, so an interrupted step could not continue.",
      );
    }
    const id = reserveId(operation, input, current);
    try {
      await ending.guard(() => beforeWrite?.({ step: current.name, operation, input }));
      const answer = await sendWithId({ operation, call, input, id });
      current.unknown.delete(id);
      return answer;
    } catch (error) {
      current.ids.delete(id);
      if (isOutcomeUnknown(error)) current.unknown.set(id, error);
      if (error instanceof ServiceError && error.code === "IDEMPOTENCY_CONFLICT") {
        throw error.reworded({ hint: CHANGED_WRITE });
      }
      throw error;
    }
  }

  /**
   * Returns an id for a write. The id depends on:
   * - the seed and the name of the step
   * - the operation, and what the operation changes: see `targetOf`
   * - a number that distinguishes equal writes of the step
   *
   * The id does not depend on the content. An earlier attempt with another content may have an unknown outcome. Then
   * the service recognizes the id and refuses the write. A failed write releases its id, so that the script can repeat
   * the write.
   */
  function reserveId(operation: OperationName, input: WriteInput, { name, ids }: RunningStep): string {
    for (let number = 1; ; number++) {
      const id = derivedId([seed, name, operation, targetOf(operation, input), number]);
      if (ids.has(id)) continue;
      ids.add(id);
      return id;
    }
  }
}

/** Returns the ids in the path of a write. For a creation, adds the members that identify the new form or layout. */
function targetOf(operation: OperationName, input: WriteInput): unknown[] {
  const path = pathParameters(operationRow(operation).path).map((name) => input[name] ?? null);
  const { name = null, surface = null, target = null } = bodyOf(input);
  return operation === "createForm" || operation === "createLayout" ? [...path, name, surface, target] : path;
}

function bodyOf({ body }: WriteInput): Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
}

/** The operations whose body requires a clientMutationId. All others are identified by an Idempotency-Key. */
const REQUIRES_MUTATION_ID: readonly OperationName[] = [
  "saveDraft",
  "publishLayout",
  "restoreDraft",
  "replaceAssignments",
];

const CHANGED_WRITE =
  "An earlier run carried out this write with other content. Restore the step as it was, and change the form or layout in a later step.";

const DELETIONS: readonly OperationName[] = ["deleteForm", "archiveLayout"];

/** Sends a write with its id as clientMutationId or as Idempotency-Key. */
function sendWithId({
  operation,
  call,
  input,
  id,
}: {
  operation: OperationName;
  call: AnyCall;
  input: WriteInput;
  id: string;
}): Promise<unknown> {
  const { clientMutationId: _replaced, ...body } = bodyOf(input);
  const identified = { ...input, body: { ...body, clientMutationId: id } };
  if (REQUIRES_MUTATION_ID.includes(operation)) return call(identified);
  if (operation !== "createLayout") return call(input, { idempotencyKey: id });
  // The creation of a layout sends the id as clientMutationId and as Idempotency-Key. A server may recognize neither of
  // them, and would create a second layout after a retry. So `isOnce` prevents retries.
  return call(identified, { idempotencyKey: id, isOnce: true, mayOmit: ["clientMutationId"] });
}

/**
 * Calls `settle` when the promise has settled. A rejection of the promise then counts as handled, and does not end the
 * process.
 */
function track(promise: Promise<unknown>, settle: () => void): void {
  promise.then(settle, settle);
}

function answersByName(steps: readonly RecordedStep[]): Record<string, Json> {
  return Object.fromEntries(steps.map(({ name, answer }) => [name, answer]));
}

function invalid(message: string, hint: string): FormctlError {
  return new FormctlError("MIGRATION_INVALID", message, hint);
}
