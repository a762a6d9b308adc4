/** The URL of a store on PostgreSQL: what it may contain, and which part of it is printed. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PeerCertificate } from "node:tls";
import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/store/postgres/settings.ts";
import { hasPassword, isStoreUrl, hidePassword } from "../../../src/base/database-url.ts";
import { temporaryFolders } from "../../temporary.ts";

const newFolder = temporaryFolders();
const NO_FILE = { PGPASSFILE: "/does/not/exist" };
const read = (url: string, env = {}) => readSettings(url, { ...NO_FILE, ...env });
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: "SETTING_INVALID", message: expect.stringMatching(message) as string }) as Error;

describe("the URL", () => {
  it("names the user, the host, the port and the database", () => {
    expect(read("postgres://dana%40x:s%3Aecret@db.example.com:6432/forms")).toMatchObject({
      name: "postgres://dana%40x@db.example.com:6432/forms",
      host: "db.example.com",
      port: 6432,
      user: "dana@x",
      database: "forms",
      password: "s:ecret",
      schema: undefined,
    });
    expect(read("postgresql://u@[::1]/db?schema=own")).toMatchObject({ host: "::1", port: 5432, schema: "own" });
    expect(read("postgres://u@%2Frun%2Fpostgresql/db")).toMatchObject({ host: "/run/postgresql", tls: false });
  });

  it.each([
    ["postgres://u@h:99999/db", /URL of the store is invalid/],
    ["postgres://u@h", /names no database/],
    ["postgres://u@h/db?sslmod=disable", /unknown parameter "sslmod"/],
    ["postgres://u:%ZZ@h/db", /invalid % sequence/],
    ["postgres://u@h/db?sslmode=on", /sslmode must be one of disable, require, verify-ca, verify-full/],
    ["postgres://u@h/db?sslmode=prefer", /unencrypted if the server has no TLS/],
    ["postgres://u@h/db?sslmode=disable&sslrootcert=x", /has sslrootcert, but no TLS/],
    ["postgres://u@h/db?sslrootcert=/does/not/exist", /can't read \/does\/not\/exist/],
    ["postgres://u@%2Frun/db?sslmode=require", /no TLS on a socket/],
  ])("%s is refused", (url, message) => {
    expect(() => read(url)).toThrow(invalid(message));
  });

  it("never shows its password", () => {
    const url = "postgres://dana:canary@h:5432/db?sslmode=prefer";
    expect(hidePassword(url)).toBe("postgres://dana@h:5432/db");
    const unencoded = ["12/canary", "/canary", "12?canary", "12#canary"].map((text) => `postgres://dana:${text}@h/db`);
    const mistyped = [" postgres://dana:canary@h/db", "postgres:/dana:canary@h/db", "postgres:dana:canary@h/db"];
    for (const text of ["postgres://dana:canary@h:bad/db", "postgres://da/na:canary@h/db", ...unencoded, ...mistyped])
      expect([text, hidePassword(text), hasPassword(text)]).toEqual([text, "postgres://…", true]);
    for (const wrong of [
      url,
      ...unencoded,
      ...mistyped,
      "postgres://dana:canary@h:99999/db",
      "postgres://dana:canary@h",
      "postgres://dana:canary@h/db?x=canary",
    ]) {
      let message = "";
      try {
        read(wrong);
      } catch (error) {
        message = String(error);
      }
      expect(message).toMatch(/./);
      expect(message).not.toContain("canary");
    }
  });

  it("is distinguished from a path, and a password is recognized", () => {
    expect(isStoreUrl("./forms.db")).toBe(false);
    expect(isStoreUrl("POSTGRES://h/db")).toBe(true);
    expect(hasPassword("postgres://u@h/db")).toBe(false);
    expect(hasPassword("postgres://u:p@h/db")).toBe(true);
    expect(hasPassword("postgres://u:p@h:bad/db")).toBe(true);
    expect(hasPassword("./u:p@h")).toBe(false);
  });
});

describe("the password", () => {
  const at = "postgres://dana@db.example.com/forms";

  it("comes from PGPASSWORD, or the password file", () => {
    const file = join(newFolder(), "pgpass");
    writeFileSync(file, "# comment\nother:5432:*:dana:no\ndb.example.com:5432:forms:dana:a\\:b\\\\c\n*:*:*:*:last\n", {
      mode: 0o600,
    });
    expect(read(at, { PGPASSFILE: file }).password).toBe("a:b\\c");
    expect(read("postgres://other@h/db", { PGPASSFILE: file }).password).toBe("last");
    expect(read(at, { PGPASSFILE: file, PGPASSWORD: "env" }).password).toBe("env");
    expect(read(at).password).toBeUndefined();
  });

  it("in a file that other users can read is refused", () => {
    const file = join(newFolder(), "pgpass");
    writeFileSync(file, "*:*:*:*:canary\n");
    chmodSync(file, 0o640);
    expect(() => read(at, { PGPASSFILE: file })).toThrow(
      expect.objectContaining({
        code: "CREDENTIALS_UNUSABLE",
        message: expect.not.stringContaining("canary") as string,
      }) as Error,
    );
  });
});

describe("TLS", () => {
  it("is verified by default, except on this machine", () => {
    expect(read("postgres://u@db.example.com/x").tls).toMatchObject({ rejectUnauthorized: true });
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) expect(read(`postgres://u@${host}/x`).tls).toBe(false);
    expect(read("postgres://u@localhost/x?sslmode=verify-full").tls).toMatchObject({ rejectUnauthorized: true });
  });

  it("compares the name of the host, unless verify-ca is given", () => {
    const certificate = {
      subject: { CN: "other.example.com" },
      subjectaltname: "DNS:other.example.com",
    } as unknown as PeerCertificate;
    const check = (mode: string) => {
      const { tls } = read(`postgres://u@db.example.com/x?sslmode=${mode}`);
      return tls && tls.checkServerIdentity?.("localhost", certificate);
    };
    expect(check("verify-full")).toBeInstanceOf(Error);
    expect(check("verify-ca")).toBeUndefined();
  });

  it("with require trusts any certificate, unless an authority is given", () => {
    const file = join(newFolder(), "ca.pem");
    writeFileSync(file, "text");
    expect(read("postgres://u@h/x?sslmode=require").tls).toEqual({ rejectUnauthorized: false });
    expect(read(`postgres://u@h/x?sslmode=require&sslrootcert=${file}`).tls).toMatchObject({
      rejectUnauthorized: true,
      ca: "text",
    });
    expect(read(`postgres://u@localhost/x?sslrootcert=${file}`).tls).toMatchObject({ ca: "text" });
  });
});
