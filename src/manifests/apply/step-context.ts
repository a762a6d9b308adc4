/** What a step is sent with: the service, its resource, and what earlier steps have made known. */

import type { VersionAnswer } from "../../schemas/answers.ts";
import type { Service } from "../../service.ts";
import type { PlannedResource } from "../plan/planned.ts";
import type { Expectations } from "./expectations.ts";
import type { Listings } from "./listings.ts";

/** What is known of a resource while it is worked on. */
export type Known = {
  formId?: string | undefined;
  layoutId?: string | undefined;
  /** The draft that came with a layout that this run has created; null: somebody else has saved another one since. */
  first?: string | null | undefined;
  /** The draft that this run has saved; null: it has published it, and there is none. Undefined: it has done neither. */
  draft?: string | null | undefined;
  /** The version that this run has published. */
  published?: string | undefined;
};

/** The ids of what was made, as the journal keeps them. */
export type Ids = Readonly<Record<string, string>>;

export type StepContext = {
  service: Service;
  resource: PlannedResource;
  known: Known;
  /** Sets writes apart that would be no other writes by what they say. */
  run: string;
  expectations: Expectations;
  /** What the service said of the drafts that this run has saved, by their ids: it may not say it again. */
  validations: Map<string, NonNullable<VersionAnswer["validation"]>>;
  sleep: (milliseconds: number) => Promise<void>;
  /** What there is now, where the service has refused the same before and asked to wait. */
  again: Listings | undefined;
  /** Records that a request is about to be sent, under this id. */
  intend: (mutation: string) => Promise<void>;
};
