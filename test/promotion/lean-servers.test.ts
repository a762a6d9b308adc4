/** Promotions over a socket, to and from servers with fewer members than ours or with other shapes. */

import { describe, expect, it } from "vitest";
import { type Shape, SHAPES } from "../proxy/manners.ts";
import { type Manner, openProxy, refusal } from "../proxy/proxy.ts";
import { applyTo, openPromotionScene, referencesOf, succeeded } from "./scene.ts";

/** Text that no output may contain. */
const NONSENSE = /undefined|NaN|\[object Object\]|internal error/;

/** A scene in which the profile `production` is a lean server in front of the store of production. */
async function openLeanScene(shape: Shape, manner: Manner = {}) {
  const scene = await openPromotionScene();
  const { cli, staging, production } = scene;
  const { url } = await openProxy(production.url, { ...manner, manners: [SHAPES[shape]()] });
  await succeeded(cli.run("profiles", "add", "production", "--base-url", url, "--yes"));
  cli.file("token.txt", production.token);
  await succeeded(cli.run("auth", "login", "--profile", "production", "--token-file", "token.txt"));
  scene.writeProject({ references: referencesOf(staging, production) });
  const type = async (...words: string[]) => {
    const outcome = await cli.run(...words);
    for (const text of [outcome.stdout, outcome.stderr]) expect(text).not.toMatch(NONSENSE);
    return outcome;
  };
  return { ...scene, type };
}

/** What each server does not show. */
const HIDDEN: Record<Shape, { summary: object; aspects: string[]; notes: string[] }> = {
  documented: {
    summary: { equal: 0, unknown: 2 },
    aspects: ["content can't be read", "defaultFor can't be read"],
    notes: ["CONTRACTOR/Card: production lists no layouts"],
  },
  live: { summary: { equal: 2, unknown: 1 }, aspects: ["metadata can't be read"], notes: [] },
};

describe.each(Object.keys(SHAPES) as Shape[])("a server of the shape %s", (shape) => {
  it("is promoted to, and a second promotion finds no changes", async () => {
    const scene = await openLeanScene(shape);
    const { type, staging, production } = scene;
    await applyTo(scene, staging);
    const ends = ["--from", "staging", "--to", "production"];
    expect((await succeeded(type("promote", ...ends, "--yes"))).stdout).toContain("3 created.");
    expect((await succeeded(type("promote", ...ends, "--yes"))).stdout).toContain("No changes: ");
    // The store behind the server has everything.
    const stores = ["--from", `${staging.store}#northwind`, "--to", `${production.store}#northwind`];
    const diff = await type("diff", ...stores, "-o", "json");
    expect(diff.json()).toMatchObject({ summary: { onlyInFrom: 0, onlyInTo: 0, different: 0, equal: 3 } });

    // Without the lock, members that a server does not show count as unknown.
    const { summary, aspects, notes } = HIDDEN[shape];
    const compared = await type("diff", ...ends, "--detailed-exitcode", "-o", "json");
    expect(compared.json()).toMatchObject({ exitCode: 0, notes, summary: { onlyInFrom: 0, different: 0, ...summary } });
    const { differences } = compared.json() as { differences: { notes: string[] }[] };
    expect([...new Set(differences.flatMap((each) => each.notes))]).toEqual(aspects);
  });
});

it("asks about a layout whose creation was not answered, on a server without a list of layouts", async () => {
  let loses = true;
  const scene = await openLeanScene("documented", {
    answer: (_reply, { method, path }) =>
      loses && method === "POST" && path === "/v1/view-layouts" ? refusal(504) : undefined,
  });
  const { type, staging } = scene;
  await applyTo(scene, staging);
  const command = ["promote", "--from", "staging", "--to", "production", "CONTRACTOR/Card"];
  const unanswered = await type(...command, "--yes");
  expect(unanswered.code).toBe(7);
  loses = false;
  const again = await type(...command, "--yes");
  expect(again.code).toBe(6);
  const line = /formctl promote --from staging --to production CONTRACTOR\/Card --not-created "(CONTRACTOR\/Card@\S+)"/;
  const [, answer] = line.exec(again.stderr) ?? [];
  expect(answer).toBeDefined();
  const repeated = await succeeded(type(...command, "--yes", "--not-created", answer!));
  expect(repeated.stdout).toContain("1 created.");
});

describe("a promotion from", () => {
  it("the live server copies everything", async () => {
    const scene = await openLeanScene("live");
    const { type, production, staging } = scene;
    await applyTo(scene, production);
    await succeeded(type("promote", "--from", "production", "--to", "staging", "--yes"));
    const stores = ["--from", `${production.store}#northwind`, "--to", `${staging.store}#northwind`];
    const diff = await type("diff", ...stores, "staffing/candidate", "-o", "json");
    expect(diff.json()).toMatchObject({ summary: { onlyInFrom: 0, onlyInTo: 0, different: 0, equal: 2 } });
  });

  it("the documented server needs the objects, and reports what the server does not show", async () => {
    const scene = await openLeanScene("documented");
    const { type, production, staging } = scene;
    await applyTo(scene, production);
    const ends = ["--from", "production", "--to", "staging"];
    for (const command of ["promote", "diff"]) {
      const whole = await type(command, ...ends);
      expect(whole.code).toBe(64);
      expect(whole.stderr).toContain(
        "missing argument OBJECT: production lists no layouts, so its objects are unknown",
      );
    }
    const promoted = await succeeded(type("promote", ...ends, "staffing/candidate", "--yes"));
    expect(promoted.stderr).toContain("Profile: the server does not show the published version: the layout is omitted");
    expect(promoted.stderr).toContain("Profile: the server does not show default forms: defaultFor is omitted");
    const stores = ["--from", `${production.store}#northwind`, "--to", `${staging.store}#northwind`];
    const diff = await type("diff", ...stores, "staffing/candidate", "-o", "json");
    const { differences } = diff.json() as { differences: { address: string; changes: { path: string }[] }[] };
    expect(differences.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual([
      "layout",
      "defaultFor",
      "layout",
      "defaultFor",
    ]);
  });
});
