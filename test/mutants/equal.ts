/** Mutants that behave like the original. No test can notice them. */

/** The key of each mutant, with the reason. `npm run test:mutants -- --list` prints the keys. */
export const EQUAL: Record<string, string> = {};
