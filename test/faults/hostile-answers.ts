/**
 * Attacks commands with answers of a hostile server. In the real answer to one request, a member is replaced, removed,
 * nested too deep or filled with harmful characters. After such an answer:
 * - The exit code must be known.
 * - The command must print at most one error.
 * - The output must contain no stack trace.
 * - A terminal or a CI service must execute no part of the output.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, resolve } from "node:path";
import { readFile } from "node:fs/promises";
import { EXIT_CODES } from "../../src/base/exit-codes.ts";
import { createStore, openLocal } from "../../src/composition/local-store.ts";
import { run as runProgram } from "../../src/main.ts";
import { HIDDEN } from "../../src/base/hidden-characters.ts";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { PERMISSIONS } from "../../src/schemas/words.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { testTerminal } from "../terminal/test-terminal.ts";
import { type Random, seeded } from "../../src/base/seeded-random.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { type Loop, newFolder, type Result } from "./loop.ts";

type Ended = { code: number; stdout: string; stderr: string };
type Program = (argv: readonly string[]) => Promise<Ended>;

/** An answer as text: JSON.stringify can't print values that are nested too deep. */
type Said = { status: number; text: string };

type Scene = {
  commands: (readonly string[])[];
  /** The requests of each command, by the index of the command. */
  requests: string[][];
  heard: ReadonlyMap<string, Said>;
  /** The request that gets a hostile answer, and the hostile answer. */
  attack: { request: string; said: Said } | undefined;
  type: Program;
  url: string;
  token: string;
};

const FORM = "staffing/candidate/Profile";
const FORMATS = ["table", "json", "yaml", "jsonl", "name"];

const COMMANDS: readonly (readonly string[])[] = [
  ["forms", "list", "staffing/candidate"],
  ["forms", "available", "staffing/candidate"],
  ["forms", "get", FORM],
  ["forms", "access", "show", FORM],
  ["forms", "defaults", "show", "staffing/candidate"],
  ["layouts", "list"],
  ["layouts", "get", FORM],
  ["layouts", "surfaces"],
  ["layouts", "draft", "show", FORM],
  ["layouts", "versions", "list", FORM],
  ["layouts", "versions", "get", FORM, "latest"],
  ["layouts", "versions", "diff", FORM, "1", "2"],
  ["layouts", "assignments", "show", "PAGE"],
  ["currencies", "list"],
  ["currencies", "get", "EUR"],
  ["api", "GET", "/v1/view-layouts"],
  ["api", "GET", "/v1/custom-modules/staffing/objects/candidate/forms", "--paginate"],
  ["export", "staffing/candidate"],
  ["plan", "m"],
  ["status", "m"],
  ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW"],
  ["forms", "update", FORM, "--title", "Other"],
  ["forms", "defaults", "set", "staffing/candidate", "VIEW=Profile"],
  ["forms", "access", "set", FORM, "-f", "access.json", "--yes"],
  ["layouts", "create", "--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Second"],
  ["layouts", "update", "PAGE", "--name", "Page two"],
  ["layouts", "assignments", "set", "PAGE", "--default"],
  ["layouts", "publish", FORM],
  ["layouts", "draft", "push", FORM, "draft.json"],
  ["layouts", "versions", "restore", FORM, "1", "--yes"],
  ["apply", "m", "--yes"],
  ["forms", "delete", "staffing/candidate/Spare", "--allow-delete", "--yes"],
  ["layouts", "archive", "SPARE", "--allow-delete", "--yes"],
];

const DRAFT = {
  schemaVersion: 1,
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0 }],
  blocks: [{ id: "b", type: "field", source: "dynamic_field", ref: { fieldKey: "email" }, regionKey: "main" }],
};
const MANIFEST =
  "kind: Form\nobject: staffing/candidate\nname: Managed\ntypes: [VIEW]\nlayout: ./managed.layout.yaml\n";

async function inScene<T>(work: (scene: Scene) => Promise<T>): Promise<T> {
  const { path: folder, remove } = newFolder();
  const cwd = join(folder, "work");
  const at = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  at("draft.json", JSON.stringify(DRAFT));
  at("m/managed.yaml", MANIFEST);
  at("m/managed.layout.yaml", JSON.stringify(DRAFT));
  const store = join(folder, "local.db");
  await createStore(store);
  const local = openLocal(store, () => new Date());
  await local.seed(contractOrganizations);
  const { organizations } = await local.show();
  const roleId = organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  at("access.json", JSON.stringify({ users: [], roles: [{ roleId, types: ["VIEW"] }] }));
  const owner = { organization: "northwind", name: "faults", permissions: PERMISSIONS, expiresAt: null };
  const { token } = await local.createToken(owner);
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "0" });

  const heard = new Map<string, Said>();
  let asked: string[] = [];
  let isHearing = false;
  const server = createServer((request, response) => {
    const reply = async () => {
      const body = await bodyOf(request);
      const key = `${request.method} ${request.url}`;
      asked.push(key);
      const said = scene.attack?.request === key ? scene.attack.said : (heard.get(key) ?? (await ask(request, body)));
      if (isHearing) heard.set(key, said);
      response.writeHead(said.status, said.text === "" ? {} : { "content-type": "application/json" });
      response.end(said.text);
    };
    void reply();
  });
  async function ask({ method = "", url = "" }: IncomingMessage, body: string): Promise<Said> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", host: "127.0.0.1" };
    const answer = await handler(new Request(`http://127.0.0.1${url}`, { method, headers, ...(body && { body }) }));
    return { status: answer.status, text: await answer.text() };
  }
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const type = programIn(cwd, { FORMCTL_HOME: folder, FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token });
  const scene: Scene = { commands: [], requests: [], heard, attack: undefined, type, url, token };
  try {
    const done = async (...argv: string[]) => {
      const { code, stdout, stderr } = await type(argv);
      if (code !== 0) throw new Error(`${argv.join(" ")} fails: ${stderr}`);
      return stdout.trim();
    };
    for (const name of ["Profile", "Spare"])
      await done("forms", "create", "staffing/candidate", "--name", name, "--types", "VIEW");
    for (let version = 1; version <= 2; version++)
      await done("layouts", "draft", "push", FORM, "draft.json", "--publish");
    await done("layouts", "draft", "push", FORM, "draft.json");
    const newPage = ["layouts", "create", "--surface", "ORGANIZATION", "--modes", "VIEW", "-o", "name", "--name"];
    const ids: Record<string, string> = {
      PAGE: await done(...newPage, "Page"),
      SPARE: await done(...newPage, "Spare"),
    };
    // From here on, a repeated request gets its first answer. So each write is carried out once.
    isHearing = true;
    for (const words of COMMANDS) {
      asked = [];
      const argv = words.map((word) => ids[word] ?? word);
      await done(...argv);
      scene.commands.push(argv);
      scene.requests.push([...new Set(asked)]);
    }
    isHearing = false;
    return await work(scene);
  } finally {
    server.closeAllConnections();
    server.close();
    await local.close();
    remove();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns a function that runs formctl in this process, without delays and prompts. */
function programIn(cwd: string, env: Record<string, string>): Program {
  // The bundler replaces `FORMCTL_VERSION` with the version. The unbuilt program reads the global variable.
  Object.assign(globalThis, { FORMCTL_VERSION: "0.0.0" });
  return async (argv) => {
    const terminals: ReturnType<typeof testTerminal>[] = [];
    const code = await runProgram(argv, {
      terminal(flags) {
        const terminal = testTerminal({ ...flags, env });
        terminals.push(terminal);
        return terminal;
      },
      prompter: async () => undefined,
      runEditor: async () => ({ exitCode: 1, signal: null }),
      env,
      cwd,
      readFile: (path) => readFile(resolve(cwd, path)),
      now: () => new Date(),
      sleep: async () => undefined,
      keychain: async () => undefined,
      processes: async () => systemProcesses(),
      library: () => import("../../src/index.ts"),
      ending: new AbortController().signal,
      finish: (work) => work(),
      onHangup: () => undefined,
    });
    const text = (stream: "stdout" | "stderr") => terminals.map((terminal) => terminal[stream]).join("");
    return { code, stdout: text("stdout"), stderr: text("stderr") };
  };
}

const LEVELS = 6_000;
const DEEP = ["[".repeat(LEVELS) + "]".repeat(LEVELS), '{"a":'.repeat(LEVELS) + "1" + "}".repeat(LEVELS)];
const HARMFUL = [
  "\uD800",
  "\uDFFF",
  "\u0000",
  "\u001B[2J",
  "##vso[task.complete]",
  "\n::error::x",
  "##[group]",
  "",
  "../x",
];
const OTHERS: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  [{}],
  { a: null },
  ["x"],
  { id: 1 },
];

/** A placeholder for text that JSON.stringify can't produce. */
const PLACEHOLDER = "a place for text";

type Place = { holder: JsonObject | unknown[]; key: string };

function placesOf(value: unknown): Place[] {
  const places: Place[] = [];
  const stack = [value];
  for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
    if (typeof here !== "object" || here === null) continue;
    for (const [key, child] of Object.entries(here)) {
      places.push({ holder: here as JsonObject, key });
      stack.push(child);
    }
  }
  return places;
}

/** Returns a real answer with a hostile change of one member, or a hostile refusal. */
function hostile({ status, text }: Said, random: Random): Said {
  if (random.int(10) === 0) return refusing(random);
  const whole = { answer: (text === "" ? {} : JSON.parse(text)) as unknown };
  const { holder, key } = random.pick(placesOf(whole));
  const members = holder as JsonObject;
  const kind = random.int(6);
  const isText = typeof members[key] === "string";
  if (kind === 0) members[key] = PLACEHOLDER;
  else if (kind === 1 && !Array.isArray(holder)) delete members[key];
  else if (kind === 2) members[key] = (isText ? (members[key] as string) : "") + random.pick(HARMFUL);
  else if (kind === 3 && isJsonObject(members[key])) members[key] = [members[key]];
  else members[key] = random.pick(OTHERS.filter((other) => typeOf(other) !== typeOf(members[key])));
  const body = JSON.stringify(whole.answer ?? null) ?? "null";
  return {
    status: text === "" ? 200 : status,
    text: body.replace(JSON.stringify(PLACEHOLDER), () => random.pick(DEEP)),
  };
}

/** Returns a refusal whose members have random types. */
function refusing(random: Random): Said {
  const status = random.pick([400, 401, 403, 404, 409, 412, 422, 429, 500, 503]);
  const value = () => random.pick([...OTHERS, ...HARMFUL, PLACEHOLDER]);
  const names = "code message meta fieldErrors errors validation impacts idempotencyConflict clientMutationId status";
  const members = Object.fromEntries(names.split(" ").map((name) => [name, value()]));
  const body = random.pick<unknown>([{ error: members }, members, { error: value() }, value()]);
  return { status, text: JSON.stringify(body).replaceAll(JSON.stringify(PLACEHOLDER), () => random.pick(DEEP)) };
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

const hidden = new RegExp(HIDDEN, "u");
const CRASH = /^\s+at .*[:(]|\bundefined\b|\[object |internal error|\bNaN\b|(Type|Range|Reference|URI)Error/m;
/**
 * The exit codes that no answer of a server may cause:
 * - 2: `--detailed-exitcode` found pending changes
 * - 64: the command line is invalid
 * - 130 and 143: a signal ended the program
 */
const NEVER = new Set([2, 64, 130, 143]);

/** Returns what is wrong with the end of a command. */
function complaint({ code, stdout, stderr }: Ended, format: string): string | undefined {
  const printed = stdout + stderr;
  if (!Object.hasOwn(EXIT_CODES, code) || NEVER.has(code)) return `exit code ${code}`;
  const crash = CRASH.exec(printed);
  if (crash) return `prints ${JSON.stringify(crash[0])}`;
  const harm = printed.split(/\r\n|\n|\r/).find((line) => hidden.test(line) || /^\s*::|##\[|##vso\[/i.test(line));
  if (harm !== undefined) return `prints the line ${JSON.stringify(harm)}`;
  const isJson = format === "json" || format === "jsonl";
  const errors = stderr.match(isJson ? /^\{"error":\{.*\}$/gm : /^error: .+$/gm)?.length ?? 0;
  if (errors > 1) return "prints more than one error";
  // A command can list problems on stderr instead of an error. It can also print the steps of a partial apply on
  // stdout.
  if (code !== 0 && errors === 0 && stdout === "" && !/ error /.test(stderr))
    return `exit code ${code} without an error`;
  return undefined;
}

async function attack(scene: Scene, count: number, seed: number, type: Program): Promise<Result> {
  const random = seeded(seed);
  const violations: string[] = [];
  const facts: Record<string, number> = { commands: scene.commands.length, requests: scene.heard.size };
  for (let number = 0; number < count; number++) {
    const place = number % scene.commands.length;
    const argv = scene.commands[place]!;
    const request = random.pick(scene.requests[place]!);
    const said = hostile(scene.heard.get(request)!, random);
    const format = random.pick(FORMATS);
    scene.attack = { request, said };
    const ended = await type([...argv, "-o", format]).catch(crashed);
    scene.attack = undefined;
    const found = complaint(ended, format);
    facts[`exit ${ended.code}`] = (facts[`exit ${ended.code}`] ?? 0) + 1;
    const answered = said.text.length > 300 ? `${said.text.slice(0, 300)}…` : said.text;
    if (found)
      violations.push(`${number}: ${argv.join(" ")} -o ${format}: ${found}: ${request} ${said.status} ${answered}`);
  }
  return { count, violations, facts };
}

const crashed = (error: unknown): Ended => ({ code: 1, stdout: "", stderr: (error as Error).stack ?? String(error) });

/** Returns a program that does not check the answers of the server. */
function careless({ url, token }: Scene): Program {
  return async () => {
    try {
      const path = "/v1/custom-modules/staffing/objects/candidate/forms";
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      const { data } = (await answer.json()) as { data: { id: string; name: string; types: string[] }[] };
      const lines = data.map(({ id, name, types }) => `${name.trim()} ${id.trim()} ${types.join(" ")}\n`);
      return { code: 0, stdout: lines.join(""), stderr: "" };
    } catch (error) {
      return { code: 1, stdout: "", stderr: `error: ${(error as Error).stack}\n` };
    }
  };
}

export const hostileAnswers: Loop = {
  name: "hostile-answers",
  full: 1_000,
  sample: 165,
  run: (count: number, seed: number): Promise<Result> =>
    inScene((scene) => attack(scene, count, seed, (argv) => scene.type(argv))),
  control: (seed: number): Promise<Result> =>
    inScene((scene) => {
      const [list] = scene.commands;
      const [requests] = scene.requests;
      const one = { ...scene, commands: [list!], requests: [requests!] };
      // The server reads `attack` of the original scene. So `one` reads and writes that member.
      Object.defineProperty(one, "attack", {
        get: () => scene.attack,
        set(value: Scene["attack"]) {
          scene.attack = value;
        },
      });
      return attack(one, 200, seed, careless(scene));
    }),
};
