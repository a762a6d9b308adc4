/** Collects a limited number of diagnostics of a draft, with their paths. Formats names in messages. */

import { DIAGNOSTIC_CODES, type DiagnosticCode } from "../diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { BlockNode, DraftTree } from "../draft-tree.ts";
import type { DraftContent } from "../draft.ts";
import type { Mode } from "../form.ts";
import { nearest } from "../../base/nearest.ts";
import { formatPath, type PathStep } from "../path.ts";
import type { LayoutCatalog } from "../catalog.ts";
import type { DraftFields } from "../draft-fields.ts";

const MAX_DIAGNOSTICS = 500;
const MAX_QUOTED = 60;
const MAX_LISTED = 8;

export type Detail = { mode?: Mode | undefined; meta?: Record<string, unknown> };

export type Report = {
  /** Reports a problem at a path of the draft. The path of a missing member ends with the first missing step. */
  at(code: DiagnosticCode, steps: readonly PathStep[], message: string, detail?: Detail): void;
  /**
   * Reports a problem of a block, or of its member at `steps`. The path is built here, so that valid blocks need no
   * path.
   */
  block(code: DiagnosticCode, node: BlockNode, steps: readonly PathStep[], message: string, detail?: Detail): void;
  readonly diagnostics: Diagnostic[];
  /** Returns true if further diagnostics are ignored. Then a check can stop. */
  isFull(): boolean;
};

export function createReport(draft: DraftContent): Report {
  const diagnostics: Diagnostic[] = [];
  let isFull = false;

  function add(code: DiagnosticCode, message: string, path?: string, blockId?: string, detail: Detail = {}): void {
    if (isFull) return;
    if (diagnostics.length === MAX_DIAGNOSTICS) {
      isFull = true;
      diagnostics.push({
        severity: DIAGNOSTIC_CODES.TOO_MANY_DIAGNOSTICS.severity,
        code: "TOO_MANY_DIAGNOSTICS",
        message: `the checks stopped after ${MAX_DIAGNOSTICS} diagnostics. Correct these and check again`,
      });
      return;
    }
    diagnostics.push({
      severity: DIAGNOSTIC_CODES[code].severity,
      code,
      message,
      ...(path !== undefined && { path }),
      ...(blockId !== undefined && { blockId }),
      ...(detail.mode !== undefined && { mode: detail.mode }),
      ...(detail.meta !== undefined && { meta: detail.meta }),
    });
  }

  return {
    diagnostics,
    isFull: () => isFull,
    at(code, steps, message, detail) {
      add(code, message, formatPath(existingSteps(draft, steps)), undefined, detail);
    },
    block(code, node, steps, message, detail) {
      const path = [...stepsTo(node), ...existingSteps(node.block, steps)];
      add(code, message, formatPath(path), node.block.id, detail);
    },
  };
}

function stepsTo(node: BlockNode): PathStep[] {
  const steps: PathStep[] = [];
  for (let at: BlockNode | undefined = node; at; at = at.parent)
    steps.push(at.index, at.parent ? "children" : "blocks");
  return steps.reverse();
}

/** Returns the existing steps and the first missing step. With this path, the diagnostic can be located in a file. */
function existingSteps(value: unknown, steps: readonly PathStep[]): readonly PathStep[] {
  let at = value;
  for (const [taken, step] of steps.entries()) {
    if (typeof at !== "object" || at === null) return steps.slice(0, taken);
    if (!Object.hasOwn(at, step)) return steps.slice(0, taken + 1);
    at = (at as Record<PathStep, unknown>)[step];
  }
  return steps;
}

/** Formats a text of a document for a message: quoted, on one line, and with a maximum length. */
export function quote(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  // JSON does not escape some line separators and control characters.
  return JSON.stringify(short).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Formats words as a list such as `"main", "side"`, cut to a maximum number of words. */
export function list(words: Iterable<string>): string {
  const shown: string[] = [];
  for (const word of words) {
    if (shown.length === MAX_LISTED) return `${shown.join(", ")}, …`;
    shown.push(quote(word));
  }
  return shown.join(", ");
}

/**
 * Returns the next step for an unknown word: a similar known word, or else all known words. Returns `otherwise` if
 * `known` is empty.
 */
export function nextStep(
  word: string,
  known: readonly string[] | ReadonlySet<string>,
  title: string,
  otherwise: string,
): string {
  const meant = nearest(word, known);
  if (meant !== undefined) return `Did you mean ${quote(meant)}?`;
  const all = list(known);
  return all === "" ? otherwise : `${title}: ${all}`;
}

/** Returns the name of a block for a message: its id, or its type and path. */
export function nameOf(node: BlockNode): string {
  return node.block.id === undefined ? `the ${node.block.type} at ${formatPath(stepsTo(node))}` : quote(node.block.id);
}

/** The input of a check: the draft, what is known about its fields and modes, and the report. */
export type CheckContext = {
  draft: DraftContent;
  known: LayoutCatalog;
  tree: DraftTree;
  fields: DraftFields;
  report: Report;
};

/** A check of blocks. It is created once per draft, may keep state, and is called for each block in order. */
export type BlockRule = (context: CheckContext) => (node: BlockNode) => void;
