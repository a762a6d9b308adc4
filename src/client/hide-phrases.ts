/** Finds many known texts in other texts. The time depends on the length of the searched text only. */

export type PhraseHider = {
  /** Adds a text. A shorter one than the minimum is found only as a whole or in double quotes. */
  add(phrase: string): void;
  has(phrase: string): boolean;
  /** Replaces each added text. Where several start at the same character, the longest one counts. */
  hide(text: string): string;
};

/** The most characters that are remembered. After more, each text is replaced as a whole. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** @param shortest the minimum length of a text that is found within words */
export function phraseHider(shortest: number, replacement: string): PhraseHider {
  const phrases = new Set<string>();
  /** For the start of each text, the lengths of the texts with this start, longest first. */
  const lengthsOf = new Map<string, number[]>();
  const firsts = new Set<number>();
  let characters = 0;
  const addOne = (phrase: string) => {
    if (phrase === "" || phrases.has(phrase) || characters > MOST_CHARACTERS) return;
    characters += phrase.length;
    phrases.add(phrase);
    if (phrase.length < shortest) return;
    const start = phrase.slice(0, shortest);
    const lengths = lengthsOf.get(start) ?? [];
    if (!lengths.includes(phrase.length))
      lengthsOf.set(
        start,
        [...lengths, phrase.length].toSorted((one, other) => other - one),
      );
    firsts.add(phrase.charCodeAt(0));
  };
  return {
    add(phrase) {
      addOne(phrase);
      // A message may quote the text as JSON.
      addOne(JSON.stringify(phrase).slice(1, -1));
    },
    has: (phrase) => phrases.has(phrase),
    hide(text) {
      if (phrases.size === 0) return text;
      if (characters > MOST_CHARACTERS || phrases.has(text)) return replacement;
      let hidden = "";
      let done = 0;
      for (let at = 0; at < text.length; at++) {
        if (!firsts.has(text.charCodeAt(at))) continue;
        const lengths = lengthsOf.get(text.slice(at, at + shortest));
        const length = lengths?.find((each) => phrases.has(text.slice(at, at + each)));
        if (length === undefined) continue;
        hidden += text.slice(done, at) + replacement;
        done = at + length;
        at = done - 1;
      }
      const shown = hidden + text.slice(done);
      if (!shown.includes('"')) return shown;
      return shown.replace(/"([^"]+)"/g, (whole, part: string) => (phrases.has(part) ? `"${replacement}"` : whole));
    },
  };
}
