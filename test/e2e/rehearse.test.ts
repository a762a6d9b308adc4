/**
 * Tests `formctl rehearse`. Scripts run in real shells, on copies of stores and servers. No command reaches another
 * target.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quoted } from "../../src/base/shell-quote.ts";
import { newCanary } from "../canary.ts";
import { demoHome, ending, FORMCTL, formctl, shell, SHELL_COMMAND, start } from "./program.ts";

type Report = {
  exitCode: number;
  commands: {
    line: string | null;
    words: string[];
    exitCode: number | null;
    writes: { method: string; path: string; outcome: string; code?: string; isCertain: boolean }[];
    error?: { code: string; message: string };
  }[];
  unknown: string[];
};

/** Creates a home folder with the demo store, a working folder and a folder for temporary files. */
async function scene() {
  const home = await demoHome();
  const cwd = join(home, "work");
  const temporary = join(home, "temporary");
  for (const folder of [cwd, temporary]) mkdirSync(folder);
  const file = (name: string, text: string) => {
    writeFileSync(join(cwd, name), text);
    return name;
  };
  const copies = () => readdirSync(temporary).filter((name) => name.startsWith("formctl-rehearsal-"));
  const where = (env: Record<string, string> = {}) => ({ home, cwd, env: { TMPDIR: temporary, ...env } });
  return {
    home,
    cwd,
    copies,
    file,
    where,
    rehearse: async (
      script: string,
      { words = [], env = {} }: { words?: string[]; env?: Record<string, string> } = {},
    ) => {
      file("script.sh", script);
      const argv = ["rehearse", "script.sh", "--yes", "-o", "json", ...words];
      const ended = await formctl(argv, where(env));
      const report = ended.stdout === "" ? undefined : (JSON.parse(ended.stdout) as Report);
      return { ...ended, report: report!, left: copies() };
    },
    /** Returns a digest of the bytes of the store. */
    digest: () =>
      createHash("sha256")
        .update(readFileSync(join(home, "local.db")))
        .digest("hex"),
    forms: async (env: Record<string, string> = {}) =>
      (await formctl(["forms", "list", "staffing/candidate", "-o", "json", "--query", "[].name"], where(env))).stdout,
  };
}

/** Starts a server that counts its requests. */
async function decoy() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

/** Starts a formctl server on the demo store of this home folder. Records its requests. */
async function served(home: string) {
  const made = await formctl(["local", "tokens", "create", "--name", "t", "--permission", "all", "-o", "json"], {
    home,
  });
  const { token } = JSON.parse(made.stdout) as { token: string };
  const child = start(process.execPath, [FORMCTL, "serve", "--port", "0", "-o", "json"], { home });
  let log = "";
  child.stderr.on("data", (text: Buffer) => (log += text.toString("utf8")));
  const { url } = await new Promise<{ url: string }>((resolve) =>
    child.stdout.once("data", (text: Buffer) => resolve(JSON.parse(text.toString("utf8")) as { url: string })),
  );
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
  });
  const methods = () =>
    log
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { method: string }).method);
  return { token, url, methods };
}

const CREATE = 'formctl forms create staffing/candidate --name "Extra" --types VIEW -o json >/dev/null';

describe("a script on a local store", () => {
  it("runs on a copy, and each command is reported with its line, writes and exit code", async () => {
    const { rehearse, digest, forms } = await scene();
    const before = digest();
    const { code, report, stderr, left } = await rehearse(
      `#!/usr/bin/env bash
set -e
echo "arguments: $1 $2"
${CREATE}
formctl forms get staffing/candidate/Extra -o json --query name
formctl forms create staffing/candidate --name "Extra" --types VIEW || true
formctl api PATCH /v1/custom-modules/staffing/objects/candidate/forms/defaults -d '{"defaultViewFormId": null}' >/dev/null
formctl forms delete staffing/candidate/Missing --allow-delete
`,
      { words: ["--", "one", "--two"] },
    );
    expect(code).toBe(5);
    expect(report.exitCode).toBe(5);
    expect(stderr).toContain("arguments: one --two");
    expect(stderr).toContain('"Extra"');
    const [create, get, again, api, missing] = report.commands;
    expect(report.commands).toHaveLength(5);
    expect(create).toMatchObject({ line: "./script.sh:4", exitCode: 0 });
    expect(create!.writes).toEqual([
      {
        method: "POST",
        path: "/v1/custom-modules/staffing/objects/candidate/forms",
        outcome: "done",
        isCertain: true,
      },
    ]);
    expect(get).toMatchObject({
      words: ["forms", "get", "staffing/candidate/Extra", "-o", "json", "--query", "name"],
      writes: [],
    });
    expect(again).toMatchObject({ line: "./script.sh:6", exitCode: 6 });
    expect(api).toMatchObject({ exitCode: 0, writes: [{ method: "PATCH", outcome: "done" }] });
    expect(missing).toMatchObject({ exitCode: 5, error: { code: "NOT_FOUND" } });
    expect(digest()).toBe(before);
    expect(await forms()).not.toContain("Extra");
    expect(left).toEqual([]);
  });

  it("reports what the target would refuse", async () => {
    const { rehearse } = await scene();
    const { report } = await rehearse(
      'formctl forms update "staffing/candidate/Candidate intake" --inactive\n' +
        "formctl api DELETE /v1/view-layouts/$(formctl forms get 'staffing/candidate/Candidate intake' -o json --query viewLayoutId | tr -d '\"')\n",
    );
    const refused = report.commands.flatMap(({ writes }) => writes).filter(({ outcome }) => outcome === "refused");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ isCertain }) => isCertain)).toBe(true);
  });

  it("asks before it runs the script", async () => {
    const { file, where, cwd } = await scene();
    file("script.sh", "touch ran\n");
    const { code, stderr } = await formctl(["rehearse", "script.sh"], where());
    expect(code).toBe(8);
    expect(stderr).toContain("other programs in it run as they are");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  it("ends with the exit code of the script, also after a signal, and without a shell", async () => {
    const { rehearse, file, where } = await scene();
    expect((await rehearse("exit 3")).code).toBe(3);
    expect((await rehearse("kill -TERM $$")).code).toBe(143);
    expect((await rehearse("#!/no/such/interpreter\n")).code).toBe(3);
    expect((await formctl(["rehearse", "missing.sh", "--yes"], where())).code).toBe(3);
    file("nothing.sh", "true\n");
    const nothing = await formctl(["rehearse", "nothing.sh", "--yes"], where());
    expect(nothing.stdout).toBe("The script would end with exit code 0: 0 commands, 0 writes.\n");
  });

  it("deletes the copy after SIGTERM", async () => {
    const { file, where, copies } = await scene();
    file("script.sh", "formctl forms list staffing/candidate >/dev/null; touch ready; exec sleep 60\n");
    const child = start(process.execPath, [FORMCTL, "rehearse", "script.sh", "--yes"], where());
    const ended = ending(child);
    while (!existsSync(join(where().cwd, "ready"))) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(copies()).toHaveLength(1);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    expect(copies()).toEqual([]);
  });

  it("leaves the lock and the journals of the project as they are", async () => {
    const { rehearse, cwd } = await scene();
    const { code, report } = await rehearse(
      "formctl export staffing/candidate > forms.yaml && sed -i 's/^isPublic: true/isPublic: false/' forms.yaml && " +
        "formctl apply forms.yaml --yes && formctl status forms.yaml",
    );
    expect({ code, exits: report.commands.map(({ exitCode }) => exitCode) }).toEqual({ code: 0, exits: [0, 0, 0] });
    expect(report.commands[1]!.writes.length).toBeGreaterThan(0);
    expect(existsSync(join(cwd, ".formctl", "lock.json"))).toBe(false);
    expect(existsSync(join(cwd, ".formctl", "runs"))).toBe(false);
  });

  it("runs migrations on the copy, and leaves them pending on the target", async () => {
    const { rehearse, cwd, file, where, digest } = await scene();
    const before = digest();
    mkdirSync(join(cwd, "migrations"));
    file(
      "migrations/20260301-1000-new-title.mjs",
      "export default { match: { forms: ['Candidate profile'] }, form: (form) => ({ ...form, config: { title: 'New' } }) };\n",
    );
    const { code, report } = await rehearse(`
formctl migrate run --yes || exit
formctl forms get "staffing/candidate/Candidate profile" -o json --query config.title | grep New
formctl migrate status --detailed-exitcode
`);
    expect({ code, exits: report.commands.map(({ exitCode }) => exitCode) }).toEqual({ code: 0, exits: [0, 0, 0] });
    expect(report.commands[0]!.writes.map(({ method }) => method)).toEqual(["PATCH"]);
    expect(digest()).toBe(before);
    expect(existsSync(join(cwd, ".formctl"))).toBe(false);
    const status = await formctl(["migrate", "status", "--detailed-exitcode"], where());
    expect(status.code).toBe(2);
  });

  it("hides tokens in the words of commands", async () => {
    const { rehearse } = await scene();
    const token = newCanary();
    const { report, stdout } = await rehearse('formctl forms get "staffing/candidate/$WORD" 2>/dev/null || true', {
      env: { WORD: token },
    });
    expect(report.commands[0]!.words).toEqual(["forms", "get", "staffing/candidate/[secret]"]);
    expect(stdout).not.toContain(token);
  });

  it("does not get the token of the user", async () => {
    const { cwd, rehearse } = await scene();
    const env = { FORMCTL_TOKEN: newCanary() };
    const { code } = await rehearse('printf "%s" "${FORMCTL_TOKEN-missing}" > seen', { words: ["--local"], env });
    expect([code, readFileSync(join(cwd, "seen"), "utf8")]).toEqual([0, "missing"]);
  });

  it("resets and serves the copy", async () => {
    const { rehearse, digest } = await scene();
    const before = digest();
    const { report } = await rehearse(`
formctl serve --port 0 -o json > serving & server=$!
until [ -s serving ]; do sleep 0.1; done
kill $server; wait $server || true
formctl local reset --yes
formctl forms list staffing/candidate
`);
    expect(report.commands.map(({ words: [first, second], exitCode }) => [first, second, exitCode])).toEqual([
      ["serve", "--port", 0],
      ["local", "reset", 0],
      ["forms", "list", 64],
    ]);
    expect(digest()).toBe(before);
  });
});

describe("a command for another target", () => {
  /**
   * Commands for another target. Each command names the target in a different way. The script continues after a failed
   * command.
   */
  const WAYS = (other: { url: string; store: string }): Record<string, string> => ({
    "--profile": "formctl --profile prod forms list staffing/candidate",
    "--store": `formctl --store ${quoted(other.store)} forms list staffing/candidate`,
    FORMCTL_PROFILE: "FORMCTL_PROFILE=prod formctl forms list staffing/candidate",
    FORMCTL_BASE_URL: `FORMCTL_BASE_URL=${other.url} formctl forms list staffing/candidate`,
    FORMCTL_STORE: `FORMCTL_STORE=${quoted(other.store)} formctl forms list staffing/candidate`,
    "a project file": "(cd project && formctl forms list staffing/candidate)",
    "an exported variable": `(export FORMCTL_BASE_URL=${other.url}; formctl forms list staffing/candidate)`,
    "the program by its path": `${SHELL_COMMAND} --profile prod forms list staffing/candidate`,
    "without the variable": "(unset FORMCTL_REHEARSAL; formctl --profile prod forms list staffing/candidate)",
    "an empty environment": `env -i PATH="$PATH" HOME="$HOME" FORMCTL_HOME="$FORMCTL_HOME" formctl --profile prod forms list staffing/candidate`,
    "formctl api": "formctl --profile prod api GET /v1/currencies",
    "a write": `formctl --profile prod ${CREATE.slice("formctl ".length)}`,
    "auth login": `formctl --profile prod auth login --token-file token.txt`,
    diff: "formctl diff --from prod --to prod",
    promote: "formctl promote --from prod --to prod --yes",
    doctor: "formctl --profile prod doctor",
  });

  it.each(["local store", "server"])("is refused in the rehearsal on a %s, and reaches nothing", async (kind) => {
    const { home, cwd, file, rehearse, where } = await scene();
    const prod = await decoy();
    const other = join(await demoHome(), "local.db");
    const before = createHash("sha256").update(readFileSync(other)).digest("hex");
    const token = newCanary();
    file("token.txt", token);
    await formctl(["profiles", "add", "prod", "--base-url", prod.url], where());
    mkdirSync(join(cwd, "project"));
    file("project/formctl.yaml", "profile: prod\n");
    const env: Record<string, string> = {};
    if (kind === "server") {
      const server = await served(home);
      Object.assign(env, { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: server.token });
    }
    const ways = WAYS({ url: prod.url, store: other });
    // The environment names the server, and takes precedence over a project file.
    if (kind === "server") delete ways["a project file"];
    const script = Object.values(ways).join("\n");
    const { report } = await rehearse(`${script}\ntrue`, { env });
    const ran = Object.keys(ways).filter((_way, index) => report.commands[index]?.exitCode !== 64);
    expect(ran).toEqual([]);
    expect(report.commands).toHaveLength(Object.keys(ways).length);
    expect(prod.requests()).toBe(0);
    expect(createHash("sha256").update(readFileSync(other)).digest("hex")).toBe(before);
    expect(existsSync(join(home, "credentials.yaml"))).toBe(false);

    // The control: outside a rehearsal, the command reaches the other target.
    await shell(ways["formctl api"]!, { ...where(), env: { ...where().env, FORMCTL_TOKEN: token } });
    expect(prod.requests()).toBeGreaterThan(0);
  });

  it("works if it names the target of the rehearsal", async () => {
    const { home, rehearse, where } = await scene();
    const store = join(home, "local.db");
    await formctl(["profiles", "add", "mine", "--store", store, "--organization", "northwind"], where());
    const { report } = await rehearse(`
formctl --local forms list staffing/candidate >/dev/null
formctl --store ${quoted(store)} forms list staffing/candidate >/dev/null
formctl --profile mine forms list staffing/candidate >/dev/null
FORMCTL_STORE=${quoted(store)} ${CREATE}
formctl --store "$FORMCTL_STORE" forms get staffing/candidate/Extra >/dev/null
`);
    expect(report.commands.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
  });

  it("is refused if it changes settings", async () => {
    const { rehearse, home } = await scene();
    const files = () => readdirSync(home).toSorted();
    const before = files();
    const { report } = await rehearse(`
formctl profiles add x --base-url https://forms.example.com
formctl profiles use x
formctl profiles remove x
formctl config set output json
formctl config unset output
formctl auth logout
formctl init --yes
formctl rehearse script.sh --yes
`);
    expect(report.commands.map(({ exitCode }) => exitCode)).toEqual([64, 64, 64, 64, 64, 64, 64, 64]);
    expect(files()).toEqual(before);
  });

  it("is refused after the rehearsal has ended", async () => {
    const { rehearse, cwd } = await scene();
    const { code } = await rehearse(
      `(while [ ! -e go ]; do sleep 0.1; done; ${CREATE}; echo $? > late) >/dev/null 2>&1 &\n`,
    );
    expect(code).toBe(0);
    writeFileSync(join(cwd, "go"), "");
    const late = join(cwd, "late");
    await expect.poll(() => existsSync(late) && readFileSync(late, "utf8").endsWith("\n")).toBe(true);
    // The program of the rehearsal is deleted, or refuses to run.
    expect(["64\n", "126\n", "127\n"]).toContain(readFileSync(late, "utf8"));
  });
});

describe("a script on a server", () => {
  it("runs on a copy, and the server gets no write", async () => {
    const { home, rehearse, forms } = await scene();
    const server = await served(home);
    const env = { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: server.token };
    const before = await forms(env);
    const { code, report, stderr, left } = await rehearse(
      `set -e
${CREATE}
formctl forms list staffing/candidate -o json --query '[].name'
formctl layouts list -o name | wc -l
formctl api GET "/v1/view-layouts" >/dev/null
[ "$FORMCTL_TOKEN" != "$REAL_TOKEN" ]
node -e 'fetch(process.env.FORMCTL_BASE_URL + "/v1/currencies", { headers: { authorization: "Bearer " + process.env.FORMCTL_TOKEN } }).then((answer) => console.error("status", answer.status))'
`,
      { env: { ...env, REAL_TOKEN: server.token } },
    );
    expect({ code, exits: report.commands.map(({ exitCode }) => exitCode) }).toEqual({ code: 0, exits: [0, 0, 0, 0] });
    expect(stderr).toContain('"Extra"');
    expect(stderr).toContain("status 200");
    expect(report.commands[0]!.writes).toMatchObject([{ method: "POST", outcome: "done" }]);
    expect(report.unknown.length).toBeGreaterThan(0);
    expect(new Set(server.methods())).toEqual(new Set(["GET"]));
    expect(await forms(env)).toBe(before);
    expect(left).toEqual([]);
  });

  it("has a question mark for a refusal that the copy can't know, and none with an organization file", async () => {
    const { home, cwd, file, rehearse } = await scene();
    const server = await served(home);
    const env = { FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: server.token };
    const exported = await formctl(["forms", "get", "staffing/candidate/Candidate intake", "-o", "json"], {
      home,
      cwd,
    });
    const { viewLayoutId } = JSON.parse(exported.stdout) as { viewLayoutId: string };
    // In the demo, no published layout shows this field. So a copy of the server can't know whether the field exists.
    file(
      "draft.yaml",
      "schemaVersion: 1\nregions: [{key: main, label: Main, layout: grid, columns: 12}]\nblocks:\n" +
        "  - {type: field, source: dynamic_field, ref: {fieldKey: no_such_field}, regionKey: main}\n",
    );
    const script = `formctl layouts draft push ${viewLayoutId} draft.yaml\nformctl layouts publish ${viewLayoutId}`;
    const unsure = await rehearse(script, { env });
    expect(unsure.report.commands[1]!.writes.at(-1)).toMatchObject({ outcome: "refused", isCertain: false });
    const organization = join(import.meta.dirname, "../../examples/northwind/organization.yaml");
    const sure = await rehearse(script, { env, words: ["--organization-file", organization] });
    expect(sure.report.commands[1]!.writes.at(-1)).toMatchObject({ outcome: "refused", isCertain: true });
  });
});
