/**
 * Sends requests for lists and access while manifests are still being read, so that a remote server answers meanwhile.
 * Which forms are needed is guessed from names. Each answer is used once; unused answers are dropped. Contents are not
 * requested early: they are large, and would have to be kept until they are compared.
 */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import type { Input } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import type { FormManifest, Manifest, ObjectKey } from "../manifest.ts";
import { objectText } from "../address.ts";
import { subjectOf } from "../subject.ts";
import { listForms, needsAccess } from "./forms.ts";

type Reads = Pick<Service, "listForms" | "getFormAccess">;

export type EarlyReads = {
  /** Requests what a manifest needs, as soon as its form is listed. */
  take(manifest: Manifest): void;
  /** Sends no further requests. */
  stop(): void;
  /** Wraps `service`: reads that were sent early return their answers. All requests share the concurrency limit. */
  over(service: Service): Service;
};

/** The forms of an object that are listed so far, and the manifests that wait for theirs, by name. */
type Arriving = { forms: Map<string, FormListedAnswer>; waiting: Map<string, FormManifest> };

/**
 * @param open connects to the server; called with the first manifest
 * @param concurrency maximum number of concurrent requests
 */
export function openEarlyReads(open: () => Promise<Service>, concurrency: number): EarlyReads {
  const early = new Map<string, Promise<unknown>>();
  /** Requests that the main read has asked for: sending them early now would send them twice. */
  const requested = new Set<string>();
  const objects = new Map<string, Arriving>();
  const limited = limitConcurrency(concurrency);
  let isStopped = false;
  let service: Promise<Service> | undefined;

  /** An operation that keeps its answers for the main read. */
  function sendEarly<N extends keyof Reads>(name: N): Reads[N] {
    return (async (input: Input<N>) => {
      const key = keyOf(name, input);
      const before = early.get(key);
      if (before) return before;
      if (requested.has(key)) throw new Error("already requested");
      const answer = limited(async () => {
        const opened = await (service ??= open());
        if (isStopped) throw new Error("stopped");
        return (opened[name] as (each: Input<N>) => Promise<unknown>)(input);
      });
      // The main read reports the error, if it asks for this answer.
      answer.catch(() => undefined);
      early.set(key, answer);
      return answer;
    }) as Reads[N];
  }
  const reads: Reads = { listForms: sendEarly("listForms"), getFormAccess: sendEarly("getFormAccess") };

  /** Lists the forms of an object. Each page triggers the requests of the manifests that wait for its forms. */
  function arrivingOf(object: ObjectKey): Arriving {
    const text = objectText(object);
    const known = objects.get(text);
    if (known) return known;
    const arriving: Arriving = { forms: new Map(), waiting: new Map() };
    objects.set(text, arriving);
    const listing = {
      async listForms(input: Input<"listForms">) {
        const page = await reads.listForms(input);
        for (const form of page.data) arrive(arriving, form);
        return page;
      },
    };
    // The main read meets the same error and reports it.
    listForms(listing, [object], concurrency).catch(() => undefined);
    return arriving;
  }

  function arrive({ forms, waiting }: Arriving, form: FormListedAnswer): void {
    forms.set(form.name, form);
    const manifest = waiting.get(form.name);
    if (manifest) readFor(manifest, form);
  }

  function readFor(manifest: FormManifest, form: FormListedAnswer): void {
    if (!needsAccess(subjectOf(manifest), form)) return;
    reads.getFormAccess({ ...manifest.object, formId: form.id }).catch(() => undefined);
  }

  return {
    take(manifest) {
      if (manifest.kind !== "Form") return;
      const { forms, waiting } = arrivingOf(manifest.object);
      const form = forms.get(manifest.name);
      if (form) readFor(manifest, form);
      else waiting.set(manifest.name, manifest);
    },
    stop() {
      isStopped = true;
    },
    over(main) {
      const useEarly = <N extends keyof Reads>(name: N): Reads[N] =>
        (async (input: Input<N>) => {
          const key = keyOf(name, input);
          const answer = early.get(key);
          early.delete(key);
          requested.add(key);
          return answer ?? limited(() => (main[name] as (each: Input<N>) => Promise<unknown>)(input));
        }) as Reads[N];
      return { ...main, listForms: useEarly("listForms"), getFormAccess: useEarly("getFormAccess") };
    },
  };
}

function keyOf(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`;
}

/** Runs at most `limit` tasks at once; the others wait in order. */
function limitConcurrency(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < limit) running++;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
