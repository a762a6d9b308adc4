/** Tests gateways that echo the token in another spelling. No command prints any spelling of the token. */

import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenHider } from "../../src/client/hide-token.ts";
import { HIDDEN_TEXT } from "../../src/base/secret.ts";
import { newCanary } from "../canary.ts";
import { openCli } from "../commands/cli.ts";
import { simulateServer } from "./simulated-server.ts";
import type { Reply, TableServer } from "./table-server.ts";

let server: TableServer;
let answer: Reply;

beforeAll(async () => {
  server = await simulateServer(() => answer);
});

afterAll(() => server.close());

/** A token of formctl, or any text that is valid in a header. */
const token = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => newCanary(bytes)),
  fc
    .string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 12,
      maxLength: 60,
    })
    // A text that looks like an escape sequence would have more than one reading.
    .filter((text) => !/^fctl_|%[0-9a-f]{2}|&#|\\u/i.test(text) && new Set(text).size > 6),
  fc.stringMatching(/^[1-9][0-9]{11,14}$/),
);

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
const percent = (character: string) => `%${hex(character).toUpperCase()}`;

const SPELLINGS: Record<string, (text: string, random: number) => string> = {
  plain: (text) => text,
  "every character as \\u": (text) =>
    Array.from(text)
      .map((each) => String.raw`\u00${hex(each)}`)
      .join(""),
  "some characters as \\u": (text, random) =>
    Array.from(text)
      .map((each, index) => ((random >> (index % 30)) & 1 ? String.raw`\u00${hex(each)}` : each))
      .join(""),
  "a backslash before each slash": (text) => text.replaceAll("/", String.raw`\/`).replaceAll("+", String.raw`\u002B`),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  "every character percent-encoded": (text) => Array.from(text).map(percent).join(""),
  "percent-encoded as in a URL": (text) => encodeURIComponent(text),
  "percent-encoded twice": (text) => encodeURIComponent(Array.from(text).map(percent).join("")),
  "in HTML": (text) =>
    Array.from(text)
      .map((each) => `&#${each.charCodeAt(0)};`)
      .join(""),
  base64: (text) => Buffer.from(text, "latin1").toString("base64"),
  "base64, not padded": (text) => Buffer.from(text, "latin1").toString("base64").replace(/=+$/, ""),
  base64url: (text) => Buffer.from(text, "latin1").toString("base64url"),
  "base64 of the header": (text) => Buffer.from(`Bearer ${text}`, "latin1").toString("base64"),
  "base64 among other words": (text) => Buffer.from(`a: ${text}; b: c`, "latin1").toString("base64url"),
  "base64 in a URL": (text) => encodeURIComponent(Buffer.from(text, "latin1").toString("base64")),
};

/** All decoded forms of a text. An attacker could look for a token in any of them. */
function readings(text: string): string[] {
  const found = [text];
  let before = "";
  for (let now = text, rounds = 0; now !== before && rounds < 12; rounds++) {
    before = now;
    now = now
      .replace(/\\+u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
    found.push(now, now.replace(/\\+([/"])/g, "$1"), now.replaceAll("\\\\", "\\"), now.replace(/\\+/g, ""));
  }
  const words = found.flatMap((each) => each.match(/[\w+/-]{8,}/g) ?? []);
  const decoded = words.flatMap((word) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(word.slice(skip), "base64").toString("latin1")),
  );
  return [...found, ...decoded];
}

/** Ignores backslashes, because each level of escaping changes their number. */
function reveals(text: string, secret: string): boolean {
  const bare = (each: string) => each.replaceAll("\\", "").toLowerCase();
  return readings(text).some((each) => bare(each).includes(bare(secret)));
}

type Position = "value" | "name" | "deep" | "message" | "text" | "broken" | "header" | "number";

/** Returns an answer with `spelled` at a position. `spelled` is the content of a JSON string. */
function reply(position: Position, spelled: string): Reply {
  const json = (body: string): Reply => ({ status: 200, headers: { "content-type": "application/json" }, body });
  switch (position) {
    case "value":
      return json(`{"data":[{"code":"EUR","name":"x ${spelled} y"}]}`);
    case "name":
      return json(`{"data":[{"code":"EUR","name":"Euro","${spelled}":{"a ${spelled}":1}}]}`);
    case "deep":
      return json(`{"data":[{"code":"EUR","name":"Euro","more":${"[".repeat(40)}"${spelled}"${"]".repeat(40)}}]}`);
    case "message":
      return { ...json(`{"error":{"code":"NO","message":"${spelled}","details":["${spelled}"]}}`), status: 422 };
    case "text":
      return { status: 403, headers: { "content-type": "text/html" }, body: `<p>Authorization: Bearer ${spelled}</p>` };
    case "broken":
      return { ...json(`{"error": "${spelled}"`), status: 400 };
    case "header":
      return {
        status: 200,
        headers: { deprecation: spelled, "content-type": `text/${spelled}`, "retry-after": spelled },
        body: "none",
      };
    case "number":
      return json(`{"data":[{"code":"EUR","name":"Euro","more":${/^[0-9]+$/.test(spelled) ? spelled : 0}}]}`);
  }
  return position satisfies never;
}

/** Returns text that is valid between two quotes in JSON. In a header, a backslash is an ordinary character. */
function inJson(spelled: string): string {
  try {
    JSON.parse(`"${spelled}"`);
    return spelled;
  } catch {
    return JSON.stringify(spelled).slice(1, -1);
  }
}

const COMMANDS = [
  ["currencies", "list", "--verbose"],
  ["currencies", "list", "-o", "json", "--verbose"],
  ["api", "GET", "/v1/currencies"],
  ["api", "GET", "/v1/currencies", "-o", "yaml"],
  ["api", "GET", "/v1/currencies", "-o", "json", "--verbose"],
];
const POSITIONS: readonly Position[] = ["value", "name", "deep", "message", "text", "broken", "header", "number"];

describe("a token that a gateway echoes", () => {
  it.each(Object.keys(SPELLINGS))("is printed by no command: %s", async (name) => {
    const cli = await openCli(null);
    delete cli.env["FORMCTL_ORGANIZATION"];
    cli.env["FORMCTL_BASE_URL"] = server.url;
    const position = fc.constantFrom(...POSITIONS);
    const command = fc.constantFrom(...COMMANDS);
    await fc.assert(
      fc.asyncProperty(token, fc.nat(), position, command, async (secret, random, at, argv) => {
        cli.env["FORMCTL_TOKEN"] = secret;
        answer = reply(at, inJson(SPELLINGS[name]!(secret, random)));
        const { stdout, stderr } = await cli.run(...argv);
        expect(reveals(stdout + stderr, secret) ? stdout + stderr : "").toBe("");
      }),
      {
        numRuns: 40,
        // These tokens contain a part that looks like an escape. JSON reads `\b` as a control character, and YAML
        // prints the control character as `\b`.
        examples: [String.raw`!!!!\b!!#$%&`, String.raw`!!ab\x2Bcdefgh`].map((secret) => [
          secret,
          0,
          "value",
          ["api", "GET", "/v1/currencies", "-o", "yaml"],
        ]),
      },
    );
  });

  it.each(Object.keys(SPELLINGS))("is found by this test when nothing hides it: %s", (name) => {
    fc.assert(
      fc.property(token, fc.nat(), (secret, random) => {
        expect(reveals(reply("value", inJson(SPELLINGS[name]!(secret, random))).body as string, secret)).toBe(true);
      }),
    );
  });

  it("leaves the rest of an answer unchanged", () => {
    const text = String.raw`{"a\/b":["\u0041%41&#65;", {"__proto__": 1, "count": 12}], "c": "QUJDREVGR0g="}`;
    const hide = tokenHider(newCanary());
    expect(hide.json(JSON.parse(text), text)).toEqual(JSON.parse(text));
    expect(hide.text(text)).toBe(text);
  });

  it("is replaced in names and values, and nothing else is", () => {
    const secret = newCanary();
    const value = { data: [{ [`the ${secret}`]: 1, name: `x ${secret} y` }] };
    const hidden = { data: [{ [`the ${HIDDEN_TEXT}`]: 1, name: `x ${HIDDEN_TEXT} y` }] };
    expect(tokenHider(secret).json(value, JSON.stringify(value))).toEqual(hidden);
  });

  it("is replaced in HTML without semicolons, and a colon after the token is kept", () => {
    const secret = newCanary();
    const spelled = Array.from(secret, (each) => `&#x${hex(each)}`).join("");
    expect(tokenHider(secret).text(`${spelled}: unknown`)).toBe(`${HIDDEN_TEXT}: unknown`);
  });

  it("is replaced if it looks like an escape and each of its characters is escaped", () => {
    const secret = String.raw`!!ab\x2Bcdefgh`;
    const spelled = SPELLINGS["every character as \\u"]!(secret, 0);
    expect(tokenHider(secret).text(`a ${spelled} b`)).toBe(`a ${HIDDEN_TEXT} b`);
  });

  it("is searched in little time in an answer full of similar texts", () => {
    const hide = tokenHider("+/".repeat(2_048));
    const started = performance.now();
    for (const unit of ["\\", "%25", "&#0", "+", "\\u002b", "x+/", "%2b"]) hide.text(unit.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("is replaced completely when it has the maximum length", () => {
    const secret = randomBytes(3_072).toString("base64");
    expect(secret).toHaveLength(4_096);
    for (const spelling of Object.values(SPELLINGS)) {
      const hidden = tokenHider(secret).text(spelling(secret, 7));
      expect(hidden.length).toBeLessThan(300);
    }
    expect(tokenHider(secret).text(`a ${secret} b`)).toBe(`a ${HIDDEN_TEXT} b`);
  });

  it("is replaced in JSON that is nested deeper than the stack allows", () => {
    const secret = newCanary();
    const depth = 100_000;
    const text = `${"[".repeat(depth)}"${secret}"${"]".repeat(depth)}`;
    let found: unknown = tokenHider(secret).json(JSON.parse(text), text);
    for (let level = 0; level < depth; level++) found = (found as unknown[])[0];
    expect(found).toBe(HIDDEN_TEXT);
  });
});
