/** Tests the commands in the README of the example's manifests. They apply the manifests to `formctl serve`. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { emptyHome, ROOT, shell } from "./program.ts";

const NORTHWIND = join("examples", "northwind");

it("creates everything on a server, and a second plan is empty", async () => {
  const home = emptyHome();
  const cwd = join(home, "work");
  cpSync(join(ROOT, NORTHWIND), join(cwd, NORTHWIND), { recursive: true });
  const port = String(await freePort());
  const settings = join(cwd, NORTHWIND, "formctl.yaml");
  writeFileSync(settings, readFileSync(settings, "utf8").replaceAll("8080", port));

  const readme = readFileSync(join(ROOT, NORTHWIND, "manifests", "README.md"), "utf8");
  const block = [...readme.matchAll(/^```\n([^]*?)^```$/gm)]
    .map(([, text]) => text!)
    .find((text) => text.includes("serve"))!;
  const script = block
    .replaceAll("8080", port)
    // Waits until the server answers. The end of the script stops the server.
    .replace(
      /^(formctl serve .*) &$/m,
      `$1 -o json > ready.txt & SERVER=$!; trap 'kill $SERVER; wait $SERVER || true' EXIT; until [ -s ready.txt ]; do sleep 0.1; done`,
    );
  const { code, stdout, stderr } = await shell(
    `set -e\n${script}\nformctl plan --profile northwind --detailed-exitcode`,
    { home, cwd },
  );
  expect({ code, stderr: stderr.includes("error") ? stderr : "" }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`Applied to http://127.0.0.1:${port}, profile northwind: 9 created.`);
  expect(stdout).toContain("0 to create, 0 to change, 0 to delete; 9 in sync");
});
