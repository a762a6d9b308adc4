/**
 * Values that live as long as one test file, in modules that several test files import. Test files can share a process,
 * and then they share these modules: a hook of vitest at the top of such a module would belong to the first file only.
 */

const ends: (() => unknown)[] = [];

/**
 * Returns a function that creates the value in the first call of each test file.
 *
 * @param end called after the tests of the file
 */
export function perFile<T>(create: () => T, end: (value: T) => unknown = () => undefined): () => T {
  let current: { value: T } | undefined;
  return () => {
    if (current) return current.value;
    const { value } = (current = { value: create() });
    ends.push(() => {
      current = undefined;
      return end(value);
    });
    return value;
  };
}

/** Ends the values of the file, the newest first. run/each-file.ts calls it. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end();
}
