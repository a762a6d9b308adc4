/** What a check has found. */

import type { ExitCode } from "../../exit-codes.ts";

export type Finding = {
  check: string;
  state: "ok" | "warn" | "fail";
  message: string;
  /** What to do about it. */
  fix: string | null;
  /** What a failure costs. */
  exitCode: ExitCode;
};

export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message, fix: null, exitCode: 0 };
}

export function warn(check: string, message: string, fix: string): Finding {
  return { check, state: "warn", message, fix, exitCode: 0 };
}

export function fail(check: string, message: string, fix: string, exitCode: ExitCode): Finding {
  return { check, state: "fail", message, fix, exitCode };
}
