/** Tests a server with terminal attacks in its responses. Every output format escapes the attacks. */

import { expect, it } from "vitest";
import { HIDDEN } from "../../src/base/hidden-characters.ts";
import { isJsonObject } from "../../src/schemas/json.ts";
import type { Reply } from "../client/table-server.ts";
import { countOf } from "../effort.ts";
import { insertProxy, type Manner } from "../proxy/proxy.ts";
import type { Cli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const between = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));

/**
 * Texts that attack a terminal or a CI log. They move the cursor, change colours, hide or reverse text, or end a line.
 * CI systems execute some of them.
 */
const HOSTILE: string[] = [
  "\u001B[2J\u001B[H",
  "\u001B[31mred",
  "\u001B]0;title\u0007",
  "\u001B]8;;https://evil.example\u001B\\link\u001B]8;;\u001B\\",
  "\u001B]52;c;ZXZpbA==\u0007",
  "\u001BP1$q\u001B\\",
  "\u001Bc",
  "\u009B31mred",
  "\u009D0;title\u009C",
  "\u0090q\u009C",
  "a\rb",
  "a\nb",
  "a\n::error::b",
  "a\n##[error]b",
  "##vso[task.setvariable variable=x]y",
  "a\u2028b",
  "a\u2029b",
  "a\u0085b",
  "a\bb",
  "a\u0007b",
  "a\u000Bb",
  "a\u000Cb",
  "a\u007Fb",
  "a\u0000b",
  ...between(0x202a, 0x202e),
  ...between(0x2066, 0x2069),
  "\u200Ezero\u200B\u200C\u200D\u2060\uFEFF",
  "\u061Carabic mark",
  "\u00ADsoft hyphen",
  "\u{E0041}\u{E0042} tags",
  "\uFFF9note\uFFFA\uFFFB",
  "\u{1D173}music",
  "\uD800 half of a pair",
  "\uDFFF other half",
  "\u180E",
  "\u206A\u206F",
];

const FORM = "staffing/candidate/Profile";
const COMMANDS: string[][] = [
  ["forms", "list", "staffing/candidate"],
  ["forms", "available", "staffing/candidate"],
  ["forms", "get", FORM],
  ["forms", "access", "show", FORM],
  ["forms", "defaults", "show", "staffing/candidate"],
  ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW"],
  ["layouts", "list"],
  ["layouts", "get", FORM],
  ["layouts", "surfaces"],
  ["layouts", "draft", "show", FORM],
  ["layouts", "versions", "list", FORM],
  ["layouts", "versions", "get", FORM, "latest"],
  ["layouts", "versions", "diff", FORM, "1", "2"],
  ["layouts", "assignments", "show", "PAGE"],
  ["currencies", "list"],
  ["api", "GET", "/v1/view-layouts"],
  ["doctor"],
];
const ALONE = HOSTILE.filter(
  (_, index) => index % countOf("hostile texts for each one that is also tested alone") === 0,
);
/** The formats table and json are tested with single strings. Every format is tested with all strings at once. */
const TRIALS = [
  ...ALONE.flatMap((text) => ["table", "json"].map((format) => ({ text, format }))),
  ...["table", "json", "jsonl", "yaml", "name"].map((format) => ({ text: HOSTILE.join(" "), format })),
];

const hidden = new RegExp(HIDDEN, "u");
let cli: Cli;
let page: string;
let hostile = "";
/** Whether every request is refused. Every member of the error then contains the hostile text. */
let refusing = false;

/** Adds the hostile text to each answer. Texts that later requests need are kept. */
function spoilsAnswers(): Manner {
  /** The answers of the real server, by request. Each request is sent to the real server only once. */
  const heard = new Map<string, Reply>();
  return {
    async request(asked, pass) {
      if (refusing) return { status: 409, ...refused() };
      const key = JSON.stringify([asked.method, asked.path, asked.query.toString(), asked.body]);
      const { status, body } = heard.get(key) ?? (await pass(asked));
      heard.set(key, { status, body });
      return { status, headers: { sunset: "soon", date: "never" }, ...(body !== undefined && { body: spoil(body) }) };
    },
  };
}

/** The members that commands use for lookups. */
const KEPT = new Set(["id", "viewLayoutId", "name", "status", "layoutId"]);

function spoil(value: unknown, key = ""): unknown {
  if (typeof value === "string") {
    if (key === "name" && value !== "Profile") return `${value}${hostile}`;
    // Ids stay unchanged: an id with a control character or an unpaired surrogate would be refused.
    return KEPT.has(key) || key.endsWith("Id") ? value : `${value}${hostile}`;
  }
  if (Array.isArray(value)) return value.map((item) => spoil(item, key));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, spoil(member, name)] as const);
  return { ...Object.fromEntries(entries), [`extra${hostile}`]: hostile };
}

function refused() {
  const said = `no${hostile}`;
  return {
    body: {
      error: {
        code: said,
        message: said,
        meta: { partiallyApplied: true, failedPhase: said, committedObjects: [{ id: said, key: said, created: true }] },
        fieldErrors: { [said]: [said] },
        unavailableMutationScopes: [said],
        clientMutationId: said,
        relationTableErrors: { [said]: said },
        idempotencyConflict: { clientMutationId: said, operation: said, firstSeenAt: said, reason: said },
        errors: [{ message: said }],
        impacts: [{ draftId: said, fieldKey: said, action: said, reasons: [said], valueCount: 1 }],
        validation: {
          state: said,
          errors: [{ code: said, message: said, path: said, blockId: said, mode: said, severity: said }],
          warnings: [{ code: said, message: said }],
        },
      },
    },
  };
}

async function openScene(): Promise<void> {
  const scene = await openRemoteScene();
  cli = scene.cli;
  await cli.run("forms", "create", "staffing/candidate", "--name", "Profile", "--types", "VIEW", "--title", "Title");
  const block = { id: "b", type: "field", source: "dynamic_field", ref: { fieldKey: "email" }, regionKey: "main" };
  const region = { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0 };
  cli.file("draft.json", { schemaVersion: 1, regions: [region], blocks: [block] });
  for (let version = 1; version <= 2; version++)
    expect((await cli.run("layouts", "draft", "push", FORM, "draft.json", "--publish")).code).toBe(0);
  await cli.run("layouts", "draft", "push", FORM, "draft.json");
  const create = ["layouts", "create", "--surface", "ORGANIZATION", "--modes", "VIEW", "--name", "Page", "-o", "name"];
  const created = await cli.run(...create);
  page = created.stdout.trim();
  await cli.run("layouts", "assignments", "set", page, "--default");
  const role = await cli.behind(async (_service, local) => (await local.show()).organizations[0]!.roles[0]!.id);
  await cli.run("forms", "access", "grant", FORM, "--role", role, "--types", "VIEW");
  await insertProxy(cli, spoilsAnswers());
}

/** Expects that every printed character is visible. No line may be a command for a CI log. */
function expectHarmless(text: string): void {
  const harmful = text.split("\n").filter((line) => hidden.test(line) || /^\s*::|##\[|##vso\[/i.test(line));
  expect(harmful).toEqual([]);
}

it("has forty strings to try, and commands that work without them", async () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
  await openScene();
  hostile = "";
  for (const argv of COMMANDS) {
    const { code, stderr } = await cli.run(...argv.map((word) => (word === "PAGE" ? page : word)), "--json");
    expect({ argv, code, stderr }).toMatchObject({ code: 0 });
  }
});

it(`lets nothing through in what it prints: ${HOSTILE.length} strings in every text, ${ALONE.length} of them alone`, async () => {
  await openScene();
  let shown = 0;
  for (const { text, format } of TRIALS) {
    hostile = text;
    for (const argv of COMMANDS) {
      const typed = argv.map((word) => (word === "PAGE" ? page : word));
      const { stdout, stderr } = await cli.run(...typed, "-o", format);
      expectHarmless(stdout);
      expectHarmless(stderr);
      shown += stdout.length;
    }
  }
  expect(shown).toBeGreaterThan(1_000_000);
});

it(`escapes the strings of a refusal: ${HOSTILE.length} strings, ${ALONE.length} of them alone`, async () => {
  await openScene();
  refusing = true;
  try {
    for (const { text, format } of TRIALS) {
      hostile = text;
      const { stdout, stderr, code } = await cli.run("forms", "list", "staffing/candidate", "-o", format, "--verbose");
      expect(code).toBe(9);
      expect(stdout).toBe("");
      expectHarmless(stderr);
    }
  } finally {
    refusing = false;
  }
});

it("prints the error of the server unchanged in JSON", async () => {
  await openScene();
  for (const text of HOSTILE) {
    hostile = text;
    const { json } = await cli.run("forms", "get", FORM, "--json");
    expect((json() as { config: { title: string } }).config.title).toBe(`Title${text}`);
  }
});
