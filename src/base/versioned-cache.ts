/** A cache of values that are computed from data with a version number. */

/**
 * Returns the current version of the data: a number that changes with the data. Undefined if the version is unknown:
 * then nothing is cached.
 */
export type VersionOf = () => number | undefined;

/**
 * Values by key, all computed from one version of the data. The first `refresh` after a change of the data removes all
 * values. If a new value does not fit, the oldest values are removed.
 */
export class VersionedCache<Value> {
  readonly #versionOf: VersionOf;
  readonly #maxSize: number;
  readonly #values = new Map<string, { value: Value; size: number }>();
  #version: number | undefined;
  #size = 0;

  /** @param maxSize the maximum sum of the sizes that are passed to `set`, in any unit */
  constructor(versionOf: VersionOf, maxSize: number) {
    this.#versionOf = versionOf;
    this.#maxSize = maxSize;
  }

  /**
   * Removes the values if the data has changed. Call this function before `get`.
   *
   * @returns the current version of the data. Pass the version to `set` with a value that is computed afterwards
   */
  refresh(): number | undefined {
    const version = this.#versionOf();
    if (version !== this.#version) this.#clear();
    this.#version = version;
    return version;
  }

  /** Returns the value for the version at the last `refresh`. */
  get(key: string): Value | undefined {
    return this.#values.get(key)?.value;
  }

  /**
   * Caches a value, unless the value is larger than the cache. If the last `refresh` found another version than `asOf`,
   * the data changed during the computation. Such a value is not cached.
   *
   * @param asOf the version before the computation of the value
   */
  set(key: string, value: Value, { asOf, size }: { asOf: number | undefined; size: number }): void {
    if (asOf === undefined || asOf !== this.#version || size > this.#maxSize) return;
    this.delete(key);
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#maxSize) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#size -= this.#values.get(key)?.size ?? 0;
    this.#values.delete(key);
  }

  #clear(): void {
    this.#values.clear();
    this.#size = 0;
  }
}
