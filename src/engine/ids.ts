/** Generates the ids of new records. */

import { nodeCrypto } from "../base/node-modules.ts";

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

/** The number of characters after the prefix. */
const LENGTH = 24;
/** The number of random characters that consecutive ids have in common: see {@link randomId}. */
const COMMON = 2;
/** The number of consecutive ids with the same first characters. */
const RUN = 1_024;
let common = "";
let left = 0;

/**
 * Returns a prefix such as `frm_` and 24 base32 characters. Because of the prefix, an id never equals a fixed segment
 * of an API path.
 *
 * The first two characters are the same in 1,024 consecutive ids of a process. The entries of these ids are neighbors
 * in an index. Therefore a commit of many records writes few pages of the index. Otherwise it would write one page for
 * each record. The other 110 bits of an id are random. All 120 bits of a public token are random, because the token is
 * a secret.
 */
export const randomId: NewId = (kind) => {
  if (kind === "publicToken") return `${ID_PREFIX[kind]}_${randomText(LENGTH)}`;
  if (left === 0) {
    common = randomText(COMMON);
    left = RUN;
  }
  left--;
  return `${ID_PREFIX[kind]}_${common}${randomText(LENGTH - COMMON)}`;
};

function randomText(length: number): string {
  return Array.from(nodeCrypto().randomBytes(length), (byte) => ALPHABET[byte & 31]).join("");
}
