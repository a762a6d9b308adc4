/** The requests that plan and apply send to a server: no list, record or version is read more often than necessary. */

import { join } from "node:path";
import { expect, it } from "vitest";
import type { Cli } from "./cli.ts";
import { layoutText, openManifestsScene } from "./manifests-scene.ts";
import { openRecordingScene } from "./recording-scene.ts";

const NAMES = ["One", "Two", "Three"];

function writeForms(cli: Cli, ...fields: string[]): void {
  for (const name of NAMES) {
    cli.file(join("new", `${name}.layout.yaml`), layoutText(...fields));
    cli.file(
      join("new", `${name}.yaml`),
      `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [VIEW]\nlayout: ./${name}.layout.yaml\n`,
    );
  }
}

/** Returns the number of requests for each method and path. Ids are replaced by `ID`. */
function countsOf(requests: readonly { method: string; path: string }[]): Record<string, number> {
  const texts = requests.map(({ method, path }) => {
    const [name = ""] = path.replace("/v1/custom-modules/staffing/objects/candidate", "").split("?");
    return `${method} ${name.replace(/(frm|lay|ver)_\w+/, "ID").replace("/v1/view-layouts", "")}`;
  });
  return Object.fromEntries([...Map.groupBy(texts, (text) => text)].map(([text, same]) => [text, same.length]));
}

/** Runs a command line that succeeds. @returns the counts of its requests, as described at `countsOf` */
async function requestsOf(cli: Cli, ...words: string[]): Promise<Record<string, number>> {
  const { code, stderr } = await cli.run(...words, "--verbose");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const sent = stderr.matchAll(/^(GET|POST|PUT|PATCH|DELETE) (\/v1\/\S+) \d+ /gm);
  return countsOf([...sent].map(([, method = "", path = ""]) => ({ method, path })));
}

it("sends each write of an apply, two lists for each object, and one list of versions for each layout", async () => {
  const { cli } = await openManifestsScene("a server");
  writeForms(cli, "full_name");
  expect(await requestsOf(cli, "apply", "new", "--yes")).toEqual({
    "GET /forms": 2,
    "POST /forms": 3,
    "GET /ID/versions": 3,
    "PUT /ID/draft": 3,
    "POST /ID/publish": 3,
  });
  expect(await requestsOf(cli, "plan", "new")).toEqual({ "GET /forms": 1, "GET /ID/versions": 3 });
  writeForms(cli, "full_name", "email");
  expect(await requestsOf(cli, "apply", "new", "--yes")).toEqual({
    "GET /forms": 1,
    "GET /ID/versions": 3,
    "PUT /ID/draft": 3,
    "POST /ID/publish": 3,
  });
});

it("reads each created form on a server that does not report replays", async () => {
  const { cli, received } = await openRecordingScene();
  writeForms(cli, "full_name");
  const { code, stderr } = await cli.run("apply", "new", "--yes");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(countsOf(received.map(({ method, url }) => ({ method, path: url })))).toMatchObject({
    "GET /forms": 2,
    "POST /forms": 3,
    "GET /forms/ID": 3,
  });
});

it("reads no versions of a created form without a layout in its manifest", async () => {
  const { cli } = await openManifestsScene("a server");
  cli.file("new.yaml", "kind: Form\nobject: staffing/candidate\nname: One\ntypes: [VIEW]\n");
  expect(await requestsOf(cli, "apply", "new.yaml", "--yes")).toEqual({ "GET /forms": 2, "POST /forms": 1 });
});
