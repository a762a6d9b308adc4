/** Tests that each command has the same exit code for an output file that it can't write. */

import { expect, it } from "vitest";
import { openManifestsScene } from "./manifests-scene.ts";

const CANDIDATE = "staffing/candidate/Profile";

it.each([
  "plan manifests --out",
  "plan manifests --html",
  "validate manifests --format sarif --out",
  "layouts preview manifests --html",
  `layouts draft scaffold ${CANDIDATE} --into`,
  "schema Form --into",
])("formctl %s reports a path that can't be written with exit code 1", async (line) => {
  const { cli } = await openManifestsScene("a local store");
  cli.file("taken", "a file in the place of a folder");
  const blocked = await cli.run(...line.split(" "), "taken/output", "--json");
  expect(blocked).toMatchObject({ code: 1, stdout: "" });
  expect(blocked.error()).toMatchObject({ code: "FILE_UNWRITABLE", message: expect.stringContaining("can't write") });
});
