/** Generates the ids of new records. */

import { randomBytes } from "../random.ts";

export const ID_PREFIX = {
  form: "frm",
  layout: "lay",
  version: "ver",
  member: "mem",
  role: "rol",
  organization: "org",
  module: "mod",
  object: "obj",
  field: "fld",
  script: "scr",
  assignment: "asg",
  upload: "upl",
  token: "tok",
  block: "blk",
  binding: "bnd",
  publicToken: "pub",
  migration: "mig",
  migrationRecord: "mgr",
} as const;

export type IdKind = keyof typeof ID_PREFIX;
export type NewId = (kind: IdKind) => string;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

const LENGTH = 24;
/**
 * The number of ids for which random bytes are fetched at once. The system call is the most expensive part of an id.
 */
const FETCHED = 64;
let pool = Buffer.alloc(0);
let used = 0;

/**
 * Returns a prefix such as `frm_` and 24 base32 characters (120 random bits). Because of the prefix, an id never equals
 * a fixed segment of an API path.
 */
export const randomId: NewId = (kind) => {
  if (used === pool.length) {
    pool = randomBytes(FETCHED * LENGTH);
    used = 0;
  }
  let text = "";
  for (const byte of pool.subarray(used, (used += LENGTH))) text += ALPHABET[byte & 31];
  return `${ID_PREFIX[kind]}_${text}`;
};
