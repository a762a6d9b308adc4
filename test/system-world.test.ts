/** Signals that arrive while a command writes. */

import { setTimeout } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { systemWorld } from "../src/system-world.ts";

const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);

afterEach(() => exit.mockClear());

it("takes the two signals of one Ctrl-C, which a parent process passes on, for one", async () => {
  const code = await systemWorld().finish(async () => {
    process.emit("SIGINT");
    process.emit("SIGINT");
    return 0;
  });
  expect(code).toBe(130);
  expect(exit).not.toHaveBeenCalled();
});

it("stops at once at a second Ctrl-C", async () => {
  const code = await systemWorld().finish(async () => {
    process.emit("SIGTERM");
    await setTimeout(250);
    process.emit("SIGINT");
    return 0;
  });
  expect(exit).toHaveBeenCalledWith(130);
  expect(code).toBe(143);
});
