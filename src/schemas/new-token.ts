/** What a token to be made must say. */

import * as z from "zod/mini";
import { Name } from "./text.ts";
import { PERMISSIONS } from "./words.ts";

export const NewToken = z.object({
  name: Name,
  permissions: z.array(z.enum(PERMISSIONS)),
  expiresAt: z.nullable(z.iso.datetime({ error: "must be a time in UTC, such as 2027-01-31T00:00:00Z" })),
});
