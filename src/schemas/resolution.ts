/** The question which layout somebody sees: of which page, in which mode. */

import * as z from "zod/mini";
import { Mode } from "./form.ts";
import { Surface, Target } from "./layout.ts";

export const ResolveQuestion = z.strictObject({ surface: Surface, target: Target, mode: Mode });
export type ResolveQuestion = z.infer<typeof ResolveQuestion>;
