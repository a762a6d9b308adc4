/** A program that fails: the tests on PostgreSQL are skipped, with the message as the reason. */

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { LIMIT_MS, reasonWithoutPostgres, runProgram } from "./postgres-programs.ts";
import { temporaryFolder } from "./temporary.ts";

const folder = temporaryFolder();
afterAll(folder.remove);
afterEach(() => void vi.useRealTimers());

const run = (command: string[], ready?: string) => runProgram(folder.path, command, ready);

it("reports the last output of a program that fails", async () => {
  const command = ["sh", "-c", "echo the disk is full >&2; exit 3"];
  for (const ready of [undefined, "ready"])
    await expect(run(command, ready)).rejects.toThrow("sh ended with code 3:\nthe disk is full");
});

it("reports a program that ends before it is ready", async () => {
  await expect(run(["true"], "ready")).rejects.toThrow("true ended with code 0");
});

it("reports a program that can't be executed", async () => {
  const program = join(folder.path, "program");
  writeFileSync(program, "");
  chmodSync(program, 0o644);
  await expect(run([program])).rejects.toThrow(`program can't run: spawn ${program} EACCES`);
});

it.each([
  [undefined, "end"],
  ["ready", "start"],
])("reports a program that hangs, and ends it (%s)", async (ready, action) => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const hanging = run(["sleep", "100"], ready);
  vi.advanceTimersByTime(LIMIT_MS);
  await expect(hanging).rejects.toThrow(`sleep did not ${action} in time`);
});

it("names the package of a version that is not installed", () => {
  expect(reasonWithoutPostgres(9)).toMatch(/^no PostgreSQL 9: the package postgres-9-\w+-\w+ is not installed$/);
});
