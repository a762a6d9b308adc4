/** `formctl diff` compares servers and stores whose records have other ids. */

import { describe, expect, it } from "vitest";
import type { Difference } from "../../src/promotion/diff.ts";
import { applyTo, manifestsFor, openPromotionScene, type PromotionScene, referencesOf, succeeded } from "./scene.ts";

type Document = { exitCode: number; summary: Record<Difference["state"], number>; differences: Difference[] };

async function diff({ cli }: PromotionScene, ...words: string[]): Promise<Document> {
  const outcome = await cli.run("diff", ...words, "--detailed-exitcode", "-o", "json");
  if (outcome.stdout === "") throw new Error(outcome.stderr);
  const document = outcome.json() as Document;
  expect(document.exitCode).toBe(outcome.code);
  return document;
}

const states = ({ differences }: Document) =>
  Object.fromEntries(differences.map(({ address, state }) => [address, state]));

const bothWays = [
  ["staging", "production"],
  ["production", "staging"],
] as const;

describe("formctl diff", () => {
  it("finds no difference between servers with equal names and other ids, and finds one without the names", async () => {
    const scene = await openPromotionScene();
    await applyTo(scene, scene.staging);
    await applyTo(scene, scene.production);
    for (const [from, to] of bothWays) {
      const { exitCode, summary } = await diff(scene, "--from", from, "--to", to);
      expect({ exitCode, summary }).toEqual({
        exitCode: 0,
        summary: { onlyInFrom: 0, onlyInTo: 0, different: 0, equal: 3, unknown: 0 },
      });
    }

    scene.writeProject({});
    const unnamed = await diff(scene, "--from", "staging", "--to", "production");
    expect(unnamed.exitCode).toBe(2);
    expect(states(unnamed)).toEqual({
      "staffing/candidate/Profile": "different",
      "staffing/candidate/Intake": "equal",
      "CONTRACTOR/Card": "different",
    });
    const recruiter = scene.staging.organization.roles.find(({ key }) => key === "recruiter");
    const notes = unnamed.differences.flatMap((each) => each.notes).join("\n");
    expect(notes).toContain(`assignments.roles[0]: the role ${recruiter?.id} has no counterpart`);
  });

  it("reports what is only in one target, and what differs with the changes of the content", async () => {
    const scene = await openPromotionScene();
    await applyTo(scene, scene.staging);
    const manifests = manifestsFor(scene.production);
    const changed = manifests["profile.yaml"]!.replace("title: Candidate", "title: Person").replace(
      'help"',
      'support"',
    );
    const desk = manifests["intake.yaml"]!.replace("name: Intake", "name: Desk").replace("defaultFor: [CREATE]\n", "");
    await applyTo(scene, scene.production, {
      "profile.yaml": changed,
      "desk.yaml": desk,
      "board.yaml": manifests["card.yaml"]!.replace("name: Card", "name: Board"),
    });

    const document = await diff(scene, "--from", "staging", "--to", "production");
    expect(document.exitCode).toBe(2);
    expect(states(document)).toEqual({
      "staffing/candidate/Desk": "onlyInTo",
      "staffing/candidate/Intake": "onlyInFrom",
      "staffing/candidate/Profile": "different",
      "CONTRACTOR/Board": "onlyInTo",
      "CONTRACTOR/Card": "onlyInFrom",
    });
    const { changes } = document.differences.find(({ address }) => address.endsWith("Profile"))!;
    expect(changes).toEqual([
      { kind: "changed", path: "config.title", before: "Person", after: "Candidate" },
      {
        kind: "changed",
        path: "layout.blocks[2].config.url",
        id: "help",
        before: "https://staging.example/support",
        after: "https://staging.example/help",
      },
    ]);

    const text = await scene.cli.run("diff", "--from", "staging", "--to", "production", "staffing/candidate");
    expect(text.code).toBe(0);
    expect(text.stdout).toMatchInlineSnapshot(`
      "Differences from staging to production

      - only in production  form staffing/candidate/Desk

      + only in staging  form staffing/candidate/Intake

      ~ different  form staffing/candidate/Profile
          ~ config.title: "Person" → "Candidate"
          ~ layout.blocks[2].config.url (help): "https://staging.example/support" → "https://staging.example/help"

      1 only in staging, 1 only in production, 1 different; 0 equal
      "
    `);
    expect(text.stderr).toContain("Next: formctl promote --from staging --to production staffing/candidate");
  });

  it("compares one form, one layout, or one object", async () => {
    const scene = await openPromotionScene();
    await applyTo(scene, scene.staging);
    const ends = ["--from", "staging", "--to", "production"];
    expect(states(await diff(scene, ...ends, "staffing/candidate/Intake"))).toEqual({
      "staffing/candidate/Intake": "onlyInFrom",
    });
    expect(states(await diff(scene, ...ends, "CONTRACTOR/Card"))).toEqual({ "CONTRACTOR/Card": "onlyInFrom" });
    expect(states(await diff(scene, ...ends, "staffing/placement"))).toEqual({});
  });

  it("compares organizations of local stores, without a project file", async () => {
    const scene = await openPromotionScene();
    await applyTo(scene, scene.staging);
    await applyTo(scene, scene.production);
    scene.writeProject({});
    const from = `${scene.staging.store}#northwind`;
    expect((await diff(scene, "--from", from, "--to", `${scene.production.store}#northwind`)).summary).toEqual({
      onlyInFrom: 0,
      onlyInTo: 0,
      different: 0,
      equal: 3,
      unknown: 0,
    });
    // The other organization has none of the objects.
    const other = await diff(scene, "--from", from, "--to", `${scene.staging.store}#contoso`, "staffing/candidate");
    expect(states(other)).toEqual({
      "staffing/candidate/Profile": "onlyInFrom",
      "staffing/candidate/Intake": "onlyInFrom",
    });
  });

  it("leaves out what promote.keep keeps, except with --all", async () => {
    const scene = await openPromotionScene();
    await applyTo(scene, scene.staging);
    const changed = manifestsFor(scene.production)["profile.yaml"]!;
    await applyTo(scene, scene.production, {
      ...manifestsFor(scene.production),
      "profile.yaml": changed.replace("title: Candidate", "title: Person").replace('help"', 'support"'),
    });
    const keep = { "staffing/*": ["config.title", "layout.blocks[help].config.url"] };
    scene.writeProject({ references: referencesOf(scene.staging, scene.production), promote: { keep } });
    expect((await diff(scene, "--from", "staging", "--to", "production")).exitCode).toBe(0);
    const all = await diff(scene, "--from", "staging", "--to", "production", "--all");
    expect(all.summary.different).toBe(1);
  });

  it("refuses targets that it can't compare", async () => {
    const scene = await openPromotionScene();
    const { cli } = scene;
    const refusal = async (...words: string[]) => {
      const outcome = await cli.run("diff", ...words);
      expect(outcome.code).not.toBe(0);
      return outcome.stderr;
    };
    expect(await refusal("--from", "staging", "--to", "prodution")).toContain("Did you mean production?");
    expect(await refusal("--from", "staging", "--to", "missing.db")).toContain("missing.db");
    expect(await refusal("--from", "staging", "--to", "staging")).toContain("are the same organization");
    expect(await refusal("--from", "staging.db#northwind", "--to", "./staging.db#northwind")).toContain(
      "are the same organization",
    );
    expect(await refusal("--from", "staging", "--to", "production", "--profile", "staging")).toContain(
      "--profile can't be used with --from and --to",
    );
    expect(await refusal("--from", "staging")).toContain("missing option --to");
    expect(await refusal("--from", "staging#northwind", "--to", "production")).toContain("Remove #northwind.");
    await succeeded(cli.run("auth", "logout", "--profile", "staging"));
    cli.env["FORMCTL_TOKEN"] = scene.staging.token;
    const noToken = await refusal("--from", "staging", "--to", "production");
    expect(noToken).toContain("formctl auth login --profile staging, or add --from-token-file FILE");
    delete cli.env["FORMCTL_TOKEN"];
    cli.file("token.txt", scene.staging.token);
    const withFile = await cli.run("diff", "--from", "staging", "--to", "production", "--from-token-file", "token.txt");
    expect(withFile.code).toBe(0);
  });
});
