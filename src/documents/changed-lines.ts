/** How many lines of a text are others than they were, as a diff counts them. */

/** Beyond that many, everything between the first and the last line that differ counts as others. */
const MAX_EDITS = 10_000;

/** Lines that came or lines that went, whichever are more; a line that moved has gone in one place and come in another. */
export function changedLines(before: string, after: string): number {
  if (before === after) return 0;
  const [olds, news] = [before.split("\n"), after.split("\n")];
  let first = 0;
  while (first < olds.length && first < news.length && olds[first] === news[first]) first++;
  let last = 1;
  const shorter = Math.min(olds.length, news.length) - first;
  while (last <= shorter && olds.at(-last) === news.at(-last)) last++;
  const middle = (lines: readonly string[]) => lines.slice(first, lines.length - last + 1);
  const [old, now] = [middle(olds), middle(news)];
  const edits = fewestEdits(old, now);
  return (edits + Math.abs(now.length - old.length)) / 2;
}

/**
 * How many lines have to go and come so that one list becomes the other (Myers' greedy search, without the way itself):
 * linear in the lists where little differs, and bounded where all of them does.
 */
function fewestEdits(old: readonly string[], now: readonly string[]): number {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    Int32Array.from(lines, (line) => {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      return number;
    });
  const [a, b] = [numbered(old), numbered(now)];
  const most = a.length + b.length;
  /** By diagonal, how far into `a` one gets with the edits so far. */
  const reach = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= Math.min(most, MAX_EDITS); edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = diagonal + most + 1;
      const comes = diagonal === -edits || (diagonal !== edits && reach[at - 1]! < reach[at + 1]!);
      let x = comes ? reach[at + 1]! : reach[at - 1]! + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reach[at] = x;
      if (x >= a.length && x - diagonal >= b.length) return edits;
    }
  }
  return most;
}
