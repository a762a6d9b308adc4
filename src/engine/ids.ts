/** Ids of new records. */

import { randomBytes } from "node:crypto";

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
} as const;

export type IdKind = keyof typeof ID_PREFIX;
export type NewId = (kind: IdKind) => string;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** `frm_` and 24 characters of base32: 120 random bits, and never a word of the API's paths. */
export const randomId: NewId = (kind) => {
  let text = "";
  for (const byte of randomBytes(24)) text += ALPHABET[byte & 31];
  return `${ID_PREFIX[kind]}_${text}`;
};
