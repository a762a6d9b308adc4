/**
 * The positions of a longest increasing subsequence. Of reordered items these keep their order, so that the smallest
 * number of others counts as moved.
 */
export function longestRise(numbers: readonly number[]): Set<number> {
  /** For each length, the position of the smallest number that ends such a sequence. */
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
