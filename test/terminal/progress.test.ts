import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startProgress, withProgress } from "../../src/terminal/progress.ts";
import { testTerminal, type TestTerminalOptions } from "./test-terminal.ts";

/** A terminal with the clock that the test advances. */
const clockedTerminal = (options: TestTerminalOptions = {}) => testTerminal({ now: () => new Date(), ...options });

describe("startProgress", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows nothing for work that ends within a second", () => {
    const terminal = clockedTerminal({ errIsTTY: true });
    const progress = startProgress(terminal, { label: "reading", total: 10 });
    vi.advanceTimersByTime(900);
    progress.stop();
    expect(terminal.stderr).toBe("");
  });

  it("shows nothing until the clock of the terminal advances, however long the work takes", () => {
    const terminal = testTerminal({ errIsTTY: true });
    const progress = startProgress(terminal, { label: "reading", total: 10 });
    vi.advanceTimersByTime(5000);
    progress.update(1);
    progress.stop();
    expect(terminal.stderr).toBe("");
  });

  it("draws a bar on a terminal, and removes it", () => {
    const terminal = clockedTerminal({ errIsTTY: true });
    const progress = startProgress(terminal, { label: "publishing", total: 4 });
    progress.update(2, "publishing b.yaml\u001B[2J");
    vi.advanceTimersByTime(1000);
    progress.stop();
    expect(terminal.stderr).toBe("[############............] 2/4 publishing b.yaml\\u001b[2J\r\u001B[K");
  });

  it("shows a spinner within the width when the total is unknown", () => {
    const terminal = clockedTerminal({ errIsTTY: true, columns: 12 });
    const progress = startProgress(terminal, { label: "reading many files" });
    vi.advanceTimersByTime(1100);
    progress.stop();
    expect(terminal.stderr).toBe("- reading…\r\u001B[K\\ reading…\r\u001B[K");
  });

  it("writes a line every few seconds to a log, and no line twice", () => {
    const terminal = clockedTerminal();
    const progress = startProgress(terminal, { label: "reading", total: 9 });
    progress.update(3);
    vi.advanceTimersByTime(11_500);
    progress.update(6);
    vi.advanceTimersByTime(5000);
    progress.stop();
    expect(terminal.stderr).toBe("reading: 3/9\nreading: 6/9\n");
  });

  it("is shown by updates of work that blocks the timer", () => {
    const terminal = clockedTerminal({ errIsTTY: true, columns: 60 });
    const progress = startProgress(terminal, { label: "seeding", total: 4 });
    progress.update(1);
    vi.setSystemTime(Date.now() + 2000);
    progress.update(2);
    progress.update(3);
    progress.stop();
    expect(terminal.stderr).toBe("[############............] 2/4 seeding\r\u001B[K");
  });

  it("is shown at once for work that is known to be long", () => {
    const terminal = clockedTerminal();
    const progress = startProgress(terminal, { label: "Copying the store", isLong: true });
    progress.stop();
    expect(terminal.stderr).toBe("Copying the store …\n");
  });

  it("is removed when the work fails", async () => {
    const terminal = clockedTerminal({ errIsTTY: true });
    const work = withProgress(terminal, { label: "copying", isLong: true }, () => Promise.reject(new Error("full")));
    await expect(work).rejects.toThrow("full");
    expect(terminal.stderr).toBe("| copying\r\u001B[K");
  });

  it("is silent with --quiet", () => {
    const terminal = clockedTerminal({ errIsTTY: true, quiet: true });
    const progress = startProgress(terminal, { label: "reading" });
    vi.advanceTimersByTime(5000);
    progress.update(1);
    progress.stop();
    expect(terminal.stderr).toBe("");
  });
});
