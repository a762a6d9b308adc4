/** Chooses the sample value that a field shows in VIEW: a value that fits the label and the type of the field. */

export type SampledField = {
  type: string;
  label: string;
  /** Undefined if the block shows no field. */
  fieldKey: string | undefined;
  options: readonly string[];
};

const PEOPLE = ["Ana Lima", "Ben Okafor"];

/** Samples for texts and dates. The first sample applies whose pattern matches the key or the label of the field. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/e-?mail/i, "name@example.com"],
  [/phone|mobile/i, "+1 202 555 0123"],
  [/\b(first|given) name/i, "Ana"],
  [/\b(last|family) name|surname/i, "Lima"],
  [/\b(full|legal|your) name/i, "Ana Lima"],
  [/client|customer|company|employer|supplier|vendor/i, "Example Ltd"],
  [/city|town/i, "Lisbon"],
  [/country/i, "Portugal"],
  [/street|address/i, "1 Main Street"],
  [/\bzip\b|post(al)? ?code/i, "1000-001"],
  [/number|code/i, "A-1024"],
];
const LATER = /\b(ends?|until|expires|expiry|due)\b/i;

const SAMPLES: Readonly<Record<string, (field: SampledField) => string>> = {
  NUMBER: () => "42",
  DECIMAL: () => "4.25",
  CURRENCY: () => "1,250.00",
  DATE: (field) => (matches(field, LATER) ? "2027-03-01" : "2026-03-02"),
  DATETIME: (field) => (matches(field, LATER) ? "2026-03-02 17:30" : "2026-03-02 09:30"),
  EMAIL: () => "name@example.com",
  PHONE: () => "+1 202 555 0123",
  URL: () => "https://example.com",
  USER: () => PEOPLE[0]!,
  USER_MULTI: () => PEOPLE.join(", "),
  CONTRACTOR: () => PEOPLE[0]!,
  CONTRACTOR_MULTI: () => PEOPLE.join(", "),
  FILE: (field) => fileName(field),
  FILES: (field) => `${fileName(field)}, ${fileName(field, "-2")}`,
  SELECT: ({ options, label }) => options[0] ?? named(label),
  MULTI_SELECT: ({ options, label }) => options.slice(0, 2).join(", ") || named(label),
  TEXTAREA: ({ label }) => `${named(label)} with several sentences. It shows how a long value looks.`,
  CUSTOM_HTML: ({ label }) => `${named(label)} with several sentences. It shows how a long value looks.`,
  REFERENCE: ({ label }) => named(label),
};

/** Returns the sample value as text. */
export function sampleOf(field: SampledField): string {
  const sample = Object.hasOwn(SAMPLES, field.type) ? SAMPLES[field.type] : undefined;
  return sample?.(field) ?? TEXTS.find(([pattern]) => matches(field, pattern))?.[1] ?? named(field.label);
}

function matches({ label, fieldKey = "" }: SampledField, pattern: RegExp): boolean {
  return pattern.test(label) || pattern.test(fieldKey.replaceAll("_", " "));
}

/** Returns `Sample home city` for the label `Home city`. Abbreviations keep their capital letters. */
function named(label: string): string {
  return `Sample ${label.replace(/^\p{Lu}(?=\p{Ll}|$)/u, (first) => first.toLowerCase())}`;
}

function fileName({ label }: SampledField, suffix = ""): string {
  const words = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["sample"];
  return `${words.join("-")}${suffix}.pdf`;
}
