/** Which texts of a long list stand in it more than once. */

/**
 * For each place whose text stood at an earlier place, that first place. A set of a hundred thousand texts takes three
 * times as long: it follows each of them through memory, where this compares numbers.
 */
export function findRepeats(texts: readonly (string | undefined)[]): Map<number, number> {
  const repeats = new Map<number, number>();
  let size = 16;
  while (size < 2 * texts.length) size *= 2;
  // A place counts from 1: 0 is a free slot.
  const slots = new Int32Array(size);
  const hashes = new Int32Array(texts.length);
  for (const [place, text] of texts.entries()) {
    if (text === undefined) continue;
    const hash = hashOf(text);
    hashes[place] = hash;
    let slot = hash & (size - 1);
    for (let other = slots[slot]!; ; other = slots[slot]!) {
      if (other === 0) {
        slots[slot] = place + 1;
        break;
      }
      if (hashes[other - 1] === hash && texts[other - 1] === text) {
        repeats.set(place, other - 1);
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return repeats;
}

/** FNV-1a over code units, its high bits mixed into the low ones. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}
