import { printPaged } from "../../src/terminal/held-output.ts";
import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testTerminal } from "./test-terminal.ts";
import { unwritableOutput, writeAll } from "../../src/terminal/descriptors.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });

/**
 * Text in a log that an agent of Azure or GitHub would execute as a command. The agents may end lines at different
 * characters.
 */
const OBEYED = new RegExp(String.raw`(?:^|[\r\n])(?:\s|\u0085|\u001B\[\d*m)*::|##\[|##vso\[`, "i");
const COMMANDS = [
  "::error::x",
  "  ::add-mask::x",
  "\u00A0::x",
  "\u0085::x",
  "a\r::set-output name=x::y",
  "a\r\n\t::x",
  "\u001B[31m::error::x",
  "##vso[task.setvariable variable=x]y",
  "a ##VSO[task.complete]",
  "###vso[a]",
  "####[group]",
  "a\n::x\n::y",
];

describe("commands for CI services", () => {
  it.each(COMMANDS)("reach neither stream: %j", (text) => {
    expect(text).toMatch(OBEYED);
    for (const outIsTTY of [false, true]) {
      const terminal = testTerminal({ outIsTTY, errIsTTY: outIsTTY });
      terminal.out(`${text}\n`);
      terminal.err(`${text}\n`);
      terminal.hint(text);
      terminal.warn(text);
      terminal.status(text);
      expect(terminal.stdout).not.toMatch(OBEYED);
      expect(terminal.stderr).not.toMatch(OBEYED);
    }
  });

  it("are found in a line that is written in parts", () => {
    fc.assert(
      fc.property(fc.constantFrom(...COMMANDS), fc.array(fc.nat(12)), fc.string(), (command, cuts, before) => {
        const terminal = testTerminal();
        const text = `${before}\n${command}`;
        let from = 0;
        for (const length of [...cuts, text.length]) {
          terminal.out(text.slice(from, from + length));
          terminal.err(text.slice(from, from + length));
          from += length;
        }
        expect(terminal.stdout).not.toMatch(OBEYED);
        expect(terminal.stderr).not.toMatch(OBEYED);
      }),
    );
  });

  it("of formctl itself are kept, except for those in their texts", () => {
    const terminal = testTerminal();
    terminal.out("::error file=a.yaml::##vso[x] y\n", { mayCommand: true });
    expect(terminal.stdout).toBe("::error file=a.yaml::#\\u0023vso[x] y\n");
  });

  it("do not change other text", () => {
    const terminal = testTerminal();
    const text = "a::b\n: :\n## vso[\n  - ::x\n#[x]\n";
    terminal.out(text);
    expect(terminal.stdout).toBe(text);
  });
});

describe("a stderr that can't be written", () => {
  it("loses only the output to stderr", () => {
    const terminal = testTerminal({ errFails: unwritableOutput(failure("ENOSPC")) });
    terminal.err("talk\n");
    terminal.hint("hint");
    terminal.warn("warning");
    terminal.out("answer\n");
    expect(terminal.stdout).toBe("answer\n");
  });
});

describe("a terminal", () => {
  it("prints results to stdout and messages to stderr", () => {
    const terminal = testTerminal();
    terminal.out("answer\n");
    terminal.hint("next: publish it");
    terminal.warn("one is old");
    expect(terminal.stdout).toBe("answer\n");
    expect(terminal.stderr).toBe("next: publish it\nwarning: one is old\n");
  });

  it("wraps a line of stdout between words on a terminal, and never in a pipe", () => {
    const text = "Saved draft ver_1 (version 3): invalid.";
    const terminal = testTerminal({ outIsTTY: true, columns: 30 });
    terminal.line(text);
    expect(terminal.stdout).toBe("Saved draft ver_1 (version 3):\n  invalid.\n");
    const pipe = testTerminal({ columns: 30 });
    pipe.line(text);
    expect(pipe.stdout).toBe(`${text}\n`);
  });

  it("keeps the order of a result that is held for the pager", async () => {
    const pages: string[] = [];
    const showInPager = async (text: string) => pages.push(text) > 0;
    const terminal = testTerminal({ outIsTTY: true, rows: 3, columns: 30, showInPager });
    await printPaged(terminal, (screen) => {
      screen.line("Plan for the local store /tmp/local.db");
      screen.out("~ update form\n");
      screen.line("1 to change");
    });
    expect(pages).toEqual(["Plan for the local store\n  /tmp/local.db\n~ update form\n1 to change\n"]);
    expect(terminal.stdout).toBe("");
  });

  it("prints warnings but no hints when it is quiet", () => {
    const terminal = testTerminal({ quiet: true, errIsTTY: true, color: false });
    terminal.hint("next: publish it");
    terminal.status("working");
    terminal.warn("one is old");
    expect(terminal.stderr).toBe("warning: one is old\n");
  });

  it("decides about colours separately for each stream", () => {
    const terminal = testTerminal({ errIsTTY: true });
    expect(terminal.style.red("x")).toBe("x");
    expect(terminal.errStyle.red("x")).toBe("\u001B[31mx\u001B[39m");
  });

  it("has a width only for a terminal", () => {
    expect(testTerminal({ columns: 40 }).width).toBe(Infinity);
    expect(testTerminal({ columns: 40, outIsTTY: true }).width).toBe(40);
    expect(testTerminal({ outIsTTY: true, errIsTTY: true })).toMatchObject({ width: 80, errWidth: 80 });
  });

  it("removes the status line before other output", () => {
    const terminal = testTerminal({ errIsTTY: true, color: false });
    terminal.status("1 of 2");
    terminal.status("2 of 2");
    terminal.hint("done");
    terminal.status("");
    expect(terminal.stderr).toBe("1 of 2\r\u001B[K2 of 2\r\u001B[Kdone\n");
  });

  it("has no status line when stderr is not a terminal", () => {
    const terminal = testTerminal();
    terminal.status("1 of 2");
    expect(terminal.stderr).toBe("");
  });

  it("escapes control characters for a terminal, and writes every byte to a file", () => {
    const screen = testTerminal({ outIsTTY: true });
    screen.out("a\u001B[2Jb\n");
    screen.err("c\u001B[2Jd\n");
    expect(screen.stdout).toBe("a\\u001b[2Jb\n");
    expect(screen.stderr).toBe("c\\u001b[2Jd\n");
    const file = testTerminal();
    file.out("a\u200Db\n");
    expect(file.stdout).toBe("a\u200Db\n");
  });

  it("stops writing when the reader of stdout has closed the pipe", () => {
    const terminal = testTerminal({ closeAfter: 1 });
    terminal.out("one\n");
    expect(terminal.closed).toBe(false);
    terminal.out("two\n");
    terminal.out("three\n");
    terminal.err("still here\n");
    expect(terminal).toMatchObject({ stdout: "one\n", stderr: "still here\n", closed: true });
  });
});

describe("writeAll", () => {
  it("continues after a partial write, and waits for a full pipe", () => {
    let written = "";
    let calls = 0;
    const open = writeAll(1, "häßlich", (_fd, bytes, offset) => {
      if (++calls % 2 === 0) throw failure("EAGAIN");
      written += Buffer.from(bytes.subarray(offset, offset + 1)).toString("latin1");
      return 1;
    });
    expect(open).toBe(true);
    expect(Buffer.from(written, "latin1").toString()).toBe("häßlich");
  });

  it("returns false for a closed pipe", () => {
    const write = () => {
      throw failure("EPIPE");
    };
    expect(writeAll(1, "x", write)).toBe(false);
  });

  it("throws any other error", () => {
    const write = () => {
      throw failure("ENOSPC");
    };
    expect(() => writeAll(1, "x", write)).toThrow("ENOSPC");
  });
});

describe("the system's terminal", () => {
  const module = new URL("../../src/terminal/terminal.ts", import.meta.url).href;
  const program = `
    import { systemTerminal } from ${JSON.stringify(module)};
    const terminal = systemTerminal({ env: {} });
    terminal.out("0123456789abcde\\n".repeat(131072));
    terminal.err(JSON.stringify({ closed: terminal.closed, width: terminal.width === Infinity }) + "\\n");
  `;
  const run = (pipe: string) =>
    execFileSync("sh", ["-c", `"$NODE" --input-type=module -e "$PROGRAM" 2>&3 | ${pipe}`], {
      env: { ...process.env, NODE: process.execPath, PROGRAM: program },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      encoding: "utf8",
    });

  it("writes two megabytes into a slow pipe without losing any", () => {
    expect(run("{ sleep 0.2; wc -c; }").trim()).toBe(String(16 * 131_072));
  });

  it("ends quietly when the pipe is closed", () => {
    expect(run("head -1")).toBe("0123456789abcde\n");
  });
});
