/** Files that can't be taken as manifests: all that is wrong with them, in one error. */

import type { Located } from "../../schemas/diagnostic.ts";

/** Thrown where a set of manifests was to be used that has problems. Each of them has its file, line and column. */
export class InvalidManifests extends Error {
  override readonly name = "InvalidManifests";
  readonly problems: readonly Located[];
  /** The texts of the files, for showing the lines in question. */
  readonly sources: ReadonlyMap<string, string>;

  constructor(problems: readonly Located[], sources: ReadonlyMap<string, string>) {
    const first = problems.find(({ severity }) => severity === "error") ?? problems[0];
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    super(
      first ? `${first.file}:${first.line}:${first.column}: ${first.message}${more}` : "the manifests can't be used",
    );
    this.problems = problems;
    this.sources = sources;
  }
}
