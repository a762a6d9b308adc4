/** The schema of the member `match`, which migrations in code and in YAML share. */

import * as z from "zod/mini";
import { Surface } from "../schemas/layout.ts";
import { Name } from "../schemas/text.ts";
import { ObjectAddress } from "../manifests/manifest-schema.ts";

const some = <T extends z.ZodMiniType>(item: T) =>
  z.optional(z.array(item).check(z.minLength(1, "must not be empty. Remove it to match all")));

export const Match = z.strictObject({
  objects: some(ObjectAddress),
  surfaces: some(Surface),
  forms: some(Name),
  layouts: some(Name),
  showsField: z.optional(z.string().check(z.minLength(1, "must not be empty"))),
  blockType: z.optional(z.string().check(z.minLength(1, "must not be empty"))),
});
