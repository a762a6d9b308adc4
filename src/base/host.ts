/**
 * The parts of the system that a run uses: environment, files, clock, keychain, processes and signals. system-host.ts
 * implements them for the executable. Tests provide their own.
 */

export type Host = {
  env: Readonly<Record<string, string | undefined>>;
  /** @throws NO_WORKING_DIRECTORY */
  readonly cwd: string;
  /** Returns the content of a file; `-` is standard input. */
  readFile(path: string): Promise<Uint8Array>;
  now(): Date;
  /** Waits the given time. Ends early when `until` is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Undefined if the system has no keychain. Tokens are then stored in a file. */
  keychain(): Promise<Keychain | undefined>;
  processes(): Promise<Processes>;
  /**
   * Returns the exports of the library, which migrations import as `formctl`. Deletes the token from the environment of
   * the process, so that migrations can't read it.
   */
  library(): Promise<object>;
  /**
   * Aborted by SIGINT or SIGTERM, with the reason `Interrupted`, but only during work that a signal does not end at
   * once. Work with steps finishes the current step and then stops.
   */
  readonly ending: AbortSignal;
};

export type Keychain = {
  get(origin: string): string | null;
  set(origin: string, token: string): void;
  remove(origin: string): void;
};

export type Processes = { self: ProcessIdentity; isRunning(other: ProcessIdentity): boolean };

/**
 * Identifies a process. `namespace` identifies the container of the process, because processes of different containers
 * can have the same `pid`. `startedAt` distinguishes a process from a later process with the same `pid`.
 */
export type ProcessIdentity = { pid: number; host: string; namespace?: string | undefined; startedAt: string };

/** Adds members to a host. Getters of the host, such as `cwd`, are still evaluated at each read. */
export function extendHost<H extends object, T extends object>(host: H, members: T): H & T {
  return Object.assign(Object.create(host) as H, members);
}
