/** The access rows of files, where members and roles can also be given by name. access-file-schema.ts checks them. */

import type { ModeWord } from "./words.ts";

/** A member has either `membershipId` or `member`, and a role either `roleId` or `role`. */
export type AccessFile = {
  users: { membershipId?: string | undefined; member?: string | undefined; types: ModeWord[] }[];
  roles: { roleId?: string | undefined; role?: string | undefined; types: ModeWord[] }[];
};
