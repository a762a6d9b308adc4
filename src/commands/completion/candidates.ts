/** The candidates of a completion, and the output that the completion scripts read. */

import { visible } from "../../terminal/escape.ts";
import { NO_FILES, NO_SPACE } from "./scripts.ts";

export type Candidate = {
  value: string;
  about?: string | undefined;
  /** The argument continues after this candidate. For example, a form's address continues after the object. */
  continues?: true;
};

export type Completion = {
  candidates: readonly Candidate[];
  /** The shell completes file names if there are no candidates. */
  files?: boolean;
};

/**
 * Returns the candidates that start with the word. Omits candidates with hidden characters, or with leading or trailing
 * spaces.
 */
export function matching(candidates: readonly Candidate[], word: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(word) && visible(value) === value && value.trim() === value);
}

/** Returns the output in the format that completion/scripts.ts describes. */
export function completionLines({ candidates, files = false }: Completion): string {
  const lines = candidates.map(({ value, about }) => (about ? `${value}\t${visible(about)}` : value));
  const directive = (candidates.some(({ continues }) => continues) ? NO_SPACE : 0) + (files ? 0 : NO_FILES);
  return `${[...lines, `:${directive}`].join("\n")}\n`;
}
