import { describe, expect, it } from "vitest";
import { coloured, plain, wantsColour } from "../../src/terminal/style.ts";

describe("wantsColour", () => {
  it.each<[boolean | undefined, Record<string, string>, boolean, boolean]>([
    [undefined, {}, true, true],
    [undefined, {}, false, false],
    [true, { NO_COLOR: "1", TERM: "dumb" }, false, true],
    [false, { FORCE_COLOR: "1" }, true, false],
    [undefined, { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [undefined, { NO_COLOR: "" }, true, true],
    [undefined, { FORCE_COLOR: "1", CLICOLOR: "0", TERM: "dumb" }, false, true],
    [undefined, { FORCE_COLOR: "" }, false, true],
    [undefined, { FORCE_COLOR: "0", CLICOLOR_FORCE: "1" }, true, false],
    [undefined, { CLICOLOR_FORCE: "1", CLICOLOR: "0" }, false, true],
    [undefined, { CLICOLOR_FORCE: "0" }, true, true],
    [undefined, { CLICOLOR: "0" }, true, false],
    [undefined, { CLICOLOR: "1" }, false, false],
    [undefined, { TERM: "dumb" }, true, false],
  ])("with flag %j, %j and a terminal %j is %j", (flag, env, isTTY, expected) => {
    expect(wantsColour(flag, env, () => isTTY)).toBe(expected);
  });
});

describe("styles", () => {
  it("wrap text in the codes of ECMA-48, or leave it unchanged", () => {
    expect(coloured.bold(coloured.red("x"))).toBe("\u001B[1m\u001B[31mx\u001B[39m\u001B[22m");
    expect(coloured.dim("")).toBe("");
    expect(plain.bold("x")).toBe("x");
  });
});
