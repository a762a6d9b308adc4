/** The types of rules and of their context. */

import type { Permission } from "../schemas/words.ts";
import type { OperationName, operations, Output, ParsedInput, PathParameter } from "../schemas/operations.ts";
import type { FormParts, FormRecord } from "../store/forms.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import type { ObjectRecord } from "../store/objects.ts";
import type { OrgTx } from "../store/store.ts";
import type { VersionRecord } from "../store/versions.ts";
import type { NewId } from "./ids.ts";

/** The sender of a request. The organization of an operation always comes from the actor. */
export type Actor = {
  organizationId: string;
  permissions: ReadonlySet<Permission>;
  /** Undefined for a command on a local store: the command acts as an administrator, without a token. */
  tokenId?: string;
};

export type RuleContext = {
  tx: OrgTx;
  actor: Actor;
  /** The time of the whole operation: ISO 8601 in UTC, with milliseconds. */
  now: string;
  newId: NewId;
  afterCommit(task: () => Promise<void>): void;
  /**
   * Runs `task` in a new transaction if the rule throws a ServiceError. The transaction of the rule is rolled back
   * first.
   */
  afterRefusal(task: (tx: OrgTx) => Promise<void>): void;
  /** The hash of the content of each version in the result of the rule, by the version's id. See `storeResponse`. */
  contentHashes: Map<string, string>;
};

type Named<Parameter, Name, Records> = Name extends Parameter ? Records : unknown;

/** The records that a path names. They exist and belong to the organization of the actor. */
export type PathRecords<N extends OperationName> = Named<
  PathParameter<(typeof operations)[N]["path"]>,
  "objectKey",
  { object: ObjectRecord }
> &
  Named<PathParameter<(typeof operations)[N]["path"]>, "formId", { form: FormRecord; parts: FormParts }> &
  Named<PathParameter<(typeof operations)[N]["path"]>, "layoutId", { layout: LayoutRecord }> &
  Named<PathParameter<(typeof operations)[N]["path"]>, "versionId", { version: VersionRecord }>;

/**
 * The context of a read. The rule begins its queries by the path, before `records` are known: on a database on another
 * machine, all queries then share a round trip. If a record does not exist, the result of the rule is not used.
 */
export type ReadContext<N extends OperationName> = RuleContext & { records: Promise<PathRecords<N>> };

type ContextOf<N extends OperationName> = (typeof operations)[N]["method"] extends "GET"
  ? ReadContext<N>
  : RuleContext & PathRecords<N>;

export type Rule<N extends OperationName> = (context: ContextOf<N>, input: ParsedInput<N>) => Promise<Output<N>>;

/** A rule for each operation: an operation without a rule does not compile. */
export type Rules = { [N in OperationName]: Rule<N> };

/** The rules, each loaded on first use. */
export type LazyRules = { [N in OperationName]: () => Promise<Rule<N>> };
