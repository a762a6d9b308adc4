/** The schemas of requests that only a local store accepts: new tokens, uploads and layout resolution. */

import * as z from "zod/mini";
import { Name } from "./text.ts";
import { PERMISSIONS } from "./words.ts";
import { Mode } from "./form-schema.ts";
import { Surface, Target, targetFitsSurface } from "./layout-schema.ts";

export const NewToken = z.object({
  name: Name,
  permissions: z.array(z.enum(PERMISSIONS)),
  expiresAt: z.nullable(z.iso.datetime({ error: "must be a time in UTC, such as 2027-01-31T00:00:00Z" })),
});

export const NewUpload = z.object({
  fileName: z
    .string()
    .check(
      z.minLength(1, "must not be empty"),
      z.maxLength(255, "must be at most 255 characters"),
      z.regex(/^[^/\\]*$/, "must be a name without folders"),
    ),
});

export const ResolveQuestion = z
  .strictObject({ surface: Surface, target: Target, mode: Mode })
  .check(targetFitsSurface);

export type ResolvedLayout = {
  layoutId: string;
  layoutName: string;
  versionId: string;
  reason: "ROLE" | "ORGANIZATION_DEFAULT";
};
