/** What a rule sees: one transaction, who asks, the clock, and the records that the path names. */

import type { Permission } from "../schemas/words.ts";
import type { OperationName, operations, Output, ParsedInput, PathParameter } from "../schemas/operations.ts";
import type { FormRecord } from "../store/forms.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import type { ObjectRecord } from "../store/objects.ts";
import type { Tx } from "../store/store.ts";
import type { VersionRecord } from "../store/versions.ts";
import type { NewId } from "./ids.ts";

/** Who asks. The organization comes from here and from nowhere else. */
export type Actor = {
  organizationId: string;
  permissions: ReadonlySet<Permission>;
  /** Absent in local mode, where an administrator acts without a token. */
  tokenId?: string;
};

/** What every rule has, whichever path it answers. */
export type RuleContext = {
  tx: Tx;
  actor: Actor;
  /** ISO 8601, UTC, milliseconds; the same for the whole operation. */
  now: string;
  newId: NewId;
  /** Runs `task` when the transaction has been committed, and not if it fails. */
  afterCommit(task: () => Promise<void>): void;
  /** Runs `task` in a transaction of its own when the rule refuses, which undoes all that it has written itself. */
  afterRefusal(task: (tx: Tx) => Promise<void>): void;
};

type Named<Parameter, Name, Records> = Name extends Parameter ? Records : unknown;

/** The records that a path names: they exist and belong to the actor's organization before a rule begins. */
export type PathRecords<N extends OperationName> = Named<
  PathParameter<(typeof operations)[N]["path"]>,
  "objectKey",
  { object: ObjectRecord }
> &
  Named<PathParameter<(typeof operations)[N]["path"]>, "formId", { form: FormRecord }> &
  Named<PathParameter<(typeof operations)[N]["path"]>, "layoutId", { layout: LayoutRecord }> &
  Named<PathParameter<(typeof operations)[N]["path"]>, "versionId", { version: VersionRecord }>;

export type Rule<N extends OperationName> = (
  context: RuleContext & PathRecords<N>,
  input: ParsedInput<N>,
) => Promise<Output<N>>;

/** A rule for each row of the table: a row without one does not compile. */
export type Rules = { [N in OperationName]: Rule<N> };

/** The same, each loaded when it is first asked for. */
export type LazyRules = { [N in OperationName]: () => Promise<Rule<N>> };
