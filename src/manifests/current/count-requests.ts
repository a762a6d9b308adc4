/** A service that tells how many of its requests have been answered, for whoever waits for them. */

import type { Input } from "../../schemas/operations.ts";
import type { Service } from "../../service.ts";

export type CountedService = {
  service: Service;
  /** So many more requests are to come. */
  expect(requests: number): void;
};

/** @param onProgress told after each answer; the total grows with what turns out to be needed */
export function countRequests(
  service: Service,
  onProgress: ((done: number, total: number) => void) | undefined,
): CountedService {
  let done = 0;
  let total = 0;
  let expected = 0;
  const counted =
    <I, O>(operation: (input: I) => Promise<O>) =>
    async (input: I): Promise<O> => {
      // What was foreseen is in the total already.
      if (expected > 0) expected--;
      else total++;
      const answer = await operation(input);
      onProgress?.(++done, total);
      return answer;
    };
  return {
    service: {
      ...service,
      listForms: counted((input: Input<"listForms">) => service.listForms(input)),
      getForm: counted((input: Input<"getForm">) => service.getForm(input)),
      listLayouts: counted((input: Input<"listLayouts">) => service.listLayouts(input)),
      getLayout: counted((input: Input<"getLayout">) => service.getLayout(input)),
      listVersions: counted((input: Input<"listVersions">) => service.listVersions(input)),
      getVersion: counted((input: Input<"getVersion">) => service.getVersion(input)),
      getFormAccess: counted((input: Input<"getFormAccess">) => service.getFormAccess(input)),
    },
    expect(requests: number) {
      expected += requests;
      total += requests;
    },
  };
}
