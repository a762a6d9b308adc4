/** The programs of the guides to the library, type-checked and run from the packed package in their order, on one store. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { searchOutput } from "./canary.ts";
import { ROOT } from "./e2e/program.ts";
import { type Consumer, installPackage } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders("on disk");
const GUIDES = ["library.md", "library-layouts.md"];
const texts = GUIDES.map((name) => readFileSync(join(ROOT, "docs", name), "utf8"));
const guide = texts.join("\n");

/** The programs by file name. The first line of a program has its file name. */
const programs = new Map(
  [...guide.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, file = "", text = ""]) => [file, text]),
);

let consumer: Consumer;

beforeAll(() => {
  consumer = installPackage(newFolder());
  const { folder, installed } = consumer;
  for (const [file, text] of programs) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  cpSync(join(installed, "examples/northwind/manifests"), join(folder, "manifests"), { recursive: true });
  cpSync(join(installed, "examples/northwind/organization.yaml"), join(folder, "organization.yaml"));
  seed("formctl.db");
});

function seed(store: string): void {
  const { status, stderr } = formctl("local", "seed", "organization.yaml", "--store", store);
  if (status !== 0) throw new Error(stderr);
}

function node(words: readonly string[], env: Record<string, string> = {}) {
  const { FORMCTL_BASE_URL: _url, FORMCTL_TOKEN: _token, ...own } = process.env;
  const ended = spawnSync(process.execPath, words, {
    cwd: consumer.folder,
    env: { ...own, FORMCTL_HOME: join(consumer.folder, "home"), ...env },
    encoding: "utf8",
  });
  searchOutput(words.join(" "), ended);
  const { status, stdout, stderr } = ended;
  return { status, stdout, stderr };
}

const formctl = (...words: string[]) => node([join(consumer.installed, "bin/formctl.js"), ...words]);

it("has only programs with file names, and at most 1,200 words on each page", () => {
  expect(programs.size).toBe([...guide.matchAll(/^```ts$/gm)].length);
  expect(programs.size).toBeGreaterThan(8);
  for (const text of texts) expect(text.split(/\s+/).length).toBeLessThanOrEqual(1_200);
});

it("has programs without type errors", () => {
  expect(() => consumer.typeCheck([...programs.keys()])).not.toThrow();
});

it("has programs that print what they should", () => {
  expect(node(["create-form.ts"])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^frm_\w+\n$/),
    stderr: "",
  });
  const limits = "listCurrencies 1: 503\nlistCurrencies 2: 200\ntrue\n";
  expect(node(["limits.ts"])).toEqual({ status: 0, stdout: limits, stderr: "" });
  expect(node(["list-forms.ts"])).toEqual({ status: 0, stdout: "Quick look: VIEW\n", stderr: "" });
  expect(node(["add-notes.ts"])).toEqual({ status: 0, stdout: "valid\n", stderr: "" });
  // A second run of the program changes nothing.
  expect(node(["add-notes.ts"])).toEqual({ status: 0, stdout: "valid\n", stderr: "" });
  expect(node(["add-history.ts"])).toEqual({ status: 0, stdout: "Quick look: published\n", stderr: "" });
  expect(node(["add-history.ts"])).toEqual({ status: 0, stdout: "Quick look: unchanged\n", stderr: "" });
  expect(node(["describe.ts"])).toEqual({
    status: 5,
    stdout: "",
    stderr: expect.stringContaining("NOT_FOUND: the form does not exist in staffing/candidate\nList the objects"),
  });
  const applied = node(["apply-manifests.ts"]);
  expect(applied).toMatchObject({ status: 0, stderr: "" });
  expect(applied.stdout).toMatch(/^\d+ manifests\n(create: .*\n)+applied\n$/);
});

it("has migrations that run once and are reverted", () => {
  const migrate = (...words: string[]) => formctl("migrate", ...words, "--store", "formctl.db");
  const ran = migrate("run", "--yes");
  expect({ status: ran.status, stderr: ran.status === 0 ? "" : ran.stderr }).toEqual({ status: 0, stderr: "" });
  const labelled = formctl(
    "layouts",
    "versions",
    "get",
    "staffing/candidate/Quick look",
    "latest",
    "--store",
    "formctl.db",
  );
  expect(labelled.stdout).toContain("Remarks");
  const forms = () => formctl("forms", "list", "staffing/candidate", "--store", "formctl.db").stdout;
  expect(forms()).toContain("Review");
  expect(migrate("run", "--yes").stdout).toContain("No migrations are due");
  expect(migrate("down", "--yes").status).toBe(0);
  expect(forms()).not.toContain("Review");
});

describe("on a server", () => {
  it("creates the form too", async () => {
    const store = join(consumer.folder, "server.db");
    seed(store);
    const { stdout } = formctl(
      "local",
      "tokens",
      "create",
      "--name",
      "guide",
      "--permission",
      "all",
      "--store",
      store,
      "-o",
      "json",
    );
    const { token } = JSON.parse(stdout) as { token: string };
    const bin = join(consumer.installed, "bin/formctl.js");
    const server = spawn(process.execPath, [bin, "serve", "--port", "0", "--store", store, "-o", "json"]);
    const ended = once(server, "exit");
    onTestFinished(async () => {
      server.kill();
      await ended;
    });
    const url = await new Promise<string>((resolve) => {
      let text = "";
      server.stdout.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const found = /http:\/\/[^"\s]+/.exec(text);
        if (found) resolve(found[0]);
      });
    });
    expect(node(["create-form.ts"], { FORMCTL_BASE_URL: url, FORMCTL_TOKEN: token })).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^frm_\w+\n$/),
    });
  });
});
