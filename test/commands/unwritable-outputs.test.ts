/** Tests that each command has the same exit code for an output file that it can't write. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { allCommands } from "./all-commands.ts";
import { openManifestsScene } from "./manifests-scene.ts";

const CANDIDATE = "staffing/candidate/Profile";

/** The command lines, which a path follows. `STORE` is the store. */
const LINES = [
  "plan manifests --out",
  "plan manifests --html",
  "validate manifests --format sarif --out",
  "promote --from STORE#northwind --to STORE#contoso staffing/candidate --out",
  "migrate plan --out",
  `layouts preview manifests --out`,
  `layouts draft scaffold ${CANDIDATE} --out`,
  "layouts preview manifests --html",
  `layouts draft scaffold ${CANDIDATE} --into`,
  "schema Form --into",
  "export staffing/candidate --into",
  "init --demo --into",
  "local init --demo --into",
  "local backup",
];

it.each(LINES)("formctl %s reports a path that can't be written with exit code 1", async (line) => {
  const { cli } = await openManifestsScene("a local store");
  cli.file("migrations/20260101-0000-titles.mjs", "export default { form: (form) => ({ ...form, config: null }) };\n");
  cli.file("taken", "a file in the place of a folder");
  const words = line.replaceAll("STORE", join(cli.home, "local.db")).split(" ");
  const blocked = await cli.run(...words, join(cli.cwd, "taken/output"), "--json");
  expect(blocked).toMatchObject({ code: 1, stdout: "" });
  expect(blocked.error()).toMatchObject({ code: "FILE_UNWRITABLE", message: expect.stringContaining("can't write") });
});

it("covers each option that names an output file or folder", async () => {
  const options = (await allCommands()).flatMap(({ name, command }) =>
    Object.values(command.options)
      .filter(({ flags }) => /^--(?:out|html|into) </.test(flags))
      .map(({ flags }) => ({ name, flag: flags.split(" ")[0]! })),
  );
  const isCovered = ({ name, flag }: (typeof options)[number]) =>
    LINES.some((line) => line.startsWith(`${name} `) && line.endsWith(` ${flag}`));
  expect(options.filter((option) => !isCovered(option))).toEqual([]);
});
