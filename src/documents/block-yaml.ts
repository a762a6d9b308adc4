/**
 * Prints most JSON values as YAML in a tenth of the time of js-yaml. The library is slower because it matches each text
 * with several regular expressions.
 */

/**
 * Matches texts that are certainly plain scalars in a block. The texts start with a letter, have no `:` or `#`, and are
 * no boolean or null. Other texts may be plain too.
 */
const SURELY_PLAIN =
  /^(?!(?:y|yes|n|no|on|off|true|false|null)$)[a-z](?:[\w ()./,;!?%&+*='"@$\u00c0-\u017f-]*[\w()./,;!?%&+*='"@$\u00c0-\u017f-])?$/i;
/** YAML 1.2 limits the keys of a block mapping to 1024 characters. */
const MAX_KEY = 1024;

/**
 * Returns the text that js-yaml prints in block style. The indentation is two spaces. The text has no folded lines, no
 * anchors and no undefined members. Returns undefined in these cases:
 * - The value is not a plain object or array.
 * - js-yaml prints a part of the value on several lines. Examples are a text with line breaks and a very long key.
 *
 * @param printScalar prints a text of one line that may need quotes. Also prints -0, fractions and unsafe integers
 */
export function blockYaml(value: unknown, printScalar: (scalar: string | number) => string): string | undefined {
  let isSupported = typeof value === "object" && value !== null;
  const printed = isSupported ? print(value, "\n") : "";
  return isSupported ? `${printed}\n` : undefined;

  /** @param line the line break and the indentation before each further line of the value */
  function print(node: unknown, line: string): string {
    if (typeof node === "string") return printText(node);
    if (node === null || node === undefined) return "null";
    if (typeof node === "boolean") return String(node);
    if (typeof node === "number")
      return Number.isSafeInteger(node) && !Object.is(node, -0) ? String(node) : printScalar(node);
    if (Array.isArray(node)) {
      const items = node.map((item) => `- ${print(item, `${line}  `)}`);
      return items.length === 0 ? "[]" : items.join(line);
    }
    if (typeof node === "object" && Object.getPrototypeOf(node) === Object.prototype) return printMembers(node, line);
    isSupported = false;
    return "";
  }

  function printMembers(object: object, line: string): string {
    let all = "";
    const deeper = `${line}  `;
    for (const [key, member] of Object.entries(object)) {
      if (member === undefined) continue;
      const name = printText(key);
      if (name.length > MAX_KEY) isSupported = false;
      const text = print(member, deeper);
      const isBlock = typeof member === "object" && member !== null && text !== "{}" && text !== "[]";
      all += `${all === "" ? "" : line}${name}:${isBlock ? deeper : " "}${text}`;
    }
    return all === "" ? "{}" : all;
  }

  function printText(text: string): string {
    if (SURELY_PLAIN.test(text)) return text;
    if (!text.includes("\n")) return printScalar(text);
    isSupported = false;
    return "";
  }
}
