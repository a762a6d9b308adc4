/** Formats and parses paths in a document: `blocks[2].children[0].type`. */

export type PathStep = string | number;

const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** `["blocks", 2, "ref"]` → `blocks[2].ref`. A key with other characters is quoted: `config["a.b"]`. */
export function formatPath(steps: readonly PropertyKey[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (plainKey.test(String(step))) text += text === "" ? String(step) : `.${String(step)}`;
    else text += `[${JSON.stringify(String(step))}]`;
  }
  return text;
}

/** Parses the text of {@link formatPath}. In an invalid path, the part after the first error is ignored. */
export function parsePath(text: string): PathStep[] {
  const steps: PathStep[] = [];
  const token = /\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[1] !== undefined) steps.push(match[1]);
    else if (match[2] !== undefined) steps.push(Number(match[2]));
    else steps.push(JSON.parse(match[3]!) as string);
  }
  return steps;
}
