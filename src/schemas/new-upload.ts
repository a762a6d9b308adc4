/** What an uploaded file may be called. */

import * as z from "zod/mini";

export const NewUpload = z.object({
  fileName: z
    .string()
    .check(
      z.minLength(1, "must not be empty"),
      z.maxLength(255, "must be at most 255 characters"),
      z.regex(/^[^/\\]*$/, "must be a name without folders"),
    ),
});
