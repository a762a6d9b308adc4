import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readDocuments } from "../../src/documents/document.ts";
import { refusal } from "./answer.ts";

const folder = new URL("../fixtures/yaml/", import.meta.url);

function filesIn(kind: "good" | "bad"): string[] {
  return readdirSync(new URL(kind, folder)).filter((name) => /\.(yaml|json)$/.test(name));
}

function bytesOf(kind: "good" | "bad", name: string): Buffer {
  return readFileSync(new URL(`${kind}/${name}`, folder));
}

/** Formats problems like a .problems fixture: `line:column CODE message (path)` for each problem. */
function problemsOf(bytes: Uint8Array, name: string): string {
  return refusal(bytes, name)
    .problems.map(
      ({ line, column, code, message, path }) => `${line}:${column} ${code} ${message}${path ? ` (${path})` : ""}\n`,
    )
    .join("");
}

describe("reading files", () => {
  it.each(filesIn("good"))("reads %s", (name) => {
    const documents = readDocuments(bytesOf("good", name), name);
    const expected: unknown = JSON.parse(readFileSync(new URL(`good/${name}.values`, folder), "utf8"));
    expect(documents.map(({ value }) => value)).toEqual(expected);
  });

  it.each(filesIn("bad"))("reports every problem of %s with its position", (name) => {
    const expected = readFileSync(new URL(`bad/${name}.problems`, folder), "utf8");
    expect(problemsOf(bytesOf("bad", name), name)).toBe(expected);
  });
});
