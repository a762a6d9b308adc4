/** Implements `Project.validate`, which finds every problem of every manifest. */

import type { Located } from "../../schemas/diagnostic.ts";
import type { ProjectContext } from "./context.ts";
import { loadManifests } from "./load.ts";

export type ValidateRequest = {
  /**
   * Files and folders, relative to the project's `cwd`; `-` is standard input. Default: the project's folder of
   * manifests.
   */
  paths?: readonly string[];
};

export type ValidateResult = {
  /** Whether no problem is an error. There may be warnings. */
  isValid: boolean;
  /** The problems in the order of files and lines. Lines and columns start at 1; columns count characters. */
  problems: readonly Located[];
  /** The checks that could not run, and why. */
  notRun: readonly string[];
  manifests: readonly { address: string; kind: "Form" | "Layout"; file: string }[];
  /** Every file that was read. */
  files: readonly string[];
  /** The texts of the files, to show the lines of problems. */
  sources: ReadonlyMap<string, string>;
};

export async function validate(context: ProjectContext, { paths = [] }: ValidateRequest): Promise<ValidateResult> {
  const onFile = (done: number, total: number) => context.onProgress({ stage: "validating", done, total });
  try {
    const { set, problems, notRun } = await loadManifests(context, paths, { dropsContents: true, onFile });
    return {
      isValid: problems.every(({ severity }) => severity !== "error"),
      problems,
      notRun,
      manifests: set.manifests.map(({ address, kind, file }) => ({ address, kind, file })),
      files: set.files,
      sources: set.sources,
    };
  } finally {
    context.onProgress({ stage: "ended" });
  }
}
