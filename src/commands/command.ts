/** What a command is: data. program.ts makes commander's commands of it, and tests can call `run` without any. */

import { FormctlError } from "../error.ts";
import type { Credentials } from "../config/credentials.ts";
import type { LoadedSettings } from "../config/settings.ts";
import type { Target } from "../config/target.ts";
import type { FoundToken } from "../config/token.ts";
import type { LocalService } from "../local-service.ts";
import type { Host } from "../host.ts";
import type { Secret } from "../schemas/secret.ts";
import type { StoreCounts } from "../schemas/store-facts.ts";
import type { RawAnswer, RawRequest, Service } from "../service.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Prompter } from "../terminal/prompter.ts";
import type { Failure } from "./failure.ts";

/** Turns the text that a person typed into a value. @throws USAGE that says what the text should have been */
export type Parse<T> = (text: string) => T;

export type Argument<T> = {
  kind: "argument" | "rest";
  name: string;
  about: string;
  optional: boolean;
  parse: Parse<unknown>;
  type?: T;
};
export type Option<T> = {
  kind: "value" | "flag" | "list";
  flags: string;
  about: string;
  parse: Parse<unknown>;
  type?: T;
};

const asText: Parse<string> = (text) => text;

/** A value that must be there: `argument("OBJECT", "module/object", parseObject)`. */
export function argument(name: string, about: string): Argument<string>;
export function argument<T>(name: string, about: string, parse: Parse<T>): Argument<T>;
export function argument(name: string, about: string, parse: Parse<unknown> = asText): Argument<unknown> {
  return { kind: "argument", name, about, optional: false, parse };
}

/** A value that may be left out. */
export function optionalArgument<T>(name: string, about: string, parse: Parse<T>): Argument<T | undefined> {
  return { kind: "argument", name, about, optional: true, parse };
}

/** One value or more, the last of a command. */
export function rest<T>(name: string, about: string, parse: Parse<T>): Argument<T[]> {
  return { kind: "rest", name, about, optional: false, parse };
}

/** Any number of values, none too, the last of a command. */
export function optionalRest(name: string, about: string): Argument<string[]> {
  return { kind: "rest", name, about, optional: true, parse: asText };
}

/** `option("--page <number>", "…", by(PageNumber))`. Absent when it was not typed. */
export function option(flags: string, about: string): Option<string | undefined>;
export function option<T>(flags: string, about: string, parse: Parse<T>): Option<T | undefined>;
export function option(flags: string, about: string, parse: Parse<unknown> = asText): Option<unknown> {
  return { kind: "value", flags, about, parse };
}

/** An option without a value. */
export function flag(flags: string, about: string): Option<boolean> {
  return { kind: "flag", flags, about, parse: asText };
}

/** An option that may be repeated; empty when it was not typed. */
export function list(flags: string, about: string): Option<string[]>;
export function list<T>(flags: string, about: string, parse: Parse<T>): Option<T[]>;
export function list(flags: string, about: string, parse: Parse<unknown> = asText): Option<unknown[]> {
  return { kind: "list", flags, about, parse };
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parse<number> {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
    throw new FormctlError("USAGE", `must be a whole number ${range}, not "${text}"`);
  };
}

export type Consent = {
  /** What is about to happen: `Delete the form "Candidate intake"?` */
  question: string;
  /** What will be lost, one line each. */
  lost: readonly string[];
  /** The one flag that confirms this: none of them stands for another. */
  flag: "--yes" | "--allow-delete" | "--allow-replace";
};

/** The parts of a command's context that execute.ts wires. Everything opens on first use: help opens no store. */
export type CommandResources = {
  localStore: LocalStoreFile;
  target: Target;
  server: Server;
  credentials: Credentials;
  terminal: Terminal;
  /** Undefined when the user can't be asked. */
  prompter: Prompter | undefined;
  settings: LoadedSettings;
  newMutationId(): string;
  /** Starts a server over the local store. @throws INVALID_VALUE when the address can't be used */
  serve(address: { host: string; port: number }): Promise<RunningServer>;
  /** An error as it is reported, for a command with several failures. */
  describe(error: unknown): Promise<Failure>;
};

/** Everything that a command can use. `readFile` throws INVALID_VALUE for a file that can't be read. */
export type CommandContext = Omit<Host, "keychain"> &
  CommandResources & {
    /** The service of the target. With `--dry-run` its writes are recorded and not sent. */
    service(): Promise<Service>;
    /** What only a local store can do. @throws USAGE when the target is a server */
    local(): Promise<LocalService>;
    /** The path of `--token-file`. */
    tokenFile: string | undefined;
    /** Asks the user, or requires the flag. @throws CONSENT_MISSING when the user declines */
    consent(consent: Consent): Promise<void>;
    dryRun: boolean;
    /** The organization of a local target, if one was specified. */
    organization: string | undefined;
  };

/** What only a server has. Each @throws USAGE when the target is a local store */
export type Server = {
  raw: (request: RawRequest) => Promise<RawAnswer>;
  /** The token that its requests carry, and where it comes from. @throws NO_TOKEN */
  token: () => Promise<FoundToken>;
  /** The service for the holder of another token. */
  serviceFor: (token: Secret) => Promise<Service>;
};

/** A server that runs until the program is told to end. */
export type RunningServer = {
  url: string;
  /** Resolves when the last request has been answered. */
  ended: Promise<void>;
};

/** The file that a local store is in, as a whole. */
export type LocalStoreFile = {
  /** The file's path, or the address of a database. */
  location: string;
  exists(): boolean;
  /** Makes the store where there is none. @returns whether it was made */
  create(): Promise<boolean>;
  /** @throws INVALID_VALUE when there is no such folder */
  backup(into: string): Promise<{ path: string; bytes: number; counts: StoreCounts }>;
  /** What a backup holds that the store can be replaced by. */
  inspect(from: string): Promise<StoreCounts>;
  /** `damaged` is where a store that could not be read was put. */
  restore(from: string): Promise<{ counts: StoreCounts; damaged: string | undefined }>;
  reset(): Promise<{ damaged: string | undefined }>;
};

type InputOf<A, O> = { [K in keyof A]: A[K] extends Argument<infer T> ? T : never } & {
  [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

export type Command<A = Record<string, Argument<unknown>>, O = Record<string, Option<unknown>>, R = unknown> = {
  about: string;
  /** Paragraphs under the usage line. */
  details?: string;
  /** Lines that run as printed on the demo's data. */
  examples: string[];
  args: A;
  options: O;
  /**
   * The command changes something, so a signal lets it finish. With `true` it sends requests, which `--dry-run` prints
   * instead; with `"store"` it works on the local store itself.
   */
  writes?: true | "store";
  /** With `--dry-run` its result says what would be done: no request is noted. */
  foretells?: true;
  /** Its result says of each request how it ended: a read that fails after a write is no failure of the command. */
  tellsSteps?: true;
  /** Does the work and returns what there is to say. Prints nothing. */
  run(context: CommandContext, input: InputOf<A, O>): Promise<R>;
  /** Tells it to a person. Decides nothing. */
  view(result: R, terminal: Terminal): void;
  /** What `-o json` prints where it is not the result itself. */
  document?(result: R): unknown;
  /** What `-o name` prints, a line each; by default the ids of the document's records. */
  names?(result: R): string[];
  /** What goes on after the answer has been printed, which is one line then: somebody reads it meanwhile. */
  lasts?(result: R): Promise<void>;
  /** What to type next, told on stderr. */
  next?(result: R, input: InputOf<A, O>): string[];
  /** What it has done in the local store, for a failure to print the answer; `hint` is for an answer that is not seen at all. */
  done?(result: R): { text: string; hint?: string };
  exitCode?(result: R): number;
};

/** Checks a definition's types and returns it as any command. */
export function defineCommand<
  A extends Record<string, Argument<unknown>>,
  O extends Record<string, Option<unknown>>,
  R,
>(command: Command<A, O, R>): Command {
  return command;
}
