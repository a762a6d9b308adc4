/** `formctl doctor`: checks the setup, and suggests a fix for each problem. */

import { hasCode } from "../base/error.ts";
import { targetText } from "../config/target.ts";
import { visible } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import { type CommandContext, defineCommand } from "./command.ts";
import { fail, type Finding, ok, warn } from "./doctor-checks.ts";

export default defineCommand({
  details: `Changes nothing. The exit code is that of the first failed check, or 0. A warning does not affect it.`,
  examples: ["formctl doctor", "formctl doctor -o json"],
  args: {},
  options: {},
  run: diagnose,
  view: (findings: Finding[], terminal) => terminal.line(findingsText(findings, terminal.style)),
  names: (findings: Finding[]) => findings.filter(({ state }) => state !== "ok").map(({ check }) => check),
  exitCode: (findings: Finding[]) => findings.find(({ state }) => state === "fail")?.exitCode ?? 0,
});

/** Checks the settings, the stored tokens and the target. Changes nothing. */
export async function diagnose(context: CommandContext): Promise<Finding[]> {
  const { target } = context;
  const findings = [checkSettings(context), await checkCredentials(context), ...checkNetwork(context)];
  const { checkServer, checkStore } = await import("./doctor-checks.ts");
  const all = [...findings, ...(await (target.kind === "remote" ? checkServer(context) : checkStore(context)))];
  return all.map((finding) => ({ ...finding, fix: finding.fix && context.withTarget(finding.fix) }));
}

/** Returns a line for each finding, followed by its next step. */
export function findingsText(findings: readonly Finding[], style: Style): string {
  const paint = { ok: style.green, warn: style.yellow, fail: style.red };
  return findings
    .flatMap(({ state, check, message, fix }) => [
      `${paint[state](state.padEnd(4))}  ${visible(check)}: ${visible(message)}`,
      ...(fix === null ? [] : [`      ${visible(fix)}`]),
    ])
    .join("\n");
}

/** Returns the finding about the settings. It is always ok: unreadable settings fail before the command runs. */
function checkSettings({ settings, target }: CommandContext): Finding {
  const files = settings.files().filter(({ exists }) => exists);
  const from = files.length === 0 ? "no files" : files.map(({ path }) => path).join(", ");
  return ok("settings", `the target is ${targetText(target)} (settings from ${from})`);
}

async function checkCredentials({ credentials }: CommandContext): Promise<Finding> {
  try {
    const origins = await credentials.origins();
    return ok("stored tokens", origins.length === 0 ? "none" : `for ${origins.join(", ")}`);
  } catch (error) {
    if (!hasCode(error, "CREDENTIALS_UNUSABLE")) throw error;
    return fail("stored tokens", error.message, error.hint ?? "Log in again: formctl auth login", 4);
  }
}

function checkNetwork({ env, target }: CommandContext): Finding[] {
  if (target.kind === "local" || !target.origin.startsWith("https:")) return [];
  const findings: Finding[] = [];
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    const message = "NODE_TLS_REJECT_UNAUTHORIZED=0 disables TLS verification: no token is sent";
    findings.push(
      fail(
        "certificates",
        message,
        "Unset it. To trust another certificate authority, set NODE_EXTRA_CA_CERTS=/path/to/ca.pem.",
        7,
      ),
    );
  }
  if (env["https_proxy"] ?? env["HTTPS_PROXY"]) {
    findings.push(warn("proxy", "requests go through HTTPS_PROXY", "Set exceptions in NO_PROXY."));
  }
  return findings;
}
