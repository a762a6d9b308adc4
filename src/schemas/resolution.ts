/** The question which layout somebody sees, of which page and in which mode, and its answer. */

import * as z from "zod/mini";
import { Mode } from "./form.ts";
import { Surface, Target, targetFitsSurface } from "./layout.ts";

export const ResolveQuestion = z
  .strictObject({ surface: Surface, target: Target, mode: Mode })
  .check(targetFitsSurface);

export type ResolvedLayout = {
  layoutId: string;
  layoutName: string;
  versionId: string;
  reason: "ROLE" | "ORGANIZATION_DEFAULT";
};
