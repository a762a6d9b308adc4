/** Vitest's global setup: chooses the canary of a test run. Fails the run if the canary was found. */

import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /**
     * All tokens of the run start with the bytes of `mark`, which is hexadecimal. `findings` is the file that lists
     * where tokens were found.
     */
    canary: { mark: string; findings: string };
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "formctl-canary-"));
  const findings = join(folder, "findings.txt");
  project.provide("canary", { mark: randomBytes(24).toString("hex"), findings });
  return () => {
    const found = existsSync(findings) ? readFileSync(findings, "utf8") : "";
    rmSync(folder, { recursive: true });
    if (found !== "") throw new Error(`A token was found where none belongs:\n${found}`);
  };
}
