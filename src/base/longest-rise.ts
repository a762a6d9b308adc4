/**
 * Returns the positions of a longest increasing subsequence. Callers pass the old positions of items in their new
 * order. The items of the subsequence then count as unmoved. So the smallest possible number of items counts as moved.
 */
export function longestRise(numbers: readonly number[]): Set<number> {
  /** For each length, the position of the smallest number at the end of an increasing sequence of this length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [position, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    previous.push(low > 0 ? ends[low - 1]! : -1);
    ends[low] = position;
  }
  const kept = new Set<number>();
  for (let position = ends.at(-1) ?? -1; position >= 0; position = previous[position]!) kept.add(position);
  return kept;
}
