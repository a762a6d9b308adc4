/**
 * Remembers the answers of reads. A migration first reads forms and layouts to find its matches. The plan then reads
 * the matches again.
 */

import type { Input } from "../schemas/operations.ts";
import type { Service } from "../service.ts";

const READS = [
  "listForms",
  "getForm",
  "listLayouts",
  "getLayout",
  "listVersions",
  "getVersion",
  "getFormAccess",
] as const satisfies readonly (keyof Service)[];
type Read = (typeof READS)[number];

export type RememberedReads = {
  /** Wraps a service: each read is requested once, and then answered from memory. Other operations are not changed. */
  over(service: Service): Service;
  /** Forgets the versions of a layout, which need much memory. */
  forgetVersions(layoutId: string): void;
};

export function rememberReads(): RememberedReads {
  const answers = new Map<string, Promise<unknown>>();
  const keyOf = (name: Read, input: unknown) => `${name} ${JSON.stringify(input)}`;
  return {
    over(service) {
      const remembered = <N extends Read>(name: N): Service[N] =>
        (async (input: Input<N>) => {
          const key = keyOf(name, input);
          const before = answers.get(key);
          if (before) return before;
          const answer = (service[name] as (each: Input<N>) => Promise<unknown>)(input);
          answers.set(key, answer);
          return answer;
        }) as Service[N];
      const own = Object.fromEntries(READS.map((name) => [name, remembered(name)])) as Pick<Service, Read>;
      return { ...service, ...own };
    },
    forgetVersions: (layoutId) => void answers.delete(keyOf("listVersions", { layoutId })),
  };
}
