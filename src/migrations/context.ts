/** Defines what the operations on migrations share, such as the folder, the target and its record. */

import type { Progress, ProjectHost, Warning } from "../project/project.ts";
import type { Rehearse } from "../rehearsal/rehearsal.ts";
import type { ProjectTarget } from "../state/target.ts";
import type { MigrationRecord } from "./record.ts";

export type MigrationsProgress =
  | Progress
  /** Reported at the start of each migration. `number` counts from 1. */
  | { stage: "migrating"; name: string; number: number; total: number }
  /** Reported after each step of a script. */
  | { stage: "step"; migration: string; step: string };

export type MigrationsContext = {
  /** The project folder. */
  root: string;
  /** The folder to which paths in messages are relative. */
  cwd: string;
  /** The folder of the migration files. */
  folder: string;
  target: ProjectTarget;
  record: () => Promise<MigrationRecord>;
  /** Returns what migrations can import from `formctl`. */
  library: () => Promise<object>;
  /** Receives what migrations print. Default: stderr */
  print?: ((text: string) => void) | undefined;
  /** Rehearses the plans of transforms. Absent if plans can't be rehearsed. */
  rehearse: Rehearse | undefined;
  host: ProjectHost;
  concurrency: number;
  onProgress: (progress: MigrationsProgress) => void;
  onWarning: (warning: Warning) => void | Promise<void>;
};
