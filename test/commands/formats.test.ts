/** `--format` has the same values in every command that reports problems, differences, plans or steps. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rehearsedReport } from "../../src/commands/rehearse-view.ts";
import { reportText } from "../../src/commands/formats/format.ts";
import { allCommands } from "./all-commands.ts";
import { sarifErrors, xmlErrors } from "./ci-formats.ts";
import { type Cli, openCli, type Outcome } from "./cli.ts";

const form = (name: string, more = "") =>
  `kind: Form\nobject: staffing/candidate\nname: ${JSON.stringify(name)}\ntypes: [VIEW]\n${more}`;

/** A project with a form that is in sync, one that differs and one that is missing, and two migrations. */
async function openScene(): Promise<Cli> {
  const cli = await openCli();
  cli.file("forms/a.yaml", form("First"));
  cli.file("forms/b.yaml", form("Sec|ond <b>"));
  expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
  cli.file("forms/b.yaml", form("Sec|ond <b>", "isActive: false\n"));
  cli.file("forms/c.yaml", form("Third"));
  cli.file(
    "migrations/20260101-0000-titles.mjs",
    "export default { form: (form) => ({ ...form, config: { a: 1 } }) };\n",
  );
  cli.file("script.sh", "exit 4\n");
  return cli;
}

const LINES: Readonly<Record<string, string>> = {
  validate: "validate forms",
  plan: "plan forms",
  apply: "apply forms --yes",
  status: "status forms",
  diff: "diff --from STORE#northwind --to STORE#contoso",
  promote: "promote --from STORE#northwind --to STORE#contoso staffing/candidate --yes --dry-run",
  "migrate plan": "migrate plan",
  "migrate run": "migrate run --yes",
  "migrate status": "migrate status",
  "migrate down": "migrate down --yes",
  rehearse: "rehearse script.sh --yes",
};

/** The command lines that fail, if they are not those of {@link LINES} with an unknown organization. */
const FAILURES: Readonly<Record<string, string>> = {
  validate: "validate forms --organization-file missing.yaml",
  rehearse: "rehearse missing.sh --yes",
  diff: "diff --from STORE#nowhere --to STORE#contoso",
  promote: "promote --from STORE#nowhere --to STORE#contoso --yes",
};

async function run(line: string, ...more: string[]): Promise<Outcome> {
  const cli = await openScene();
  return cli.run(...line.replaceAll("STORE", join(cli.home, "local.db")).split(" "), ...more);
}

type Log = { runs: { invocations: { exitCode: number }[]; results: { ruleId: string; level: string }[] }[] };

/** Returns what is wrong with stdout as the only document of the format. */
function errorsOf(format: string, { code, stdout }: Outcome): unknown[] {
  if (format === "sarif") {
    const log = JSON.parse(stdout) as Log;
    const exitCode = log.runs[0]?.invocations[0]?.exitCode;
    return [...sarifErrors(log), ...(exitCode === code ? [] : [`exit code ${exitCode}`])];
  }
  if (format === "junit")
    return /^<\?xml [^\n]+\n<testsuites name="formctl /.test(stdout) ? xmlErrors(stdout) : [stdout];
  if (format === "markdown")
    return /^### (?:<code>)?formctl /.test(stdout) && stdout.match(/^### /gm)?.length === 1 ? [] : [stdout];
  const lines = stdout.trimEnd().split("\n");
  const isCommand = (text: string) => /^::(?:notice|warning|error) (?:file=[^:]+,)?title=[A-Z0-9_]+::/.test(text);
  return lines.filter((text, index) => isCommand(text) === (index === lines.length - 1));
}

it("covers each command with the option", async () => {
  const found = (await allCommands()).filter(({ command }) => "format" in command.options);
  expect(found.map(({ name }) => name).toSorted()).toEqual(Object.keys(LINES).toSorted());
  const values = found.map(({ command }) => command.options["format"]!.choose);
  expect(new Set(values)).toEqual(new Set([["text", "markdown", "github", "sarif", "junit"]]));
});

describe.each(Object.entries(LINES))("formctl %s", (name, line) => {
  it.each(["markdown", "github", "sarif", "junit"])(
    "prints one %s document, with the exit code of text",
    async (format) => {
      const text = await run(line, "--format", "text");
      const outcome = await run(line, "--format", format);
      expect({ code: outcome.code, stderr: outcome.stderr.includes("error:") }).toEqual({
        code: text.code,
        stderr: text.stderr.includes("error:"),
      });
      expect(errorsOf(format, outcome)).toEqual([]);
    },
  );

  it.each(["markdown", "github", "sarif", "junit"])("prints a failure as one %s document", async (format) => {
    const failing = FAILURES[name] ?? `${line} --organization nowhere`;
    const outcome = await run(failing, "--format", format);
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain("error");
    expect(errorsOf(format, outcome)).toEqual([]);
  });

  it("refuses --format with -o, and names the option for other formats", async () => {
    expect(await run(line, "--format", "junit", "-o", "json")).toMatchObject({ code: 64, stdout: "" });
    const json = await run(line, "--format", "json");
    expect(json).toMatchObject({ code: 64, stdout: "" });
    expect(json.stderr).toContain("For json, use -o json.");
  });
});

const results = ({ stdout }: Outcome) =>
  (JSON.parse(stdout) as Log).runs[0]!.results.map(({ ruleId, level }) => `${level} ${ruleId}`);
const cases = ({ stdout }: Outcome) => {
  const all = [...stdout.matchAll(/<testcase [^>]*name="([^"]*)"(\/>|>.*?<\/testcase>)/g)];
  return all.map(([, name, rest = ""]) => `${/<(failure|skipped)/.exec(rest)?.[1] ?? "passed"} ${name}`);
};

it("status has a result and a failed test for each difference", async () => {
  expect(results(await run("status forms", "--format", "sarif"))).toEqual(["warning DIFFERS", "warning MISSING"]);
  expect(cases(await run("status forms", "--format", "junit"))).toEqual([
    "passed staffing/candidate/First",
    "failure staffing/candidate/Sec|ond &lt;b&gt;",
    "failure staffing/candidate/Third",
  ]);
  const { stdout } = await run("status forms", "--format", "github");
  expect(stdout).toContain("::warning file=forms/c.yaml,line=1,col=1,title=MISSING::staffing/candidate/Third: missing");
});

it("diff has a result and a failed test for each difference", async () => {
  const found = results(await run(LINES["diff"]!, "--format", "sarif"));
  expect(new Set(found)).toEqual(new Set(["warning ONLY_IN_FROM"]));
  const failed = cases(await run(LINES["diff"]!, "--format", "junit")).filter((each) => each.startsWith("failure "));
  expect(failed).toHaveLength(found.length);
});

it("plan has a note for each change, which passes as a test", async () => {
  expect(results(await run("plan forms", "--format", "sarif"))).toEqual(["note TO_UPDATE", "note TO_CREATE"]);
  expect(cases(await run("plan forms", "--format", "junit"))).toEqual([
    "passed staffing/candidate/First",
    "passed staffing/candidate/Sec|ond &lt;b&gt;",
    "passed staffing/candidate/Third",
  ]);
});

it("apply has a test for each step", async () => {
  expect(cases(await run("apply forms --yes", "--format", "junit"))).toEqual([
    "passed staffing/candidate/First",
    "passed staffing/candidate/Sec|ond &lt;b&gt;: updateForm",
    "passed staffing/candidate/Third: createForm",
  ]);
});

it("migrate status has a result for a migration that is not done", async () => {
  const outcome = await run("migrate status", "--format", "sarif");
  expect(results(outcome)).toEqual(["warning PENDING"]);
  expect(outcome.stdout).toContain('"uri": "migrations/20260101-0000-titles.mjs"');
});

it("rehearse has a test for each command of the script", () => {
  const write = {
    method: "POST",
    path: "/v1/x",
    outcome: "refused" as const,
    status: 409,
    code: "TAKEN",
    isCertain: true,
  };
  const report = rehearsedReport({
    script: "release.sh",
    target: "the store",
    exitCode: 6,
    unknown: ["uploads"],
    commands: [
      { line: "release.sh:2", words: ["forms", "list"], exitCode: 0, writes: [] },
      {
        line: null,
        words: ["forms", "create"],
        exitCode: 6,
        writes: [write],
        error: { code: "TAKEN", message: "taken" },
      },
    ],
  });
  const text = (format: "sarif" | "junit") => ({ stdout: reportText(report, format, (file) => file) }) as Outcome;
  expect(results(text("sarif"))).toEqual(["error FAILED", "note NOT_IN_THE_COPY"]);
  expect(cases(text("junit"))).toEqual([
    "passed formctl forms list",
    "failure formctl forms create",
    "passed the store",
  ]);
});
