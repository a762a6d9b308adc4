/** Tests tokens in the real keychain of this machine. On a machine without a keychain, tokens are in the file. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemKeychain } from "../../src/config/keychain.ts";
import { newCanary } from "../canary.ts";
import { emptyHome, formctl } from "../e2e/program.ts";
import { reasonElsewhereThanLinux } from "../skip.ts";

const found = await systemKeychain();
const REASON = "no keychain answers on this machine (on Linux: no Secret Service on D-Bus)";

/** The host name and the port are invalid, so there is no server. */
const ORIGIN = "https://formctl-test.invalid:1";
const LOGIN = ["auth", "login", "--no-check", "-o", "json"];

/**
 * Opens a program with an ordinary home folder. The keychain is not used with FORMCTL_HOME, so the variable is empty.
 */
function person(more: Record<string, string> = {}) {
  const home = emptyHome();
  const env = { FORMCTL_HOME: "", FORMCTL_BASE_URL: ORIGIN, ...more };
  return { home, type: (words: readonly string[], input = "") => formctl(words, { home, env, input }) };
}

/** Returns the text of all files in a home folder. */
function textOf(home: string): string {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), "utf8")).join("\n");
}

it("the keychain keeps a token for one origin, until it is removed", ({ skip }) => {
  const keychain = found ?? skip(REASON);
  const token = newCanary();
  try {
    keychain.set(ORIGIN, token);
    expect(keychain.get(ORIGIN)).toBe(token);
    expect(keychain.get(`${ORIGIN}0`)).toBeNull();
  } finally {
    keychain.remove(ORIGIN);
  }
  expect(keychain.get(ORIGIN)).toBeNull();
});

it("auth login puts the token into the keychain and into no file, and auth logout takes it away", async ({ skip }) => {
  const keychain = found ?? skip(REASON);
  const token = newCanary();
  const { home, type } = person();
  const login = await type(LOGIN, token);
  try {
    expect(JSON.parse(login.stdout)).toMatchObject({ storedIn: "keychain" });
    expect(textOf(home)).toContain("keychain: true");
    expect(textOf(home)).not.toContain(token);
    expect((await type(["auth", "status"])).stdout).toContain("(from keychain)");
  } finally {
    expect((await type(["auth", "logout"])).code).toBe(0);
  }
  expect(keychain.get(ORIGIN)).toBeNull();
});

it("without a Secret Service the file keeps the token, not the kernel", async ({ skip }) => {
  skip(reasonElsewhereThanLinux !== undefined, reasonElsewhereThanLinux);
  const token = newCanary();
  const { home, type } = person({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent" });
  const login = await type(LOGIN, token);
  expect(login.code).toBe(0);
  expect(JSON.parse(login.stdout)).toMatchObject({ storedIn: "file" });
  expect(textOf(home)).toContain(token);
  const kept = existsSync("/proc/keys") ? readFileSync("/proc/keys", "utf8") : "";
  expect(kept).not.toContain(`keyring:${ORIGIN}@`);
});
