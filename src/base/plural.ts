/** Returns a number with its noun: `1 block`, `12 blocks`. */
export function plural(count: number | string, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? "" : "s"}`;
}
