/** Collects complaints about a draft: finds their paths, and stops when there are too many to be read. */

import { DIAGNOSTIC_CODES, type DiagnosticCode } from "../diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { BlockNode, DraftTree } from "../draft-tree.ts";
import type { DraftContent } from "../draft.ts";
import type { Mode } from "../form.ts";
import { nearest } from "../nearest.ts";
import { formatPath, type PathStep } from "../path.ts";
import type { Known } from "../draft-known.ts";
import type { DraftFields } from "../draft-fields.ts";

export const MAX_DIAGNOSTICS = 500;
const MAX_QUOTED = 60;
const MAX_LISTED = 8;

export type Detail = { mode?: Mode | undefined; meta?: Record<string, unknown> };

export type Report = {
  /** Complains about a place in the draft. Of a member that is missing, the first missing step is the place. */
  at(code: DiagnosticCode, steps: readonly PathStep[], message: string, detail?: Detail): void;
  /** Complains about a block, or about a member of it. The path is made only now: most blocks are right. */
  block(code: DiagnosticCode, node: BlockNode, steps: readonly PathStep[], message: string, detail?: Detail): void;
  readonly diagnostics: Diagnostic[];
  /** No more complaints are taken: a check may stop. */
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
        message: `the checks stopped after ${MAX_DIAGNOSTICS} complaints - correct these and check again`,
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

/** The steps as far as there is something, and one more member: a file can be opened where it would stand. */
function existingSteps(value: unknown, steps: readonly PathStep[]): readonly PathStep[] {
  let at = value;
  for (const [taken, step] of steps.entries()) {
    if (typeof at !== "object" || at === null) return steps.slice(0, taken);
    if (!Object.hasOwn(at, step)) return steps.slice(0, taken + 1);
    at = (at as Record<PathStep, unknown>)[step];
  }
  return steps;
}

/** Text of a document as a message may hold it: in quotes, on one line, not long. */
export function quote(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  // JSON leaves some characters as they are that end a line or steer a terminal.
  return JSON.stringify(short).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `"main", "side"`; of many, the first ones. */
export function list(words: Iterable<string>): string {
  const shown: string[] = [];
  for (const word of words) {
    if (shown.length === MAX_LISTED) return `${shown.join(", ")}, …`;
    shown.push(quote(word));
  }
  return shown.join(", ");
}

/** The way out of an unknown word: the known one that it is close to, else what there is, else `otherwise`. */
export function nextStep(
  word: string,
  known: readonly string[] | ReadonlySet<string>,
  what: string,
  otherwise: string,
): string {
  const meant = nearest(word, known);
  if (meant !== undefined) return `did you mean ${quote(meant)}?`;
  const all = list(known);
  return all === "" ? otherwise : `${what} ${all}`;
}

/** A block in a message about another one. */
export function nameOf(node: BlockNode): string {
  return node.block.id === undefined ? `the ${node.block.type} at ${formatPath(stepsTo(node))}` : quote(node.block.id);
}

export type CheckContext = {
  draft: DraftContent;
  known: Known;
  tree: DraftTree;
  fields: DraftFields;
  report: Report;
};

/** A rule about blocks. It is made once for a draft, may remember what it saw, and then meets each block in order. */
export type BlockRule = (context: CheckContext) => (node: BlockNode) => void;
