/**
 * Reads that are begun while files are still being read, so that a server far away is waited for meanwhile. What is begun is a
 * guess by names: whoever asks the same afterwards is given that answer, once, and what nobody asks for is let go of. Lists and
 * access are begun, and no contents, which are large and would have to be kept until somebody compares them.
 */

import type { FormListItem } from "../../schemas/form.ts";
import type { Input } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";
import type { FormManifest, Manifest } from "../manifest.ts";
import { objectText, subjectOf } from "../subject.ts";
import { needsAccess } from "./current.ts";
import { listForms } from "./form-lists.ts";

type Reads = Pick<Service, "listForms" | "getFormAccess">;

export type EarlyReads = {
  /** Begins what has to be read for a manifest, as soon as the forms of its object are known. */
  take(manifest: Manifest): void;
  /** Nothing is begun any more that is not under way. */
  stop(): void;
  /** `service` with the answers that are on their way. Not more requests than allowed are under way, begun ones included. */
  over(service: Service): Service;
};

/**
 * @param open connects, with the first manifest
 * @param concurrency how many requests may be under way at once
 */
export function openEarlyReads(open: () => Promise<Service>, concurrency: number): EarlyReads {
  const begun = new Map<string, Promise<unknown>>();
  const lists = new Map<string, Promise<ReadonlyMap<string, FormListItem>>>();
  const inTurn = turns(concurrency);
  /** Until the reading itself asks: what is begun after that might be asked for already. */
  let isOpen = true;
  let isStopped = false;
  let service: Promise<Service> | undefined;

  /** The same reads, remembered for whoever asks for them. */
  function beginning<N extends keyof Reads>(name: N): Reads[N] {
    return (async (input: Input<N>) => {
      const key = keyOf(name, input);
      const before = begun.get(key);
      if (before) return before;
      if (!isOpen) throw new Error("nothing is begun any more");
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

  async function formsOf(object: FormManifest["object"]): Promise<ReadonlyMap<string, FormListItem>> {
    const [forms = []] = await listForms(early, [object], concurrency);
    return new Map(forms.map((form) => [form.name, form]));
  }

  async function readFor(manifest: FormManifest): Promise<void> {
    const { object, name } = manifest;
    const text = objectText(object);
    const list = lists.get(text) ?? formsOf(object);
    lists.set(text, list);
    const form = (await list).get(name);
    if (form && needsAccess(subjectOf(manifest), form)) await early.getFormAccess({ ...object, formId: form.id });
  }

  return {
    take(manifest) {
      // Whatever goes wrong is met again, and told, by the reading itself.
      if (manifest.kind === "Form") readFor(manifest).catch(() => undefined);
    },
    stop() {
      isOpen = false;
      isStopped = true;
    },
    over(asked) {
      isOpen = false;
      const given = <N extends keyof Reads>(name: N): Reads[N] =>
        (async (input: Input<N>) => {
          const key = keyOf(name, input);
          const answer = begun.get(key);
          begun.delete(key);
          return answer ?? inTurn(() => (asked[name] as (each: Input<N>) => Promise<unknown>)(input));
        }) as Reads[N];
      return { ...asked, listForms: given("listForms"), getFormAccess: given("getFormAccess") };
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
