/** A version that a write expects to find, or none: `ver_…`, `none`. */

import { Identifier } from "../../schemas/text.ts";
import { by } from "../by-schema.ts";
import type { Parse } from "../command.ts";

const readId = by(Identifier);

/** `none` and `-` are null: there must be no such version. */
export const parseExpected: Parse<string | null> = (text) => (text === "none" || text === "-" ? null : readId(text));
