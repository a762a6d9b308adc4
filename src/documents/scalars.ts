/** What a plain scalar of YAML means: null, a boolean, a number or text (the core schema of YAML 1.2.2, section 10.3). */

/** A scalar that cannot be kept exactly as it was written. */
export class BadNumber {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const WORDS = new Map<string, null | boolean>([
  ["", null],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["NULL", null],
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);

const integer = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

export function resolvePlain(text: string): null | boolean | number | string | BadNumber {
  const first = text.charCodeAt(0);
  // + - . and digits begin numbers; every other number-like word is text.
  if (first === 43 || first === 45 || first === 46 || (first >= 48 && first <= 57)) return resolveNumber(text);
  if (text.length > 5) return text;
  const word = WORDS.get(text);
  return word === undefined ? text : word;
}

function resolveNumber(text: string): number | string | BadNumber {
  const isInteger = integer.test(text);
  if (!isInteger && !decimal.test(text)) {
    if (notFinite.test(text)) return new BadNumber("must be a finite number; JSON has no other");
    return text;
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return new BadNumber("is too large a number. Quote it if it is text");
  if (Object.is(value, -0)) return new BadNumber("is a negative zero, which JSON does not keep. Write 0");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new BadNumber("is a number that JSON can't carry exactly. Quote it if it is text");
  }
  return value;
}
