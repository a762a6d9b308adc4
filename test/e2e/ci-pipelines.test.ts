/**
 * Runs the jobs of the example pipelines that a pull request starts. A small runner executes their steps: lines of shell
 * with the real program, and the script that writes the comment. Actions of GitHub are simulated.
 */

import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { basename, delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { compileFunction } from "node:vm";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readDocument } from "../../src/documents/document.ts";
import { demoHome, emptyHome, finished, ROOT, SHELL_COMMAND } from "./program.ts";
import { serveStore } from "./served-store.ts";

const CI = join(ROOT, "examples", "ci");
const read = (file: string) => readDocument(readFileSync(join(CI, file), "utf8"), file).value;

const VALID = "kind: Form\nobject: staffing/candidate\nname: Intake\ntypes: [VIEW]\n";
const INVALID = VALID.replace("[VIEW]", "[PRINT]");

/** A folder with `npx`, which runs the program, and `npm`, which does nothing. */
let tools: string;

beforeAll(() => {
  tools = emptyHome();
  writeFileSync(join(tools, "npx"), `#!/bin/sh\nshift 2\nexec ${SHELL_COMMAND} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(tools, "npm"), "#!/bin/sh\n", { mode: 0o755 });
});

/** Runs lines of a shell as the runners of both services do. @returns whether they succeeded */
async function runLines(lines: string, cwd: string, env: Record<string, string>): Promise<boolean> {
  const path = `${tools}${delimiter}${process.env["PATH"]}`;
  const { code } = await finished("bash", ["-e", "-o", "pipefail", "-c", lines], { cwd, env: { PATH: path, ...env } });
  return code === 0;
}

/** Returns a checkout with a manifest. */
function checkout(manifest: string): string {
  const folder = emptyHome();
  mkdirSync(join(folder, "forms"));
  writeFileSync(join(folder, "forms", "intake.yaml"), manifest);
  writeFileSync(join(folder, "formctl.yaml"), "manifests: forms\n");
  return folder;
}

type Step = {
  uses?: string;
  run?: string;
  if?: string;
  with?: Record<string, string>;
  "continue-on-error"?: boolean;
};
type Job = { if?: string; needs?: string; steps: Step[] };
type Result = "success" | "failure" | "skipped";
type Outcome = { result: Result; outputs: Record<string, string> };

/** A pull request with its comments, and the variables that select the server. */
type Pull = { comments: { id: number; body: string; user: { login: string } }[]; env: Record<string, string> };

async function openPull(): Promise<Pull> {
  return { comments: [], env: (await serveStore(await demoHome())).env };
}

const PULL_REQUEST = {
  event_name: "pull_request",
  repository: "a/b",
  ref: "refs/pull/1",
  event: { pull_request: { head: { repo: { full_name: "a/b" } } } },
};

/** Evaluates a condition. Without a function of the status, a condition also requires success. */
function holds(condition: string | undefined, isSuccess: boolean, needs: Record<string, Outcome>): boolean {
  const expression = (condition ?? "true").replace(/^\$\{\{(.*)\}\}$/, "$1");
  const names = ["github", "needs", "cancelled", "always", "contains", "fromJSON"];
  // The expressions of GitHub that the examples use are also expressions of JavaScript.
  const evaluate = compileFunction(`return ${expression};`, names) as (...values: unknown[]) => boolean;
  const contains = (list: readonly string[], item: string) => list.includes(item);
  const value = evaluate(
    PULL_REQUEST,
    needs,
    () => false,
    () => true,
    contains,
    JSON.parse,
  );
  return value && (isSuccess || /cancelled\(\)|always\(\)/.test(expression));
}

/**
 * Runs the jobs of the workflow for a pull request.
 *
 * @param broken a line that fails
 * @returns the result of each job
 */
async function runWorkflow(manifest: string, pull: Pull, broken = ""): Promise<Record<string, Result>> {
  const { jobs } = read("github-actions.yml") as { jobs: Record<string, Job> };
  const source = checkout(manifest);
  const artifacts = emptyHome();
  const results: Record<string, Outcome> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const isReady = job.needs === undefined || results[job.needs]!.result === "success";
    if (!holds(job.if, isReady, results)) {
      results[name] = { result: "skipped", outputs: {} };
      continue;
    }
    const cwd = emptyHome();
    const files = { GITHUB_OUTPUT: join(cwd, ".output"), GITHUB_STEP_SUMMARY: join(cwd, ".summary") };
    let isSuccess = true;
    for (const step of job.steps) {
      if (!holds(step.if, isSuccess, results)) continue;
      const lines = step.run?.replaceAll(/\$\{\{.*?\}\}/g, "x");
      const done =
        lines === undefined
          ? await runAction(step, { source, cwd, artifacts, pull })
          : lines !== broken && (await runLines(lines, cwd, { ...files, ...pull.env }));
      if (!done && !step["continue-on-error"]) isSuccess = false;
    }
    results[name] = { result: isSuccess ? "success" : "failure", outputs: {} };
  }
  return Object.fromEntries(Object.entries(results).map(([name, { result }]) => [name, result]));
}

type Action = { source: string; cwd: string; artifacts: string; pull: Pull };

/** Simulates an action. @returns whether it succeeded */
async function runAction(
  { uses = "", with: inputs = {} }: Step,
  { source, cwd, artifacts, pull }: Action,
): Promise<boolean> {
  const artifact = join(artifacts, inputs["name"] ?? "");
  switch (basename(uses.replace(/@.*/, ""))) {
    case "checkout":
      cpSync(source, cwd, { recursive: true });
      return true;
    case "upload-artifact":
      for (const file of globSync(inputs["path"]!, { cwd })) cpSync(join(cwd, file), join(artifact, file));
      return true;
    case "download-artifact":
      if (existsSync(artifact)) cpSync(artifact, cwd, { recursive: true });
      return existsSync(artifact);
    case "upload-sarif":
      // The repository has no code scanning.
      return false;
    case "github-script":
      await comment(inputs["script"]!, cwd, pull);
      return true;
    default:
      expect(uses).toMatch(/^actions\/(setup-node|cache\/restore)@/);
      return true;
  }
}

/** Runs the script of a step as actions/github-script does. */
async function comment(script: string, cwd: string, { comments }: Pull): Promise<void> {
  const github = {
    paginate: async () => comments,
    rest: {
      issues: {
        listComments: "listComments",
        createComment: async ({ body }: { body: string }) =>
          void comments.push({ id: comments.length, body, user: { login: "github-actions[bot]" } }),
        updateComment: async ({ comment_id: id, body }: { comment_id: number; body: string }) =>
          void (comments[id]!.body = body),
      },
    },
  };
  const context = {
    repo: { owner: "a", repo: "b" },
    runId: 1,
    serverUrl: "https://github.example",
    payload: { pull_request: { number: 1, head: { sha: "abc" } } },
  };
  // The script names its files relative to the working directory, which a test can't change.
  const own = createRequire(import.meta.url);
  const fs = {
    existsSync: (path: string) => existsSync(join(cwd, path)),
    readFileSync: (path: string) => readFileSync(join(cwd, path), "utf8"),
  };
  const load = (name: string): unknown => (name === "node:fs" ? fs : own(name));
  const run = compileFunction(`return (async () => {${script}})();`, ["github", "context", "require"]) as (
    ...values: unknown[]
  ) => Promise<void>;
  await run(github, context, load);
}

describe("the workflow for GitHub, in a pull request", () => {
  it("comments the plan, and replaces it by the problems of invalid manifests", async () => {
    const pull = await openPull();
    expect(await runWorkflow(VALID, pull)).toMatchObject({ validate: "success", plan: "success", comment: "success" });
    expect(pull.comments.map(({ body }) => body)).toEqual([
      expect.stringContaining("create <code>staffing/candidate/Intake"),
    ]);
    const results = await runWorkflow(INVALID, pull);
    expect(results).toMatchObject({ validate: "failure", plan: "failure", comment: "success" });
    expect(pull.comments).toHaveLength(1);
    expect(pull.comments[0]!.body).toMatch(/forms\/intake\.yaml:4.*PRINT/);
    expect(results).toMatchObject({ staging: "skipped", seal: "skipped", apply: "skipped", drift: "skipped" });
  });

  it("comments that there is no plan if the installation fails", async () => {
    const pull = await openPull();
    expect(await runWorkflow(VALID, pull, "npm ci --ignore-scripts")).toMatchObject({
      plan: "failure",
      comment: "success",
    });
    expect(pull.comments[0]!.body).toContain("No plan: the run failed");
  });
});

describe("the pipeline for GitLab, in a merge request", () => {
  type GitLabJob = { script: string[]; needs?: string[]; rules: { when?: string }[]; artifacts?: { when?: string } };
  const { plan, note } = read("gitlab-ci.yml") as Record<"plan" | "note", GitLabJob>;

  it("writes a note with the plan, and one with the problems of invalid manifests", async () => {
    // Both jobs run although another job has failed, and the files of a failed job are passed on.
    expect([plan.needs, plan.artifacts?.when, note.rules[0]!.when]).toEqual([[], "always", "always"]);
    const bodies: string[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === "POST") bodies.push((JSON.parse(await text(request)) as { body: string }).body);
      response.end(JSON.stringify(request.url === "/user" ? { id: 5 } : []));
    };
    const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { env } = await openPull();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ofNote = { CI_API_V4_URL: url, CI_PROJECT_ID: "3", CI_MERGE_REQUEST_IID: "4", NOTES_TOKEN: "x" };
    for (const [manifest, isValid] of [
      [VALID, true],
      [INVALID, false],
    ] as const) {
      const cwd = checkout(manifest);
      expect(await runLines(plan.script.join("\n"), cwd, env)).toBe(isValid);
      expect(await runLines(note.script.join("\n"), cwd, ofNote)).toBe(true);
      rmSync(cwd, { recursive: true });
    }
    expect(bodies).toEqual([
      expect.stringContaining("create <code>staffing/candidate/Intake"),
      expect.stringMatching(/forms\/intake\.yaml:4.*PRINT/),
    ]);
  });
});

describe("the nightly job of the contract", () => {
  const { jobs } = read("github-contract.yml") as { jobs: Record<string, Job> };
  const github = jobs["contract"]!.steps.flatMap(({ run }) => run ?? []).join("\n");
  const gitlab = (read("gitlab-contract.yml") as { contract: { script: string[] } }).contract.script.join("\n");

  it.each([
    ["GitHub", github],
    ["GitLab", gitlab],
  ])("succeeds until the server differs from the saved shapes: %s", async (_service, lines) => {
    const { env } = await openPull();
    const cwd = checkout(VALID);
    // The shapes are not saved yet.
    expect(await runLines(lines, cwd, env)).toBe(false);
    expect(await runLines("npx --no-install formctl doctor --contract --save contract.json", cwd, env)).toBe(true);
    expect(await runLines(lines, cwd, env)).toBe(true);
    const saved = readFileSync(join(cwd, "contract.json"), "utf8");
    writeFileSync(join(cwd, "contract.json"), saved.replace('"data.name"', '"data.title"'));
    expect(await runLines(lines, cwd, env)).toBe(false);
  });
});
