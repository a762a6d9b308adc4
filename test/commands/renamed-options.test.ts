/** The former name of an option works for one version, and a note on stderr names the new one. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { helpText } from "../../src/commands/help-text.ts";
import { loadHelpPage } from "../../src/commands/help-page.ts";
import { longFlag } from "../../src/commands/invocation.ts";
import { allCommands } from "./all-commands.ts";
import { openManifestsScene } from "./manifests-scene.ts";

const LINES: Readonly<Record<string, string>> = {
  "layouts preview": "layouts preview manifests",
  "layouts draft scaffold": "layouts draft scaffold staffing/candidate/Profile",
};

const renamed = (await allCommands()).flatMap(({ name, command }) =>
  Object.values(command.options).flatMap(({ flags, former }) =>
    former === undefined ? [] : [[name, longFlag(former), longFlag(flags)] as const],
  ),
);

it("covers each option with a former name", () => {
  expect(renamed.map(([name]) => name).toSorted()).toEqual(Object.keys(LINES).toSorted());
});

it.each(renamed)("%s %s", async (name, former, flag) => {
  const { cli } = await openManifestsScene("a local store");
  expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
  const line = LINES[name]!.split(" ");
  const { code, stderr } = await cli.run(...line, former, "former.file");
  expect({ code, exists: existsSync(join(cli.cwd, "former.file")) }).toEqual({ code: 0, exists: true });
  expect(stderr).toContain(`warning: ${former} has a new name: ${flag}. Use ${flag} instead.\n`);
  const both = await cli.run(...line, former, "a.file", flag, "b.file");
  expect(both).toMatchObject({ code: 64, stdout: "" });
  expect(both.stderr).toContain(`${flag} and ${former} can't be combined`);
  const current = await cli.run(...line, flag, "current.file");
  expect(current.code).toBe(0);
  expect(current.stderr).not.toContain("new name");
  const help = helpText(await loadHelpPage(name.split(" ")), 100);
  expect(help).toContain(`${flag} <file>`);
  expect(help).not.toMatch(new RegExp(`${former} `));
});

it("names every output file --out, except the second file of a plan", async () => {
  const writers = (await allCommands()).flatMap(({ name, command }) =>
    Object.values(command.options)
      .filter(({ flags, about }) => flags.includes("<file>") && /^(Write|Save)/.test(about))
      .map(({ flags }) => `${name} ${longFlag(flags)}`),
  );
  expect(writers.filter((each) => !each.endsWith(" --out"))).toEqual(["plan --html"]);
});
