/** Defines a command as data. program.ts registers it with commander; tests call `run` directly. */

import type { CopyWithFaults, FailureOptions } from "../rehearsal/failures.ts";
import type { Fault } from "../schemas/fault.ts";
import { FormctlError } from "../base/error.ts";
import type { Credentials } from "../config/credentials.ts";
import type { ScriptRehearsal } from "../config/script-rehearsal.ts";
import type { LoadedSettings } from "../config/settings.ts";
import type { RemoteTarget, Target } from "../config/target.ts";
import type { FoundToken } from "../config/token.ts";
import type { LocalService, OnProgress, StoreBackup, StoreCounts, StoreRestored } from "../local-service.ts";
import type { Host } from "../base/host.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import type { ServerCopyOptions } from "../rehearsal/whole-server.ts";
import type { Secret } from "../base/secret.ts";
import type { Observation } from "../schemas/contract/shapes.ts";
import type { RawAnswer, RawRequest, Service } from "../service.ts";
import type { EditorEnd } from "../terminal/editor.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Prompter } from "../terminal/prompter.ts";
import type { Failure } from "./failure.ts";

/** The command line that does the same without questions (same-line.ts). */
export type SameLine = {
  /** The words without the program. Undefined if no command line does the same. */
  words: readonly string[] | undefined;
  /** Whether answers were added that are not printed. */
  isChanged: boolean;
};

/** An option, an argument or a term, with its description in help. */
export type HelpEntry = { name: string; about: string };

/** Parses an argument or option. @throws USAGE or INVALID_VALUE, with the expected format */
export type Parse<T> = (text: string) => T;

/**
 * A list of values that `choices.ts` reads. The values are records of the target, or names in the settings and the
 * project.
 */
export type ListName =
  | "object"
  | "form"
  | "layout"
  | "version"
  | "stagedChange"
  | "role"
  | "member"
  | "token"
  | "currency"
  | "profile"
  | "setting"
  | "migration";

/**
 * How the user chooses a value at a prompt.
 *
 * - A list of words: one of the words
 * - The name of a list: one of the values of the list
 * - `modes`: some of the modes
 * - `formModes`: some of the modes of the form in the argument `form`
 * - `defaultForm`: a mode, and a form of the object in the argument `object`
 * - `file`: a YAML or JSON file
 * - `path`: a file of any kind, or a folder
 * - `layoutOrPath`: a layout, or a file or folder
 * - `text`: any text
 */
export type Choose =
  | ListName
  | readonly string[]
  | "modes"
  | "formModes"
  | "defaultForm"
  | "file"
  | "path"
  | "layoutOrPath"
  | "text";

/** Completes a parsed value that lacks a part, such as the object of a form. */
export type CompleteValue = (value: unknown, context: CommandContext) => Promise<unknown>;

export type Argument<T> = {
  kind: "argument" | "rest";
  name: string;
  about: string;
  optional: boolean;
  parse: Parse<unknown>;
  choose: Choose;
  /** Returns the value of an absent argument; undefined if the argument is then required. */
  fallback?: (settings: LoadedSettings) => unknown;
  /** The next step if the argument is missing, apart from specifying it. */
  alternative?: string;
  complete?: CompleteValue;
  type?: T;
};
export type Option<T> = {
  kind: "value" | "flag" | "list";
  flags: string;
  about: string;
  parse: Parse<unknown>;
  choose: Choose;
  complete?: CompleteValue;
  required?: true;
  /** The former flags. They still work, are not in help, and print a note that names the new ones. */
  former?: string;
  /** For a repeatable option KEY=VALUE. Returns the keys that the rest of the input makes required. */
  requiredKeys?: (input: Readonly<Record<string, unknown>>) => readonly string[];
  type?: T;
};

export const asText: Parse<string> = (text) => text;

/** Defines a required argument: `argument("OBJECT", "MODULE/OBJECT", parseObject, "object")`. */
export function argument(name: string, about: string): Argument<string>;
export function argument<T>(name: string, about: string, parse: Parse<T>, choose?: Choose): Argument<T>;
export function argument(
  name: string,
  about: string,
  parse: Parse<unknown> = asText,
  choose: Choose = "text",
): Argument<unknown> {
  return { kind: "argument", name, about, optional: false, parse, choose };
}

export function optionalArgument<T>(
  name: string,
  about: string,
  parse: Parse<T>,
  choose: Choose = "text",
): Argument<T | undefined> {
  return { kind: "argument", name, about, optional: true, parse, choose };
}

/** Defines an argument with one or more values. Must be the last argument of a command. */
export function rest<T>(name: string, about: string, parse: Parse<T>, choose: Choose): Argument<T[]> {
  return { kind: "rest", name, about, optional: false, parse, choose };
}

/** Defines an argument with any number of values. Must be the last argument of a command. */
export function optionalRest<T>(name: string, about: string, parse: Parse<T>, choose: Choose): Argument<T[]> {
  return { ...rest(name, about, parse, choose), optional: true };
}

/**
 * Defines an option with a value: `option("--page <number>", "…", wholeNumber(1))`. Without the option the value is
 * undefined.
 */
export function option(flags: string, about: string): Option<string | undefined>;
export function option<T>(flags: string, about: string, parse: Parse<T>, choose?: Choose): Option<T | undefined>;
export function option(
  flags: string,
  about: string,
  parse: Parse<unknown> = asText,
  choose: Choose = "text",
): Option<unknown> {
  return { kind: "value", flags, about, parse, choose };
}

/** Defines an option without a value. */
export function flag(flags: string, about: string): Option<boolean> {
  return { kind: "flag", flags, about, parse: asText, choose: "text" };
}

/** Defines a repeatable option. Without the option the value is an empty list. */
export function list(flags: string, about: string): Option<string[]>;
export function list<T>(flags: string, about: string, parse: Parse<T>, choose?: Choose): Option<T[]>;
export function list(
  flags: string,
  about: string,
  parse: Parse<unknown> = asText,
  choose: Choose = "text",
): Option<unknown[]> {
  return { kind: "list", flags, about, parse, choose };
}

export function required<T>(definition: Option<T>): Option<Exclude<T, undefined>> {
  return { ...definition, required: true } as Option<Exclude<T, undefined>>;
}

/** Gives an option that has a new name its former flags, such as `--into <file>`. */
export function renamed<T>(definition: Option<T>, former: string): Option<T> {
  return { ...definition, former };
}

/** Returns a parser for a whole number from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parse<number> {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
    throw new FormctlError("USAGE", `must be a whole number ${range}, not "${text}"`);
  };
}

/** Returns a parser for a text that must be one of `words`. */
export function oneOf<const T extends string>(words: readonly T[]): Parse<T> {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new FormctlError("USAGE", `must be one of ${words.join(", ")}, not "${text}"`);
  };
}

export type Consent = {
  question: string;
  /** The data that will be permanently deleted, one line each. */
  lost: readonly string[];
  /** The flag that confirms the question; other flags do not. */
  flag: "--yes" | "--allow-delete" | "--allow-replace" | "--allow-answers";
};

/**
 * The parts of a command's context that execute.ts creates. Services open on first use, so that help opens no store.
 */
export type CommandResources = {
  localStore: LocalStoreFile;
  target: Target;
  server: Server;
  credentials: Credentials;
  terminal: Terminal;
  /** Undefined if the user can't be asked: there is no terminal, or `--no-input` or CI is set. */
  prompter: Prompter | undefined;
  settings: LoadedSettings;
  /** Whether a flag or the environment names the target. */
  isTargetNamed: boolean;
  /**
   * Copies the target, for the rehearsal of a script.
   *
   * @param folder a private folder for the files of the copy
   */
  copyTarget(folder: string, options: ScriptCopyOptions): Promise<ScriptCopies>;
  /** The folder that replaces `.formctl` of the project in the rehearsal of a script. Undefined otherwise. */
  stateFolder: string | undefined;
  /**
   * Opens a file in an editor and waits until the editor ends.
   *
   * @throws the system error if the editor can't be started
   */
  runEditor(command: string, path: string): Promise<EditorEnd>;
  newMutationId(): string;
  /** Adds the target options of this command to the commands that a text suggests. Messages of the terminal have them. */
  withTarget(text: string): string;
  /**
   * Opens a server that is not the target of the command. Its token may not be stored yet. The connection is closed
   * after the command.
   */
  connect(server: RemoteTarget, token: FoundToken): Server;
  /**
   * Opens a target that the arguments name, instead of the target of the command. The opened target is closed after the
   * command.
   */
  open(target: Target, tokens: TokenSources): OpenedTarget;
  /**
   * Starts an HTTP server for the local store. On SIGHUP, the server reads its certificate again.
   *
   * @throws INVALID_VALUE if the file of the certificate or of the key is unusable
   * @throws the error of the socket, such as EADDRINUSE
   */
  serve(request: ServeRequest): Promise<RunningServer>;
  /**
   * Copies a whole store into a store without records. Each store is an absolute path, or the URL of a database.
   *
   * @throws StoreError
   */
  copyStore(stores: { from: string; into: string }, onProgress: OnProgress): Promise<StoreCounts>;
  /** Converts an error into a failure, for a command that reports several failures. */
  describe(error: unknown, hint?: string): Promise<Failure>;
  rehearse: Rehearse;
};

/** The sources of a token, in addition to the stored tokens. */
export type TokenSources = {
  /** The file of the token. */
  tokenFile: string | undefined;
  /** Whether FORMCTL_TOKEN may be sent to this target. */
  usesEnvironment: boolean;
};

/** A target with its services, which open on first use. */
export type OpenedTarget = Pick<CommandContext, "target" | "service" | "local" | "localStore" | "server">;

export type ScriptCopyOptions = Pick<ServerCopyOptions, "organization" | "nameOf" | "concurrency" | "onProgress">;

/** Copies of a target on which the commands of a script work. */
export type ScriptCopies = {
  /** What the copies lack, one line each. */
  unknown: readonly string[];
  /** The codes of refusals that may depend on what the copies lack. */
  uncertain: readonly string[];
  /** Opens a copy. That of a local store is a store. */
  open(): Promise<{ copy: ScriptRehearsal["copy"]; close: () => Promise<void> }>;
  /** Opens a fresh copy on a server of this machine. */
  serve(
    faults?: Parameters<FailureOptions["start"]>[0],
  ): Promise<CopyWithFaults & { copy: Extract<ScriptRehearsal["copy"], { kind: "remote" }> }>;
};

/** Everything that a command can use. `readFile` throws INVALID_VALUE if the file can't be read. */
export type CommandContext = Omit<Host, "keychain"> &
  CommandResources & {
    /** Returns the service of the target. With `--dry-run`, writes are recorded and not sent. */
    service(): Promise<Service>;
    /**
     * Returns the service of the target for the record of migrations. Its writes are sent even after a signal. The
     * result of the command does not contain these writes.
     */
    recordService(): Promise<Service>;
    /** Returns the operations of a local store. @throws USAGE if the target is a server */
    local(): Promise<LocalService>;
    /** The path of `--token-file`. */
    tokenFile: string | undefined;
    /**
     * Asks the user to confirm, unless the flag of the consent is given.
     *
     * @throws CONSENT_MISSING if the user declines or can't be asked
     */
    consent(consent: Consent): Promise<void>;
    /**
     * Asks the user, who must be at a terminal, a question whose default answer is No.
     *
     * @param words the option that gives the answer Yes on the command line, with its value
     */
    confirm(this: void, question: string, words: readonly string[]): Promise<boolean>;
    /** The command line that does the same without questions. */
    sameLine: SameLine;
    dryRun: boolean;
    /** Whether `--yes` is specified. This flag confirms the questions without a flag of their own. */
    yes: boolean;
    /** The organization of a local target, if one was specified. */
    organization: string | undefined;
  };

/** The operations of a server. Each operation throws USAGE if the target is a local store. */
export type Server = {
  raw: (request: RawRequest) => Promise<RawAnswer>;
  /** Returns the token of the requests, with its source. @throws NO_TOKEN */
  token: () => Promise<FoundToken>;
  /** Returns a service that sends the given token instead of the result of `token`. */
  serviceFor: (token: Secret) => Promise<Service>;
  /** Returns a service whose answers are also passed to the given function. */
  observed: (onAnswer: (answer: Observation) => void) => Promise<Service>;
};

export type ServeRequest = {
  host: string;
  port: number;
  /** The files of the certificate (with its chain) and of the private key, in PEM. */
  tls?: { cert: string; key: string };
  /** Whether all connections come from a proxy, which names the client in `X-Forwarded-For`. */
  behindProxy?: boolean;
  /**
   * The requests per second of one token; 0 for no limit. The default is 50, or no limit if only this machine can
   * connect.
   */
  rateLimit?: number;
  /** The address of the listener for metrics. */
  metrics?: { host: string; port: number };
  /**
   * The seconds after a signal in which the server still accepts requests, but reports that it is not ready. 0 by
   * default.
   */
  drainDelay?: number;
  /** The faults of requests, and the seed of those with a rate. */
  faults?: { list: readonly Fault[]; seed: number; onFault?: () => void };
};

/** A running server. A signal ends the server and the program. */
export type RunningServer = {
  url: string;
  metricsUrl?: string;
  /** Resolves when the last request has been answered. */
  ended: Promise<void>;
};

export type LocalStoreFile = {
  /** The path of the file, or the URL of the database without its password. */
  location: string;
  /** @throws USAGE for a database on a server */
  requireFile(): void;
  /** Always true for a database on a server. */
  exists(): boolean;
  /** Creates the store if it does not exist. @returns false if the store existed */
  create(): Promise<boolean>;
  /** Copies the store into a new file. @throws INVALID_VALUE if the folder of the file does not exist */
  backup(into: string): Promise<StoreBackup>;
  /** Returns the counts of the records in a backup. */
  inspect(from: string): Promise<StoreCounts>;
  /**
   * Replaces the store with a backup. `damaged` is the new path of the previous store if that store could not be read.
   */
  restore(from: string): Promise<StoreRestored>;
  reset(): Promise<{ damaged: string | undefined }>;
};

/** The global options that a group of {@link Command.atLeastOneOf} may name. */
export type GlobalOption = "--store";

type InputOf<A, O> = { [K in keyof A]: A[K] extends Argument<infer T> ? T : never } & {
  [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

export type Command<A = Record<string, Argument<unknown>>, O = Record<string, Option<unknown>>, R = unknown> = {
  /** Paragraphs that help prints after the options. */
  details?: string;
  /** Example command lines. They work with the demo. */
  examples: string[];
  args: A;
  options: O;
  /** Groups of arguments and options. At least one of each group is required. A group may name global options. */
  atLeastOneOf?: readonly (readonly string[])[];
  /**
   * The command writes, so a signal does not interrupt it.
   *
   * - `true`: The command sends requests. With `--dry-run`, the requests are printed instead.
   * - `"store"`: The command works on the local store directly.
   */
  writes?: true | "store";
  /** The command lists records, and has the options `watchOptions`. */
  watches?: true;
  /** With `--dry-run`, the result describes the changes. The recorded requests are not printed. */
  describesDryRun?: true;
  /**
   * The result reports every request. A failed read after a write is part of the result. It is not an error of the
   * command.
   */
  reportsSteps?: true;
  /** Does the work. Prints nothing. */
  run(context: CommandContext, input: InputOf<A, O>): Promise<R>;
  /** Prints the result for users. Decisions belong in `run`. */
  view(result: R, terminal: Terminal): void;
  /** Returns the document that `-o json` prints. By default, the result. */
  document?(result: R): unknown;
  /**
   * Prints the failure of `run` on stdout, for a format that is read without stderr. The failure is printed on stderr
   * too. Not called with `-o json` and similar formats.
   */
  viewFailure?(failure: Failure, input: InputOf<A, O>, context: CommandContext): void;
  /** Returns the lines of `-o name`. By default, the ids of the records in the document. */
  names?(result: R): string[];
  /** Runs after the result is printed. For a command that only a signal ends. */
  afterPrint?(result: R, terminal: Terminal): Promise<void>;
  /**
   * Whether the command runs until a signal ends it, like a server. The signal ends `afterPrint`, but not the process.
   * The JSON document is a single line, so programs can read it while the command runs.
   */
  keepsRunning?(input: InputOf<A, O>): boolean;
  /** A signal is the normal end of the command, so the exit code does not report the signal. */
  endsOnSignal?: true;
  /** Returns commands to run next, which are printed as hints. */
  next?(result: R, input: InputOf<A, O>): string[];
  /**
   * Describes the completed change, for the error of a command whose result can't be printed. `hint` replaces the hint
   * of the error OUTPUT_UNWRITABLE.
   */
  done?(result: R): { text: string; hint?: string };
  exitCode?(result: R): number;
};

/** Returns the definition unchanged, so that TypeScript checks its types. */
export function defineCommand<
  A extends Record<string, Argument<unknown>>,
  O extends Record<string, Option<unknown>>,
  R,
>(
  command: Command<A, O, R> & {
    atLeastOneOf?: readonly (readonly (Extract<keyof A | keyof O, string> | GlobalOption)[])[];
  },
): Command {
  return command;
}
