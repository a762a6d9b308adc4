/** Converts names to file names. */

/** Returns the ASCII words of a name in lower case, joined by `-`. Letters lose their accents. Empty without ASCII words. */
export function slugOf(name: string, maxLength: number): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return words.slice(0, maxLength).replace(/-+$/, "");
}
