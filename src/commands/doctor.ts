/** `formctl doctor`: checks the setup, and suggests a fix for each problem. */

import { FormctlError, hasCode } from "../base/error.ts";
import { targetText } from "../config/target.ts";
import { visible } from "../terminal/escape.ts";
import type { Style } from "../terminal/style.ts";
import { type Contract, contractText, sentenceOf } from "./contract-view.ts";
import { asText, type CommandContext, defineCommand, flag, option } from "./command.ts";
import { fail, type Finding, ok, warn } from "./doctor-checks.ts";

export default defineCommand({
  details: `Changes nothing on the target. The exit code is that of the first failed check, or 0. A warning does not affect it.

--contract compares the answers of the server with the documented ones instead. It only sends GETs, and reports shapes: the
paths and types of members, never values. The differences are in three groups: those that can break formctl, new ones and
harmless ones, each with what formctl does about it. --save FILE writes the shapes into a file for a repository.
--compare FILE reports what changed since. --from FILE judges a recording instead of the server, without sending anything.
The exit code is 1 if a difference can break formctl, else 2 if something changed since --compare, else 0.`,
  examples: [
    "formctl doctor",
    "formctl doctor --contract --save contract.json",
    "formctl doctor --contract --compare contract.json",
    "formctl doctor --contract --from recording.har",
  ],
  args: {},
  options: {
    contract: flag("--contract", "Compare the answers of the server with the documented ones"),
    from: option("--from <file>", "With --contract: judge the answers in this HAR file", asText, "file"),
    save: option("--save <file>", "With --contract: write the shapes of the answers into this file", asText, "path"),
    compare: option("--compare <file>", "With --contract: report changes since this file was saved", asText, "file"),
  },
  async run(context, { contract, ...files }): Promise<Finding[] | Contract> {
    if (contract) return (await import("./doctor-contract.ts")).checkContract(context, files);
    const given = Object.entries(files).find(([, value]) => value !== undefined);
    if (given) throw new FormctlError("USAGE", `--${given[0]} requires --contract`, "Add --contract.");
    return diagnose(context);
  },
  view(result, terminal) {
    terminal.line(Array.isArray(result) ? findingsText(result, terminal.style) : contractText(result, terminal.style));
  },
  names: (result) =>
    Array.isArray(result)
      ? result.filter(({ state }) => state !== "ok").map(({ check }) => check)
      : result.findings.map(sentenceOf),
  exitCode: (result) =>
    Array.isArray(result) ? (result.find(({ state }) => state === "fail")?.exitCode ?? 0) : result.exitCode,
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
