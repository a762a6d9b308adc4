/**
 * Guesses the records that the path of a read names, for a store on another machine: they are those of the last read of
 * this path. So the queries that need these records begin together with the queries that find them, and share a round
 * trip. A wrong guess costs time, and nothing else: see `apply` in engine.ts.
 */

export type PathRecords = Record<string, unknown>;

export type Guess = {
  /** Undefined for a path without a guess. */
  records: PathRecords | undefined;
  /** Called with the records of the path. */
  learn: (records: PathRecords) => void;
};

/** The maximum number of paths with a guess. The records of a path need about 1 KB. */
const MAX_PATHS = 1_000;

export type PathGuesses = { guess: (orgId: string, parameters: Readonly<Record<string, string>>) => Guess };

export function openPathGuesses(): PathGuesses {
  const known = new Map<string, PathRecords>();
  return {
    guess(orgId, parameters) {
      const key = JSON.stringify([orgId, parameters]);
      return {
        records: known.get(key),
        learn(records) {
          const [oldest] = known.keys();
          if (oldest !== undefined && known.size >= MAX_PATHS && !known.has(key)) known.delete(oldest);
          known.set(key, records);
        },
      };
    },
  };
}
