/**
 * Reads that are begun while files are still being read, so that a server far away is waited for meanwhile. What is begun is a
 * guess by names: whoever asks the same afterwards is given that answer, once, and what nobody asks for is let go of. Lists and
 * access are begun, and no contents, which are large and would have to be kept until somebody compares them.
 */

import type { FormListedAnswer } from "../../schemas/answers.ts";
import type { Input } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import type { FormManifest, Manifest, ObjectKey } from "../manifest.ts";
import { objectText, subjectOf } from "../subject.ts";
import { needsAccess } from "./current.ts";
import { listForms } from "./form-lists.ts";

type Reads = Pick<Service, "listForms" | "getFormAccess">;

export type EarlyReads = {
  /** Begins what has to be read for a manifest, as soon as its form has been listed. */
  take(manifest: Manifest): void;
  /** Nothing is begun any more that is not under way. */
  stop(): void;
  /** `service` with the answers that are on their way. Not more requests than allowed are under way, begun ones included. */
  over(service: Service): Service;
};

/** The forms of an object, as far as its pages have come, and the manifests that wait for theirs, by name. */
type Arriving = { forms: Map<string, FormListedAnswer>; waiting: Map<string, FormManifest> };

/**
 * @param open connects, with the first manifest
 * @param concurrency how many requests may be under way at once
 */
export function openEarlyReads(open: () => Promise<Service>, concurrency: number): EarlyReads {
  const begun = new Map<string, Promise<unknown>>();
  /** What the reading itself has asked for: begun now, it would be asked twice. */
  const given = new Set<string>();
  const objects = new Map<string, Arriving>();
  const inTurn = turns(concurrency);
  let isStopped = false;
  let service: Promise<Service> | undefined;

  /** The same reads, remembered for whoever asks for them. */
  function beginning<N extends keyof Reads>(name: N): Reads[N] {
    return (async (input: Input<N>) => {
      const key = keyOf(name, input);
      const before = begun.get(key);
      if (before) return before;
      if (given.has(key)) throw new Error("it is asked for already");
      const answer = inTurn(async () => {
        const opened = await (service ??= open());
        if (isStopped) throw new Error("nobody will ask for it");
        return (opened[name] as (each: Input<N>) => Promise<unknown>)(input);
      });
      // Told to whoever asks for it, if anybody does.
      answer.catch(() => undefined);
      begun.set(key, answer);
      return answer;
    }) as Reads[N];
  }
  const early: Reads = { listForms: beginning("listForms"), getFormAccess: beginning("getFormAccess") };

  /** Begins to list an object's forms; what waits for one of a page is begun as soon as that page is there. */
  function arrivingOf(object: ObjectKey): Arriving {
    const text = objectText(object);
    const known = objects.get(text);
    if (known) return known;
    const arriving: Arriving = { forms: new Map(), waiting: new Map() };
    objects.set(text, arriving);
    const listing = {
      async listForms(input: Input<"listForms">) {
        const page = await early.listForms(input);
        for (const form of page.data) arrive(arriving, form);
        return page;
      },
    };
    // Whatever goes wrong is met again, and told, by the reading itself.
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
    early.getFormAccess({ ...manifest.object, formId: form.id }).catch(() => undefined);
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
    over(asked) {
      const giving = <N extends keyof Reads>(name: N): Reads[N] =>
        (async (input: Input<N>) => {
          const key = keyOf(name, input);
          const answer = begun.get(key);
          begun.delete(key);
          given.add(key);
          return answer ?? inTurn(() => (asked[name] as (each: Input<N>) => Promise<unknown>)(input));
        }) as Reads[N];
      return { ...asked, listForms: giving("listForms"), getFormAccess: giving("getFormAccess") };
    },
  };
}

function keyOf(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`;
}

/** Lets so many works go on at once; the others wait in the order in which they came. */
function turns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limit) running++;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
