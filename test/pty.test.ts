/** The terminal of the tests fails if a program does not show what a test waits for. */

import { expect, it } from "vitest";
import { CTRL_C, ENTER, openPty, runInPty } from "./pty.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders();

const sh = (script: string) => ["sh", "-c", script];

it("types when the text appears, and returns the screen and the exit code", async () => {
  const outcome = await runInPty(sh("echo Name?; read name; echo Hello $name; exit 3"), { home: newFolder() }, [
    [/Name\?/, `Ana${ENTER}`],
  ]);
  expect(outcome).toMatchObject({ exitCode: 3, screen: "Name?\nAna\nHello Ana\n", stdout: "" });
});

it("separates stdout from the terminal", async () => {
  const options = { home: newFolder(), hasStdoutFile: true };
  const outcome = await runInPty(sh("echo result; echo message >&2"), options);
  expect(outcome).toMatchObject({ exitCode: 0, screen: "message\n", stdout: "result\n" });
});

it("reports the signal that ended the program as a negative number", async () => {
  const outcome = await runInPty(sh("echo ready; exec sleep 600"), { home: newFolder() }, [[/ready/, CTRL_C]]);
  expect(outcome.exitCode).toBe(-2);
});

it("fails with the screen if the program ends without the text, or shows it only before the previous wait", async () => {
  const never = runInPty(sh("echo other"), { home: newFolder() }, [[/text/, ENTER]]);
  await expect(never).rejects.toThrow(/ended with 0, and the terminal did not show \/text\/[^]*other/);
  const before = runInPty(sh("echo text; read line; echo other"), { home: newFolder() }, [
    [/text/, ENTER],
    [/text/, ENTER],
  ]);
  await expect(before).rejects.toThrow("did not show /text/");
});

it("returns the text since the program cleared the screen", async () => {
  const script = String.raw`echo old; printf '\033[2Jnew\n'; read line`;
  const pty = openPty(sh(script), { home: newFolder() });
  expect(await pty.shows(/new\n/)).toBe("new\n");
  await pty.close();
  expect(await pty.ended()).toMatchObject({ exitCode: -9 });
});
