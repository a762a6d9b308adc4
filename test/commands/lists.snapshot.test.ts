/** Tests the output of every list, `plan`, `status` and diagnostics on terminals of 40, 80 and 200 columns. */

import { join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { Cli } from "./cli.ts";
import { openSnapshotScene } from "./snapshot-scene.ts";

const OBJECT = "staffing/candidate";
const PROFILE = `${OBJECT}/Candidate profile`;
const INTAKE = `${OBJECT}/Candidate intake`;

// `config path` is missing, because its column widths depend on the path of the home folder.
const LINES: string[][] = [
  ["forms", "list", OBJECT],
  ["forms", "list", "compliance/document_check"],
  ["forms", "available", OBJECT],
  ["forms", "get", PROFILE],
  ["forms", "defaults", "show", OBJECT],
  ["forms", "access", "show", PROFILE],
  ["layouts", "list"],
  ["layouts", "get", PROFILE],
  ["layouts", "surfaces"],
  ["layouts", "versions", "list", PROFILE],
  ["layouts", "versions", "get", "staffing/placement/Placement desk", "draft"],
  ["layouts", "versions", "diff", "staffing/placement/Placement desk", "latest", "draft"],
  ["currencies", "list", "--search", "dollar"],
  ["local", "show"],
  ["local", "tokens", "list"],
  ["local", "uploads", "list", INTAKE],
  ["local", "log", "--limit", "8"],
  ["config", "list"],
  ["profiles", "list"],
  ["help", "exit-codes"],
  ["validate", "invalid"],
  ["plan", "manifests"],
  ["status", "manifests"],
];
const WIDTHS = [40, 80, 200];

async function printed(cli: Cli, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await cli.run(...words);
  return stdout + (stderr === "" ? "" : `--- stderr\n${stderr}`);
}

async function printAll(cli: Cli): Promise<string> {
  let all = "";
  for (const words of LINES) {
    const line = words.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ");
    all += `$ formctl ${line}\n${await printed(cli, words)}\n`;
  }
  return all.replaceAll("\u001B", "␛").replaceAll(cli.home, "/home/ana");
}

describe.each(WIDTHS)("a terminal of %i columns", (columns) => {
  const file = (name: string) => join(import.meta.dirname, "snapshots", `lists-${columns}${name}.txt`);

  it("shows lists that fit, with and without colors", async () => {
    const cli = await openSnapshotScene();
    Object.assign(cli, { columns, errIsTTY: true });
    const colored = await printAll(cli);
    cli.env["NO_COLOR"] = "1";
    const plain = await printAll(cli);
    await expect(plain).toMatchFileSnapshot(file(""));
    await expect(colored).toMatchFileSnapshot(file("-color"));
    expect(colored.replaceAll(/␛\[[\d;]*m/g, "")).toBe(plain);
    expect(colored).toContain("␛[1m");
    expect(plain).not.toContain("␛");

    const tables = plain.split("$ formctl ").filter((text) => /^(forms|layouts|local|profiles) .*list/.test(text));
    expect(tables.length).toBeGreaterThan(5);
    const lines = tables.flatMap((text) => text.split("--- stderr")[0]!.split("\n").slice(1));
    expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
  });
});
