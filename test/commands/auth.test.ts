/** Tests tokens: their sources, their storage, and the servers that receive them. */

import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Keychain } from "../../src/base/host.ts";
import { openCredentials } from "../../src/config/credentials.ts";
import { Secret } from "../../src/base/secret.ts";
import { newCanary } from "../canary.ts";
import type { Cli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";
import { turns } from "../state/turns.ts";

const credentials = (cli: Cli) => join(cli.home, "credentials.yaml");

/** Opens a server with a profile, and creates a token. The program has no stored token. */
async function openProfileScene() {
  const scene = await openRemoteScene();
  delete scene.cli.env["FORMCTL_BASE_URL"];
  delete scene.cli.env["FORMCTL_TOKEN"];
  await scene.cli.run("profiles", "add", "prod", "--base-url", scene.url);
  await scene.cli.run("profiles", "use", "prod");
  return scene;
}

it("asks at a terminal for the server if several profiles exist and none is selected", async () => {
  const { cli, url, token } = await openProfileScene();
  await cli.run("profiles", "add", "other", "--base-url", "https://forms.example.com");
  await cli.run("profiles", "add", "store", "--store", "./other.db");
  await cli.run("config", "unset", "profile");
  const login = await cli.answering(["prod", token], "auth", "login");
  expect(login).toMatchObject({ code: 0, asked: ["Server:", `Token for ${url}:`] });
  expect(login.stdout).toBe(`Logged in to ${url}.\n`);
  expect(login.stderr).toContain("Same as: formctl auth login --profile prod\n");
  const status = await cli.answering(["prod"], "auth", "status", "-o", "json");
  expect(status.json()).toMatchObject({ origin: url, profile: "prod", source: "file", last4: token.slice(-4) });
  expect((await cli.answering(["prod"], "auth", "logout")).stdout).toBe(`Logged out of ${url}.\n`);
  const refused = await cli.run("auth", "login");
  expect(refused.code).toBe(64);
  expect(refused.stderr).toContain("hint: Specify a server: --profile NAME (prod, other). Add a profile:");
});

it("keeps a token that works, and uses it", async () => {
  const { cli, url, token } = await openProfileScene();
  expect(await cli.run("forms", "list", "staffing/candidate")).toMatchObject({ code: 4 });
  cli.stdin = `${token}\n`;
  const login = await cli.run("auth", "login", "--json");
  expect(login.json()).toEqual({
    origin: url,
    storedIn: "file",
    path: credentials(cli),
    last4: token.slice(-4),
    isUsed: true,
  });
  expect(statSync(credentials(cli)).mode & 0o777).toBe(0o600);
  expect((await cli.run("forms", "list", "staffing/candidate")).code).toBe(0);
  const status = await cli.run("auth", "status");
  expect(status.stdout).toContain(`…${token.slice(-4)} (from file)`);
  expect(status.stdout).not.toContain(token);
  expect((await cli.run("auth", "logout")).stdout).toBe(`Logged out of ${url}.\n`);
  expect(readFileSync(credentials(cli), "utf8")).toBe("{}\n");
  expect((await cli.run("auth", "logout")).stdout).toBe(`No token for ${url} was stored.\n`);
  expect((await cli.run("auth", "status")).code).toBe(4);
});

it("prompts for the token, and reads it from a file", async () => {
  const { cli, token } = await openProfileScene();
  const { code, asked } = await cli.answering([token], "auth", "login");
  expect(code).toBe(0);
  expect(asked[0]).toMatch(/^Token for http:/);
  await cli.run("auth", "logout");
  cli.file("token.txt", `${token}\r\n`);
  expect((await cli.run("auth", "login", "--token-file", "token.txt")).code).toBe(0);
  await cli.run("auth", "logout");
  expect((await cli.run("currencies", "list", "--token-file", "token.txt")).code).toBe(0);
  for (const [path, reason] of [
    ["nowhere.txt", "the file or its folder does not exist (ENOENT)"],
    [".", "it is a folder (EISDIR)"],
  ] as const) {
    const { code: refused, stderr } = await cli.run("currencies", "list", "--token-file", path);
    expect([refused, stderr]).toEqual([
      3,
      `error: can't read ${path}: ${reason}\nhint: Specify a file, or - for standard input.\n`,
    ]);
  }
});

it("keeps no token that the server does not take, and none with a typing error", async () => {
  const { cli, token } = await openProfileScene();
  for (const wrong of [
    "two words",
    "é".repeat(20),
    token.slice(0, -1),
    `${token.slice(0, 20)}${token[20] === "x" ? "y" : "x"}${token.slice(21)}`,
  ]) {
    cli.stdin = wrong;
    const { code, stderr } = await cli.run("auth", "login");
    expect(code).toBe(4);
    expect(stderr).not.toContain(wrong);
  }
  cli.stdin = "a-token-that-nobody-issued";
  expect(await cli.run("auth", "login")).toMatchObject({ code: 4 });
  expect(existsSync(credentials(cli))).toBe(false);
  expect((await cli.run("auth", "login", "--no-check")).code).toBe(0);
  expect((await cli.run("auth", "status")).stdout).toContain("…sued");
});

it("refuses a token on the command line", async () => {
  const { cli, token } = await openProfileScene();
  expect((await cli.run("auth", "login", "--token", token)).code).toBe(64);
  expect((await cli.run("auth", "login", token)).code).toBe(64);
  // A token of another service has an unknown format.
  const { stderr } = await cli.run("auth", "login", "word-of-another-service");
  expect(stderr).toContain("too many arguments: expected 0 arguments, got 1\n");
  expect((await cli.run("auth", "login", "--token=word")).stderr).toContain('unknown option "--token"\n');
});

it("reports the source of a token that the server refuses", async () => {
  const { cli, token } = await openProfileScene();
  const refused = newCanary();
  const hint = async (...words: string[]) => (await cli.run("currencies", "list", ...words, "-o", "json")).error().hint;
  cli.file("token.txt", refused);
  expect(await hint("--token-file", "token.txt")).toBe(
    "The token is from --token-file: specify a file with another one.",
  );
  cli.stdin = refused;
  await cli.run("auth", "login", "--no-check");
  expect(await hint()).toBe("Log in again: formctl auth login --profile prod");
  expect((await cli.run("auth", "login")).stderr).toContain(
    "The token was not saved. Request another token from its issuer.",
  );
  cli.env["FORMCTL_TOKEN"] = refused;
  expect(await hint()).toBe(
    "The token is from FORMCTL_TOKEN. Set another one, or unset it and log in: formctl auth login --profile prod",
  );
  cli.stdin = token;
  expect((await cli.run("auth", "login")).stderr).toContain("FORMCTL_TOKEN is set and is used instead of this token.");
  expect((await cli.run("auth", "logout")).stderr).toContain("FORMCTL_TOKEN is set and is still used.");
});

it("needs a server to log in to", async () => {
  const { cli } = await openProfileScene();
  expect(await cli.run("auth", "login", "--local")).toMatchObject({ code: 64 });
  expect(await cli.run("auth", "status", "--local")).toMatchObject({ code: 64 });
});

it("reads tokens only from a plain file that is its owner's alone", async () => {
  const { cli, token, url } = await openProfileScene();
  const path = credentials(cli);
  writeFileSync(path, JSON.stringify({ [url]: { token } }), { mode: 0o600 });
  expect((await cli.run("currencies", "list")).code).toBe(0);
  for (const mode of [0o640, 0o604, 0o660, 0o620]) {
    chmodSync(path, mode);
    expect(await cli.run("currencies", "list")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("chmod 600"),
    });
  }
  chmodSync(path, 0o600);
  const elsewhere = join(cli.home, "elsewhere.yaml");
  writeFileSync(elsewhere, "{}", { mode: 0o600 });
  await cli.run("auth", "logout");
  rmSync(path);
  symlinkSync(elsewhere, path);
  expect(await cli.run("currencies", "list")).toMatchObject({ code: 4, stderr: expect.stringContaining("is a link") });
});

it("quotes nothing of a credentials file that it can't read", async () => {
  const { cli } = await openProfileScene();
  writeFileSync(credentials(cli), "https://x:\n  token: canary-secret\n  - broken", { mode: 0o600 });
  const { code, stderr } = await cli.run("currencies", "list");
  expect(code).toBe(4);
  expect(stderr).not.toContain("canary");
});

it("stores a token in an available keychain, and reports its location", async () => {
  const { cli } = await openProfileScene();
  const kept = new Map<string, string>();
  const keychain: Keychain = {
    get: (origin) => kept.get(origin) ?? null,
    set: (origin, token) => void kept.set(origin, token),
    remove: (origin) => void kept.delete(origin),
  };
  const path = credentials(cli);
  const open = openCredentials(path, { ...turns, keychain: async () => keychain });
  expect(await open.save("https://a.example", new Secret("secret-of-a"))).toBe("keychain");
  expect(readFileSync(path, "utf8")).not.toContain("secret-of-a");
  expect((await open.find("https://a.example"))?.token.reveal()).toBe("secret-of-a");
  expect(await open.find("https://a.example:8443")).toBeUndefined();
  const closed = openCredentials(path, { ...turns, keychain: async () => undefined });
  await expect(closed.find("https://a.example")).rejects.toThrow("can't be opened");
  const locked = openCredentials(path, {
    ...turns,
    keychain: async () => ({ ...keychain, set: () => fail(), get: () => fail() }),
  });
  expect(await locked.save("https://b.example", new Secret("secret-of-b"))).toBe("file");
  expect(await open.remove("https://a.example")).toBe(true);
  expect(kept.size).toBe(0);
});

function fail(): never {
  throw new Error("the keychain is locked");
}
