/** The schema of access files: the access rows of the API. In a file, members and roles can also be given by name. */

import * as z from "zod/mini";
import { Modes } from "./form-schema.ts";
import { Identifier } from "./text.ts";

const Text = z.string().check(z.minLength(1, "must not be empty"));

/** Both lists are required: a missing list would silently delete its rows (R80). */
export const AccessFile = z.strictObject({
  users: z.array(
    z
      .strictObject({ membershipId: z.optional(Identifier), member: z.optional(Text), types: Modes })
      .check(
        z.refine(
          ({ membershipId, member }) => (membershipId === undefined) !== (member === undefined),
          "must have either membershipId or member",
        ),
      ),
  ),
  roles: z.array(
    z
      .strictObject({ roleId: z.optional(Identifier), role: z.optional(Text), types: Modes })
      .check(
        z.refine(
          ({ roleId, role }) => (roleId === undefined) !== (role === undefined),
          "must have either roleId or role",
        ),
      ),
  ),
});
