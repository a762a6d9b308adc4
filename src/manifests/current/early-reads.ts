/**
 * Sends requests for lists and access while manifests are still being read. This saves the time of remote requests. The
 * names in the manifests determine which forms are probably needed. Each response is used once. Unused responses are
 * dropped. Contents are not requested early: they are large, and would stay in memory until the comparison.
 */

import { pageOf } from "../../lists/forms.ts";
import type { FormListedAnswer, FormPageAnswer } from "../../schemas/answers.ts";
import type { Input } from "../../schemas/operations.ts";
import { limitConcurrency, limitedService } from "../requests.ts";
import type { Service } from "../../service.ts";
import type { FormManifest, Manifest, ObjectKey } from "../manifest.ts";
import { objectText } from "../address.ts";
import { subjectOf } from "../state.ts";
import { firstPage, isShorterByName, listForms, needsAccess } from "./forms.ts";

type Reads = Pick<Service, "listForms" | "getFormAccess">;

export type EarlyReads = {
  /**
   * Requests the first page of forms of the manifest's object. Requests the other pages when the main read will
   * certainly need them. Requests the needed access of the manifest's form after the form is listed. Ignores manifests
   * of layouts.
   */
  take(manifest: Manifest): void;
  /** Stops early requests. Requests that were already sent are not cancelled. */
  stop(): void;
  /**
   * Wraps the service for the main read. The main read begins after all manifests are read. A request that was already
   * sent early is not sent again: the wrapper returns the early response. All requests share the concurrency limit.
   */
  over(service: Service): Service;
};

/** The listed forms of an object, and the manifests whose forms are not listed yet. Both have names as keys. */
type Arriving = {
  forms: Map<string, FormListedAnswer>;
  waiting: Map<string, FormManifest>;
  /** The number of manifests that were passed to `take`. */
  taken: number;
  /** The first page. Undefined before its read, and after the other pages are requested. */
  first: FormPageAnswer | undefined;
};

/**
 * Creates early reads.
 *
 * @param open connects to the server. Called before the first early request
 */
export function openEarlyReads(open: () => Promise<Service>, concurrency: number): EarlyReads {
  const early = new Map<string, Promise<unknown>>();
  /**
   * The keys of the requests of the main read (see `over`) so far. The main read has used the early response to such a
   * request, or has sent the request itself. Another early request would only repeat the request.
   */
  const requested = new Set<string>();
  const objects = new Map<string, Arriving>();
  const limited = limitConcurrency(concurrency);
  let isStopped = false;
  let service: Promise<Service> | undefined;

  /** Returns an operation that sends a request early and keeps the response for the main read. */
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
      // An error is ignored here. A main read that uses this response reports the error.
      answer.catch(() => undefined);
      early.set(key, answer);
      return answer;
    }) as Reads[N];
  }
  const reads: Reads = { listForms: sendEarly("listForms"), getFormAccess: sendEarly("getFormAccess") };

  /** Requests the first page of forms of an object. After each page, requests the needed access of the listed forms. */
  function arrivingOf(object: ObjectKey): Arriving {
    const text = objectText(object);
    const known = objects.get(text);
    if (known) return known;
    const arriving: Arriving = { forms: new Map(), waiting: new Map(), taken: 0, first: undefined };
    objects.set(text, arriving);
    const { moduleKey, objectKey } = object;
    const query = firstPage();
    const begin = async () => {
      const page = await reads.listForms({ moduleKey, objectKey, query });
      arriving.first = page;
      for (const form of page.data) arrive(arriving, form);
      listOthers(object, arriving);
    };
    // The main read gets the same error and reports it.
    begin().catch(() => undefined);
    return arriving;
  }

  /**
   * Requests the pages after the first page. Requests nothing if the main read needs fewer requests to list the forms
   * by the names in the manifests that were passed to `take`. Called again for each further manifest.
   */
  function listOthers(object: ObjectKey, arriving: Arriving): void {
    const { first, taken } = arriving;
    if (!first || isShorterByName(pageOf(first), taken)) return;
    arriving.first = undefined;
    const listing = {
      async listForms(input: Input<"listForms">) {
        const page = await reads.listForms(input);
        for (const form of page.data) arrive(arriving, form);
        return page;
      },
    };
    // The main read gets the same error and reports it.
    listForms(listing, [object], concurrency).catch(() => undefined);
  }

  function arrive({ forms, waiting }: Arriving, form: FormListedAnswer): void {
    forms.set(form.name, form);
    const manifest = waiting.get(form.name);
    if (!manifest) return;
    waiting.delete(form.name);
    readFor(manifest, form);
  }

  function readFor(manifest: FormManifest, form: FormListedAnswer): void {
    if (!needsAccess(subjectOf(manifest), form)) return;
    reads.getFormAccess({ ...manifest.object, formId: form.id }).catch(() => undefined);
  }

  return {
    take(manifest) {
      if (manifest.kind !== "Form") return;
      const arriving = arrivingOf(manifest.object);
      const { forms, waiting } = arriving;
      const form = forms.get(manifest.name);
      if (form) readFor(manifest, form);
      else waiting.set(manifest.name, manifest);
      arriving.taken++;
      listOthers(manifest.object, arriving);
    },
    stop() {
      isStopped = true;
    },
    over(main) {
      // Early requests may still be running, so each request of the main read waits for its turn.
      const all = limitedService(main, limited);
      const useEarly = <N extends keyof Reads>(name: N): Reads[N] =>
        (async (input: Input<N>) => {
          const key = keyOf(name, input);
          const answer = early.get(key);
          early.delete(key);
          requested.add(key);
          return answer ?? (all[name] as (each: Input<N>) => Promise<unknown>)(input);
        }) as Reads[N];
      return { ...all, listForms: useEarly("listForms"), getFormAccess: useEarly("getFormAccess") };
    },
  };
}

function keyOf(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`;
}
