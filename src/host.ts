/** What a run uses outside itself. system-host.ts implements it for the executable; tests bring their own. */

export type Host = {
  env: Readonly<Record<string, string | undefined>>;
  /** @throws NO_WORKING_DIRECTORY */
  readonly cwd: string;
  /** The bytes of a file; `-` is standard input. */
  readFile(path: string): Promise<Uint8Array>;
  now(): Date;
  /** Milliseconds. Ends early when `until` is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Undefined when the system has none. */
  keychain(): Promise<Keychain | undefined>;
  processes(): Promise<Processes>;
  /** Aborted with `Interrupted` by SIGINT and SIGTERM: work in steps then finishes the current step and stops. */
  readonly ending: AbortSignal;
};

/** The keychain of the operating system. */
export type Keychain = {
  get(origin: string): string | null;
  set(origin: string, token: string): void;
  remove(origin: string): void;
};

/** This process, and a check whether another one still runs. */
export type Processes = { self: ProcessIdentity; isRunning(other: ProcessIdentity): boolean };

/**
 * `namespace` identifies a container of a host: containers have processes with the same numbers. `startedAt`
 * distinguishes a process from a later one with the same number.
 */
export type ProcessIdentity = { pid: number; host: string; namespace?: string | undefined; startedAt: string };

/** A host with more members. Members that are computed when they are read, such as `cwd`, stay so. */
export function extendHost<H extends object, T extends object>(host: H, members: T): H & T {
  return Object.assign(Object.create(host) as H, members);
}
