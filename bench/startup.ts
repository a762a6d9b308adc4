/**
 * Measures the start-up time as a ratio to bare Node:
 * `npm run bench:startup [-- --runs 40] [-- --check] [-- --compare BIN]`.
 *
 * The commands take turns with `node -e 0`, so that the speed of the machine affects all runs equally. Each ratio is a
 * ratio of medians. The peer of a remote command is curl, with one request to the same server.
 *
 * A first run finds no compiled code of an earlier run.
 *
 * With `--check`, the run fails if a ratio exceeds its target. With `--compare`, each command also runs with the
 * `formctl.js` at BIN.
 *
 * The control imports a module that is slow to load. The run fails if the control is not slower than bare Node: then
 * the measurement is useless.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { median, missedTargets, report } from "./figures.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "40" },
    check: { type: "boolean", default: false },
    compare: { type: "string" },
  },
});
const runs = Number(values.runs);
const bin = join(import.meta.dirname, "..", "bin", "formctl.js");
const home = mkdtempSync(join(tmpdir(), "formctl-bench-"));
const cache = { XDG_CACHE_HOME: join(home, "cache") };
const env = { ...process.env, ...cache, FORMCTL_HOME: home, NODE_OPTIONS: "", NO_COLOR: "1" };

type Case = {
  name: string;
  /** The program to run. The default is Node. */
  program?: string;
  args: string[];
  target?: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Whether no run finds the compiled code of an earlier one. */
  isFirst?: boolean;
  /** Another program that sends the same request. */
  peer?: Case;
};

const LIST = "forms list staffing/candidate";
// Creates forms of an object that `LIST` doesn't list, so the list keeps its length.
const CREATE = "forms create compliance/document_check --types VIEW --name NAME";

let created = 0;

function run({ program = process.execPath, args, cwd = home, env: more, isFirst = false }: Omit<Case, "name">): string {
  if (isFirst) more = { ...more, XDG_CACHE_HOME: mkdtempSync(join(home, "first-")) };
  // Each form has a new name. The command lists the forms with the given name, so this list would grow otherwise.
  const words = args.map((word) => word.replace(/^NAME$|(?<=")NAME(?=")/, () => `Bench ${++created}`));
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

function formctl(line: string, circumstances: Pick<Case, "cwd" | "env"> = {}): string {
  return run({ args: [bin, ...line.split(" ")], ...circumstances });
}

/** The environment variables with which commands use the server. */
type Server = { env: { FORMCTL_BASE_URL: string; FORMCTL_TOKEN: string } };

/** Serves the demo as a separate process, from a separate home folder. */
async function startServer(): Promise<Server & { stop: () => void }> {
  const own = { env: { FORMCTL_HOME: mkdtempSync(join(home, "server-")) } };
  formctl("local init --demo", own);
  const { token } = JSON.parse(formctl("local tokens create --name bench --permission all -o json", own)) as {
    token: string;
  };
  const server = spawn(process.execPath, [bin, "serve", "--port", "0"], {
    env: { ...env, ...own.env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await new Promise<string>((found) => {
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      const [address] = /http:\/\/\S+/.exec(text) ?? [];
      if (address !== undefined) found(address);
    });
  });
  return { env: { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token }, stop: () => server.kill() };
}

/** Returns curl as the peer of commands: `get` gets the form `formId`, and `create` creates a form. */
function curlPeers(
  { env: { FORMCTL_BASE_URL, FORMCTL_TOKEN } }: Server,
  formId: string,
): Record<"get" | "create", Case> {
  const curl = (url: string, ...options: string[]): Case => ({
    name: "curl",
    program: "curl",
    args: ["-sS", "--fail", "-H", `authorization: Bearer ${FORMCTL_TOKEN}`, ...options, `${FORMCTL_BASE_URL}${url}`],
  });
  const forms = (object: string) => `/v1/custom-modules/${object.replace("/", "/objects/")}/forms`;
  const body = ["-H", "content-type: application/json", "-d", JSON.stringify({ name: "NAME", types: ["VIEW"] })];
  return {
    get: curl(`${forms("staffing/candidate")}/${formId}`),
    create: curl(forms("compliance/document_check"), ...body),
  };
}

function casesOf(program: string, suffix: string, server: Server): Case[] {
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "formctl.yaml"), "object: staffing/candidate\nmanifests: manifests\n");
  const [form] = JSON.parse(formctl(`${LIST} -o json`, server)) as [{ id: string; name: string }];
  const local = (line: string, target: number, note = "", cwd?: string): Case => ({
    name: `formctl ${line}${note}${suffix}`,
    args: [program, ...line.split(" ")],
    target,
    ...(cwd !== undefined && { cwd }),
  });
  const curl = curlPeers(server, form.id);
  const remote = (line: string, name: string, target: number, peer: Case): Case => ({
    name: `formctl ${name} (remote)${suffix}`,
    args: [program, ...line.split(" ")],
    target,
    env: server.env,
    peer,
  });
  /** The same in a first run, which may take half as long again. */
  const first = ({ name, target = 0, ...rest }: Case): Case => ({
    ...rest,
    name: `${name}, first run`,
    target: Number((target * 1.5).toFixed(2)),
    isFirst: true,
  });
  const list = local(LIST, 2);
  const create = { ...local(CREATE, 2.6), name: `formctl forms create ... (durable)${suffix}` };
  const get = remote(`forms get staffing/candidate/${form.id}`, "forms get", 3.8, curl.get);
  const createRemote = remote(CREATE, "forms create", 4.5, curl.create);
  return [
    local("--version", 1.3),
    local("--help", 1.3),
    local("currencies list", 2),
    list,
    local(`${LIST} --limit 5`, 2),
    local("forms list", 2.2, " (formctl.yaml)", project),
    local("complete -- forms get staffing/c", 2.3),
    local("complete -- layouts draft p", 2),
    create,
    get,
    {
      ...remote("", "forms get by name", 3.8, curl.get),
      args: [program, "forms", "get", `staffing/candidate/${form.name}`],
    },
    createRemote,
    ...[list, create, get, createRemote].map(first),
  ];
}

/** Loads an entry of the library. An import may cost 80 ms where bare Node needs 29. */
function importOf(entry: string, file: string, target?: number): Case {
  const url = pathToFileURL(join(import.meta.dirname, "..", "dist", file)).href;
  const args = ["--input-type=module", "-e", `import ${JSON.stringify(url)}`];
  return { name: `import "${entry}"`, args, ...(target !== undefined && { target }) };
}

const LIBRARY = [importOf("formctl", "index.js", 3.8), importOf("formctl/testing", "testing.js")];

const BARE: Case = { name: "node -e 0", args: ["-e", "0"] };
const CONTROL: Case = {
  name: "control: node with node:http",
  args: ["--input-type=module", "-e", 'import "node:http"'],
};

try {
  formctl("local init --demo");
  const server = await startServer();
  const compared = values.compare === undefined ? [] : casesOf(resolve(values.compare), " [compared]", server);
  const own = casesOf(bin, "", server);
  const cases = [BARE, ...own.flatMap((each, index) => [each, compared[index] ?? []].flat()), ...LIBRARY, CONTROL];
  const all = [...new Set(cases.flatMap((each) => [each, each.peer ?? []].flat()))];

  for (const warmUp of [...all, ...all]) run(warmUp);
  const times = new Map<Case, number[]>(all.map((each) => [each, []]));
  for (let round = 0; round < runs; round++) {
    for (const each of all) {
      const start = performance.now();
      run(each);
      times.get(each)!.push(performance.now() - start);
    }
  }
  server.stop();

  const bare = median(times.get(BARE)!);
  const control = median(times.get(CONTROL)!);
  process.stdout.write(`Node ${process.version}, ${runs} runs of each in turn; medians\n`);
  for (const each of cases) {
    const taken = median(times.get(each)!);
    const target = each.target === undefined ? {} : { target: { most: each.target } };
    const value = `${taken.toFixed(1)} ms`;
    const peers = each.peer === undefined ? {} : { peers: { [each.peer.name]: median(times.get(each.peer)!) / bare } };
    report({ name: each.name, value, yardstick: BARE.name, ratio: taken / bare, ...target, ...peers });
  }
  if (values.check && missedTargets() > 0) process.exitCode = 1;
  if (control / bare < 1.2) throw new Error("the control is not slower: this run measures nothing");
} finally {
  rmSync(home, { recursive: true, force: true });
}
