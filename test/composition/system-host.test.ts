/** Signals that arrive while a command writes. */

import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { systemHost } from "../../src/composition/system-host.ts";

const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);

afterEach(() => exit.mockClear());
afterAll(() => exit.mockRestore());

it("counts the two signals of one Ctrl-C, which a parent process passes on, as one", async () => {
  const code = await systemHost().finish(async () => {
    process.emit("SIGINT");
    process.emit("SIGINT");
    return 0;
  });
  expect(code).toBe(130);
  expect(exit).not.toHaveBeenCalled();
});

it("ends the process at a second Ctrl-C", async () => {
  const code = await systemHost().finish(async () => {
    process.emit("SIGTERM");
    await setTimeout(250);
    process.emit("SIGINT");
    return 0;
  });
  expect(exit).toHaveBeenCalledWith(130);
  expect(code).toBe(143);
});
