/** Tests the example pipelines. Every formctl command line in them is valid. Tokens are only in the intended jobs. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { readCommandLine } from "../../src/commands/program.ts";
import { readSettingsFile } from "../../src/config/settings-file.ts";
import { readDocument } from "../../src/documents/document.ts";
import { temporaryFolder } from "../temporary.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "examples", "ci");
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

/** Returns every formctl command line in a text. A command line ends at a pipe or a redirection. */
function linesIn(text: string): string[][] {
  return [...text.matchAll(/^[^#\n]*npx --no-install formctl ([^>|\n]+)/gm)].map(([, words = ""]) =>
    words.trim().split(/\s+/),
  );
}

const readLine = (line: readonly string[]) =>
  readCommandLine(line, { version: "0.0.0-test", width: 80, out: () => undefined });

type Job = {
  if?: string;
  needs?: string;
  environment?: string;
  permissions?: Record<string, string>;
  concurrency?: { group: string; "cancel-in-progress": boolean };
  steps: { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string>; if?: string }[];
};
type Workflow = { on: Record<string, unknown>; permissions: object; jobs: Record<string, Job> };

describe("the pipelines in examples/ci", () => {
  it.each(["github-actions.yml", "gitlab-ci.yml"])("type only what formctl understands: %s", async (file) => {
    const lines = linesIn(read(file));
    expect(new Set(lines.map(([command]) => command))).toEqual(new Set(["validate", "plan", "apply", "status"]));
    for (const line of lines) expect(await readLine(line)).toMatchObject({ path: [line[0]] });
  });

  it.each(["github-migrations.yml", "gitlab-migrations.yml"])(
    "type only what formctl understands: %s",
    async (file) => {
      const lines = linesIn(read(file));
      expect(lines.map((line) => line.slice(0, 2).join(" "))).toEqual([
        "migrate status",
        "migrate plan",
        "migrate run",
        "migrate plan",
        "migrate run",
        "migrate status",
      ]);
      for (const line of lines) expect(await readLine(line)).toMatchObject({ path: line.slice(0, 2) });
    },
  );

  it.each(["github-contract.yml", "gitlab-contract.yml"])("type only what formctl understands: %s", async (file) => {
    const lines = linesIn(read(file));
    expect(lines).toEqual([["doctor", "--contract", "--compare", "contract.json"]]);
    expect(await readLine(lines[0]!)).toMatchObject({ path: ["doctor"] });
  });

  it("would be caught if they did not: the control", async () => {
    const line = linesIn("  - npx --no-install formctl plan forms --out-file plan.json > log")[0]!;
    expect(line).toEqual(["plan", "forms", "--out-file", "plan.json"]);
    await expect(readLine(line)).rejects.toThrow('unknown option "--out-file"');
  });

  it("come with a project file that formctl reads", async () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual([
      "formctl.yaml",
      "github-actions.yml",
      "github-contract.yml",
      "github-migrations.yml",
      "gitlab-ci.yml",
      "gitlab-contract.yml",
      "gitlab-migrations.yml",
    ]);
    const { project } = await readSettingsFile(join(FOLDER, "formctl.yaml"), "project");
    expect(Object.keys(project?.references ?? {})).toEqual(["test", "https://forms.example.com"]);
    expect(project?.manifests).toBe("forms");
  });
});

describe("the workflow for GitHub", () => {
  const text = read("github-actions.yml");
  const { on, permissions, jobs } = readDocument(text, "github-actions.yml").value as Workflow;
  const withToken = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes("secrets."));

  it("pins every action to a commit, with its version in a comment", () => {
    const uses = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action!);
    expect(uses.length).toBeGreaterThan(5);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+(?:\/[\w-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("gives a token to no fork, and to no job without an environment", () => {
    expect(Object.keys(on)).not.toContain("pull_request_target");
    expect(withToken.map(([name]) => name)).toEqual(["plan", "staging", "seal", "apply", "drift"]);
    for (const [, { environment }] of withToken) expect(environment).toMatch(/^forms-/);
    expect(jobs["plan"]!.if).toContain("head.repo.full_name == github.repository");
    expect(jobs["staging"]!.if).toBe(
      `contains(fromJSON('["push", "workflow_dispatch"]'), github.event_name) && github.ref == 'refs/heads/main'`,
    );
    // A job is also skipped if its predecessor was skipped.
    expect([jobs["seal"]!.needs, jobs["seal"]!.if]).toEqual(["staging", undefined]);
    expect(jobs["drift"]!.if).toBe("github.event_name == 'schedule'");
    expect(jobs["apply"]).toMatchObject({ needs: "seal", environment: "forms-production" });
  });

  it("permits no job more than it needs", () => {
    expect(permissions).toEqual({});
    const needs = Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]));
    const reads = { contents: "read" };
    expect(needs).toEqual({
      validate: { ...reads, "security-events": "write", actions: "read" },
      plan: reads,
      comment: { "pull-requests": "write" },
      staging: reads,
      seal: reads,
      apply: reads,
      drift: reads,
    });
    expect(jobs["comment"]!.steps.every(({ uses }) => !uses?.includes("checkout"))).toBe(true);
  });

  it("passes the lock from run to run: jobs that plan read it, and jobs that apply also save it", () => {
    const lockSteps = (name: string) =>
      jobs[name]!.steps.filter((step) => step.with?.["path"] === ".formctl/lock.json").map(({ uses }) =>
        uses!.replace(/@.*/, ""),
      );
    for (const name of ["plan", "seal", "drift"]) expect(lockSteps(name)).toEqual(["actions/cache/restore"]);
    for (const name of ["staging", "apply"]) {
      expect(lockSteps(name)).toEqual(["actions/cache/restore", "actions/cache/save"]);
      const { steps } = jobs[name]!;
      const at = (found: (step: (typeof steps)[number]) => boolean) => steps.findIndex(found);
      const runs = at(({ run }) => run?.includes("npx --no-install formctl") === true);
      expect(at(({ uses }) => uses?.includes("cache/restore") === true)).toBeLessThan(runs);
      expect(at(({ uses }) => uses?.includes("cache/save") === true)).toBeGreaterThan(runs);
    }
    // The cache key contains the committed lock. So an older cached lock never replaces a newly committed lock.
    const keys = Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ with: how }) => (how?.["key"] ?? []) as string),
    );
    expect(keys.every((key) => key.startsWith("${{ steps.lock.outputs.key }}"))).toBe(true);
    // The lock is also saved after a failed apply, because some steps may have been executed.
    for (const name of ["staging", "apply"])
      expect(jobs[name]!.steps.find(({ uses }) => uses?.includes("cache/save"))!.if).toBe("${{ always() }}");
  });

  it("lets no two applies run at once, and keeps what they did", () => {
    for (const [name, group] of [
      ["staging", "forms-apply-staging"],
      ["apply", "forms-apply-production"],
    ] as const)
      expect(jobs[name]!.concurrency).toEqual({ group, "cancel-in-progress": false });
    const kept = jobs["apply"]!.steps.at(-1)!;
    expect(kept).toMatchObject({
      if: "${{ always() }}",
      with: { path: ".formctl/runs", "include-hidden-files": true },
    });
  });
});

describe("the workflow of migrations for GitHub", () => {
  const text = read("github-migrations.yml");
  const { on, permissions, jobs } = readDocument(text, "github-migrations.yml").value as Workflow;
  const pinned = (workflow: string) => new Set([...workflow.matchAll(/uses: (.+)$/gm)].map(([, action]) => action));

  it("uses the actions of the other workflow, at the same commits", () => {
    const known = pinned(read("github-actions.yml"));
    const used = [...pinned(text)];
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((action) => !known.has(action))).toEqual([]);
  });

  it("executes no migration of a pull request, and gives no token to a fork", () => {
    expect(Object.keys(on)).toEqual(["pull_request", "push", "workflow_dispatch"]);
    expect(jobs["status"]!.if).toBe(
      "github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository",
    );
    const typed = (name: string) => linesIn(jobs[name]!.steps.map(({ run = "" }) => `  ${run}`).join("\n"));
    expect(typed("status")).toEqual([
      ["migrate", "status"],
      ["migrate", "plan", "--no-code"],
    ]);
    expect(jobs["staging"]!.if).toBe(
      `contains(fromJSON('["push", "workflow_dispatch"]'), github.event_name) && github.ref == 'refs/heads/main'`,
    );
    // A job is also skipped if its predecessor was skipped.
    expect([jobs["plan"]!.needs, jobs["plan"]!.if, jobs["production"]!.needs]).toEqual(["staging", undefined, "plan"]);
  });

  it("permits no job more than it needs, and runs one migration or apply at a time", () => {
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(job.permissions).toEqual({ contents: "read" });
    for (const [name, target] of [
      ["staging", "staging"],
      ["production", "production"],
    ] as const) {
      expect(jobs[name]).toMatchObject({
        environment: `forms-${target}`,
        concurrency: { group: `forms-apply-${target}`, "cancel-in-progress": false },
      });
    }
  });
});

describe("the jobs of migrations for GitLab", () => {
  const text = read("gitlab-migrations.yml");
  const jobs = readDocument(text, "gitlab-migrations.yml").value as Record<
    string,
    { rules: { if: string; when?: string }[]; script: string[]; resource_group?: string }
  >;

  it("execute no migration of a merge request, and run on production on request", () => {
    const [status, staging, plan, production] = ["status", "staging", "plan", "production"].map(
      (name) => jobs[`migrations ${name}`]!,
    );
    expect(linesIn(`  ${status!.script.join("\n  ")}`)).toEqual([
      ["migrate", "status"],
      ["migrate", "plan", "--no-code"],
    ]);
    expect(status!.rules[0]!.if).toContain("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID");
    for (const job of [staging!, plan!, production!])
      expect(job.rules[0]!.if).toBe('$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"');
    expect(production!.rules[0]!.when).toBe("manual");
    expect([staging!.resource_group, production!.resource_group]).toEqual([
      "forms-apply-staging",
      "forms-apply-production",
    ]);
  });
});

describe("the pipeline for GitLab", () => {
  type Stage = {
    rules: { if: string; when?: string }[];
    environment?: { name: string };
    resource_group?: string;
    cache?: unknown;
    interruptible?: boolean;
  };
  const jobs = readDocument(read("gitlab-ci.yml"), "gitlab-ci.yml").value as Record<string, Stage>;

  it("plans only for branches of the project itself, and applies only from the main branch on request", () => {
    for (const name of ["plan", "note"]) {
      expect(jobs[name]!.rules[0]!.if).toContain("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID");
    }
    const isMain = '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"';
    expect(jobs["apply"]!.rules).toEqual([{ if: isMain, when: "manual" }]);
    for (const name of ["staging", "seal"]) expect(jobs[name]!.rules).toEqual([{ if: isMain }]);
    expect(jobs["drift"]!.rules).toEqual([{ if: isMain.replace("!=", "==") }]);
    expect(jobs["apply"]).toMatchObject({ resource_group: "forms-apply-production", interruptible: false });
    expect(jobs["apply"]!.environment!.name).toBe("forms-production");
  });

  it("takes the lock from one job on the main branch to the next, whatever became of it", () => {
    for (const name of ["staging", "seal", "apply", "drift"]) {
      expect(jobs[name]!.cache).toEqual([
        { key: { files: ["package-lock.json"] }, paths: [".npm"] },
        {
          key: { prefix: "formctl-lock", files: [".formctl/lock.json"] },
          paths: [".formctl/lock.json"],
          when: "always",
        },
      ]);
    }
  });

  it("changes its own note, and no other note that starts alike", async () => {
    const script = /<<'SCRIPT'\n([^]*?)\n +SCRIPT/.exec(read("gitlab-ci.yml"))![1]!;
    const notes = [
      { id: 1, system: false, author: { id: 7 }, body: "<!-- formctl plan -->\nI quote this." },
      { id: 2, system: false, author: { id: 5 }, body: "<!-- formctl plan -->\nan older plan" },
    ];
    const asked: string[] = [];
    const server = createServer(({ method, url = "" }, answer) => {
      asked.push(`${method} ${url}`);
      answer.end(JSON.stringify(url === "/user" ? { id: 5 } : url.includes("?") ? notes : {}));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    writeFileSync(join(folder.path, "plan.md"), "### a plan");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { CI_API_V4_URL: url, CI_PROJECT_ID: "3", CI_MERGE_REQUEST_IID: "4", NOTES_TOKEN: "x" };
    const words = ["--input-type=module", "--eval", script];
    await promisify(execFile)(process.execPath, words, { cwd: folder.path, env });
    expect(asked.at(-1)).toBe("PUT /projects/3/merge_requests/4/notes/2");
    notes.pop();
    await promisify(execFile)(process.execPath, words, { cwd: folder.path, env });
    expect(asked.at(-1)).toBe("POST /projects/3/merge_requests/4/notes");
  });
});

describe("the workflow of the contract for GitHub", () => {
  const text = read("github-contract.yml");
  const { on, permissions, jobs } = readDocument(text, "github-contract.yml").value as Workflow;

  it("runs every night with a token that only reads, and with the actions of the other workflow", () => {
    expect(Object.keys(on)).toEqual(["workflow_dispatch", "schedule"]);
    expect(permissions).toEqual({});
    expect(Object.values(jobs)).toMatchObject([{ environment: "forms-plan", permissions: { contents: "read" } }]);
    const used = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action!);
    expect(used).toHaveLength(2);
    for (const action of used) expect(read("github-actions.yml")).toContain(action);
  });
});
