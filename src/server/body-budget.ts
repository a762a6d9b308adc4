/**
 * Limits the memory of all large bodies that are read and not answered yet. A body needs up to twenty times its length:
 * its text, its values, and what is written from them.
 */

/** The maximum number of bytes in all unanswered large bodies: of one organization, and of all organizations. */
export type BodyBudget = { perOrganization: number; total: number };

/**
 * Runs `work`, which reads and answers a body, as soon as the body fits into the budget. Until then the body is not read.
 *
 * @param bytes the length of the body, or the most that it can have. At most the budget of an organization
 */
export type WithinBudget = <T>(organization: string, bytes: number, work: () => Promise<T>) => Promise<T>;

/** A body of at most this many bytes is not counted: every connection can have one, and no other body delays it. */
const SMALL_BYTES = 16 * 1024;

/** Opens the budget of a server. Waiting bodies of an organization keep their order. */
export function openBodyBudget({ perOrganization, total }: BodyBudget): WithinBudget {
  const ofOrganizations = new Map<string, number>();
  const waiting = new Set<{ organization: string; bytes: number; start: () => void }>();
  let ofAll = 0;
  const change = (organization: string, bytes: number) => {
    ofAll += bytes;
    const ofOne = (ofOrganizations.get(organization) ?? 0) + bytes;
    if (ofOne > 0) ofOrganizations.set(organization, ofOne);
    else ofOrganizations.delete(organization);
  };
  const startNext = () => {
    const passed = new Set<string>();
    for (const next of waiting) {
      const { organization, bytes, start } = next;
      const fits = (ofOrganizations.get(organization) ?? 0) + bytes <= perOrganization && ofAll + bytes <= total;
      // A smaller body does not pass an earlier one of its organization, which would wait without end.
      if (passed.has(organization) || !fits) {
        passed.add(organization);
        continue;
      }
      waiting.delete(next);
      change(organization, bytes);
      start();
    }
  };
  return async (organization, bytes, work) => {
    if (bytes <= SMALL_BYTES) return work();
    await new Promise<void>((start) => {
      waiting.add({ organization, bytes, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      change(organization, -bytes);
      startNext();
    }
  };
}
