/** What is known beside a draft itself: the page it is for, the fields and scripts that exist. */

import type { ModeWord } from "./open.ts";
import type { Surface } from "./layout.ts";

export type KnownField = {
  id: string;
  key: string;
  name: string;
  type: string;
  isRequired: boolean;
  hasDefault: boolean;
  /** How many records have a value. */
  valueCount: number;
  options: string[];
};

/** An absent member is not known: the checks that need it do not run. */
export type Known = {
  surface?: Surface;
  /** The modes that the layout serves. */
  modes?: readonly ModeWord[];
  /** The fields of the object, or the custom fields of another surface and scope. */
  fields?: readonly KnownField[];
  /** Keys and ids of the scripts that are registered. */
  scripts?: readonly string[];
};
