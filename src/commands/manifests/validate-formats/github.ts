/** For GitHub Actions: a workflow command for each problem, which shows it beside the line in a pull request. */

import { countDiagnostics } from "../../../terminal/diagnostics.ts";
import { visible } from "../../../terminal/escape.ts";
import { countManifests, pathFromBase, type Validated } from "./validated.ts";

/** No line begins with what a file says: the service would obey it. */
export function asGithub(validated: Validated): string {
  const lines = validated.problems.map((problem) => {
    const { severity, code, message, line, column } = problem;
    const file = pathFromBase(problem.file, validated);
    const properties = { file, line: String(line), col: String(column), title: code };
    const text = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
    return `::${severity} ${text.join(",")}::${data(message)}\n`;
  });
  return `${lines.join("")}${countManifests(validated)}: ${countDiagnostics(validated.problems)}\n`;
}

function data(text: string): string {
  return visible(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
