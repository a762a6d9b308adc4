/** Tests the installed program on PostgreSQL: commands, and two servers on one database. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { postgresOfFile } from "../postgres.ts";
import { DATABASE, lines, usesDatabase } from "./example-lines.ts";
import { before as setupOf } from "./example-setup.ts";
import { demoHome, emptyHome, ending, FORMCTL, formctl, shell, start } from "./program.ts";

const serverOfFile = await postgresOfFile();

let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  const server = serverOfFile();
  if (!server) return;
  home = emptyHome();
  env = { FORMCTL_STORE: server.url(await server.createDatabase()), CI: "1" };
  await run("local", "init", "--demo");
});

async function run(...words: string[]) {
  const ended = await formctl(words, { home, env });
  expect(ended.stdout + ended.stderr).not.toContain("test-password");
  return ended;
}

describe("commands", () => {
  it("create a store and the demo once", async () => {
    expect((await run("local", "init", "--demo")).stdout).toContain("It already contains the demo");
    expect((await run("local", "check")).stdout).toContain("No problems found.");
    expect((await run("doctor")).code).toBe(0);
  });

  it("create the demo once if several processes do it at the same time", async () => {
    const server = serverOfFile();
    const own = { FORMCTL_STORE: server.url(await server.createDatabase()), CI: "1" };
    const words = ["local", "init", "--demo", "-o", "json"];
    const ended = await Promise.all([1, 2, 3].map(() => formctl(words, { home, env: own })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    const forms = await formctl(["forms", "list", "staffing/candidate", "-o", "name"], { home, env: own });
    expect(forms.stdout.trim().split("\n")).toHaveLength(2);
  });

  it("take the password from PGPASSWORD, and the rest of the URL from the command line", async () => {
    const store = env["FORMCTL_STORE"]!.replace(":test-password", "");
    const words = ["forms", "list", "staffing/candidate", "-q", "--store", store];
    expect(await formctl(words, { home, env: { PGPASSWORD: "test-password" } })).toMatchObject({ code: 0 });
    const startedAt = performance.now();
    const refused = await formctl(words, { home });
    // formctl itself ended. The server would close a connection without a login only after 60 seconds.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Specify it: PGPASSWORD, ~/.pgpass")]);
  });

  it("manage layouts as code", async () => {
    const manifests = join(emptyHome(), "manifests");
    expect(await run("export", "staffing/candidate", "--into", manifests)).toMatchObject({ code: 0 });
    expect((await run("plan", manifests)).stdout).toContain("in sync");
    expect(await run("status", manifests)).toMatchObject({ code: 0 });
  });

  it("are rehearsed on a copy of the organization", async () => {
    const manifests = join(emptyHome(), "manifests");
    await run("export", "staffing/candidate", "--into", manifests);
    const file = join(manifests, "staffing/candidate/candidate-intake.yaml");
    const text = readFileSync(file, "utf8");
    const before = (await run("forms", "list", "staffing/candidate", "-o", "json")).stdout;
    writeFileSync(file, text.replace("isPublic: true", "isPublic: false"));
    const plan = await run("plan", manifests, "-o", "json");
    const { rehearsal } = JSON.parse(plan.stdout) as { rehearsal: { refusals: unknown[]; unknown: unknown[] } };
    expect(rehearsal).toMatchObject({ refusals: [], unknown: [] });
    const script = join(emptyHome(), "script.sh");
    writeFileSync(
      script,
      `"${process.execPath}" "${FORMCTL}" forms create staffing/placement --name Rehearsed --types VIEW`,
    );
    const rehearsed = await run("rehearse", script, "--yes", "-o", "json");
    expect(JSON.parse(rehearsed.stdout)).toMatchObject({
      exitCode: 0,
      commands: [{ exitCode: 0, writes: [{ method: "POST" }] }],
    });
    expect((await run("forms", "list", "staffing/candidate", "-o", "json")).stdout).toBe(before);
    expect((await run("forms", "list", "staffing/placement")).stdout).not.toContain("Rehearsed");
  });

  it("without a permission print the GRANT to run", async () => {
    const server = serverOfFile();
    const database = await server.createDatabase();
    const url = server.url(database);
    const administrator = { home, env: { FORMCTL_STORE: url, CI: "1" } };
    expect(await formctl(["local", "init"], administrator)).toMatchObject({ code: 0 });
    await server.query(
      `CREATE USER limited PASSWORD 'limited'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO limited;
       REVOKE TEMPORARY ON DATABASE ${database} FROM public`,
      database,
    );
    const limited = { home, env: { FORMCTL_STORE: url.replace("postgres:test-password", "limited:limited"), CI: "1" } };
    const { code, stderr } = await formctl(["local", "check"], limited);
    expect([code, stderr]).toEqual([4, expect.stringContaining("lacks the permission to create temporary tables")]);
    await server.query(/GRANT .*/.exec(stderr)![0], database);
    expect(await formctl(["local", "check"], limited)).toMatchObject({ code: 0 });
  });

  it("that work on a file are refused", async () => {
    for (const words of [
      ["backup", "copy.db"],
      ["restore", "copy.db"],
      ["reset", "--yes"],
    ]) {
      const { code, stderr } = await run("local", ...words);
      expect([code, stderr]).toEqual([64, expect.stringContaining("is on a database server")]);
    }
  });
});

describe("the examples of the help", () => {
  it.each(lines.map(({ line }) => line).filter(usesDatabase))("%s", async (line) => {
    const url = new URL(serverOfFile().url(await serverOfFile().createDatabase()));
    const where = { home: await demoHome(), cwd: emptyHome(), env: { PGPASSWORD: url.password } };
    url.password = "";
    expect(await shell(setupOf[line] ?? "true", where)).toMatchObject({ code: 0 });
    expect(await shell(line.replace(DATABASE, url.href), where)).toMatchObject({ code: 0 });
  });
});

describe("two servers on one database", () => {
  async function serving(): Promise<string> {
    const words = [FORMCTL, "serve", "--port", "0", "-o", "json"];
    const child = start(process.execPath, words, { home, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = ending(child);
    const line = await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended]);
    return (JSON.parse(String(line)) as { url: string }).url;
  }

  it("show each write at once, and the revocation of a token", async () => {
    const [one, other] = await Promise.all([serving(), serving()]);
    const created = await run("local", "tokens", "create", "--name", "ci", "--permission", "all", "-o", "json");
    const { id, token } = JSON.parse(created.stdout) as { id: string; token: string };
    const forms = "/v1/custom-modules/staffing/objects/placement/forms";
    const call = (origin: string, method: string, path: string, body?: object) =>
      fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (let round = 0; round < 10; round++) {
      const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
      const answer = await call(writer, "POST", forms, { name: `Round ${round}`, types: ["VIEW"] });
      expect(answer.status).toBe(201);
      const { data } = (await answer.json()) as { data: { id: string } };
      const read = await call(reader, "GET", `${forms}/${data.id}`);
      expect([read.status, await read.json()]).toMatchObject([200, { data: { name: `Round ${round}` } }]);
    }
    expect((await run("local", "tokens", "revoke", id, "--yes")).code).toBe(0);
    for (const origin of [one, other]) expect((await call(origin, "GET", forms)).status).toBe(401);
  });
});
