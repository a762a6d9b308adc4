/** Tests `formctl layouts versions` and `draft show` through command lines. */

import { beforeEach, describe, expect, it } from "vitest";
import { needToReplace } from "../../src/commands/layouts/draft-comparison.ts";
import type { Change } from "../../src/schemas/content-diff.ts";
import type { LayoutVersion } from "../../src/schemas/layout.ts";
import type { Cli } from "./cli.ts";
import {
  DESK,
  droppingPayRate,
  fixture,
  newPage,
  openScene,
  PROFILE,
  publishTwice,
  withoutMutationId,
} from "./layouts-scene.ts";

let cli: Cli;
beforeEach(async () => {
  cli = await openScene();
  await publishTwice(cli);
});

const versions = async () =>
  (await cli.run("layouts", "versions", "list", PROFILE, "--json")).json() as LayoutVersion[];

describe("layouts versions list", () => {
  it("lists the newest first, including the draft", async () => {
    cli.file("a3.yaml", withoutMutationId(fixture("candidate-profile.yaml")));
    await cli.run("layouts", "draft", "push", PROFILE, "a3.yaml");
    const { code, stdout } = await cli.run("layouts", "versions", "list", PROFILE);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^VERSION +ID +STATUS .*\n +3 +ver_\w+ +DRAFT .*\n +2 +ver_\w+ +PUBLISHED .*\n +1 +ver_\w+ +ARCHIVED .*\n$/,
    );
    expect((await versions()).map(({ version, status }) => [version, status])).toEqual([
      [3, "DRAFT"],
      [2, "PUBLISHED"],
      [1, "ARCHIVED"],
    ]);
  });

  it("refuses a missing layout", async () => {
    expect((await cli.run("layouts", "versions", "list", "lay_none")).code).toBe(5);
  });
});

describe("layouts versions get", () => {
  it.each(["1", "latest"])("shows a version by %s as an outline", async (version) => {
    const { code, stdout } = await cli.run("layouts", "versions", "get", PROFILE, version);
    expect(code).toBe(0);
    expect(stdout).toMatch(/REGION \/ BLOCK +TYPE +SHOWS/);
    expect(stdout).toMatch(/\n {4}sec_skills +section +Skills and level/);
    expect(stdout).toMatch(/\n {6}f_skills +field +skills +Skills/);
    expect(stdout).toMatch(/rate_guard +fieldReadonly/);
  });

  it("shows the same version by id, number and keyword", async () => {
    const [latest] = await versions();
    for (const version of [latest!.id, "2", "latest"]) {
      const { json } = await cli.run("layouts", "versions", "get", PROFILE, version, "--json");
      expect(json()).toEqual(latest);
    }
  });

  it("lists the existing versions when the requested one is missing", async () => {
    const { code, stderr } = await cli.run("layouts", "versions", "get", PROFILE, "9");
    expect(code).toBe(5);
    expect(stderr).toContain("2 (published), 1 (archived)");
    expect((await cli.run("layouts", "versions", "get", PROFILE, "draft")).code).toBe(5);
    expect((await cli.run("layouts", "versions", "get", PROFILE, "no such")).code).toBe(64);
  });
});

describe("layouts versions diff", () => {
  it("shows what changed, by block", async () => {
    const { code, stdout } = await cli.run("layouts", "versions", "diff", PROFILE, "1", "2");
    expect(code).toBe(0);
    expect(stdout).toBe('~ blocks[3].config.label (tab_notes): "Notes" → "Remarks"\n');
    const { json } = await cli.run("layouts", "versions", "diff", PROFILE, "2", "1", "--json");
    expect(json() as Change[]).toEqual([
      { kind: "changed", path: "blocks[3].config.label", id: "tab_notes", before: "Remarks", after: "Notes" },
    ]);
  });

  it("compares the newest published version with the draft by default", async () => {
    const restored = await cli.run("layouts", "versions", "restore", PROFILE, "1");
    expect(restored.code).toBe(0);
    const explicit = await cli.run("layouts", "versions", "diff", PROFILE, "latest", "draft");
    expect(explicit.stdout).toContain("Remarks");
    expect((await cli.run("layouts", "versions", "diff", PROFILE)).stdout).toBe(explicit.stdout);
    expect((await cli.run("layouts", "versions", "diff", PROFILE, "latest")).stdout).toBe(explicit.stdout);
    expect((await cli.run("layouts", "versions", "diff", PROFILE, "1")).stderr).toContain("the same content");
  });

  it("reports that two versions have the same content", async () => {
    const { code, stdout, stderr } = await cli.run("layouts", "versions", "diff", PROFILE, "latest", "2");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe("The versions have the same content.\n");
  });
});

describe("layouts versions restore", () => {
  it("copies a version into the draft, and publishes nothing", async () => {
    const { code, stdout, stderr } = await cli.run("layouts", "versions", "restore", PROFILE, "1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Restored ver_\w+ as draft ver_\w+ \(version 3\): valid\.\n$/);
    expect(stderr).not.toContain("replaced");
    expect((await cli.run("layouts", "versions", "diff", PROFILE, "1", "draft")).stdout).toBe("");
    expect((await versions()).map(({ status }) => status)).toEqual(["DRAFT", "PUBLISHED", "ARCHIVED"]);
  });

  it("reports the replaced draft", async () => {
    const first = await cli.run("layouts", "versions", "restore", PROFILE, "1", "-o", "name");
    const { stderr } = await cli.run("layouts", "versions", "restore", PROFILE, "2");
    expect(stderr).toContain(`warning: The draft ${first.stdout.trim()} was replaced.`);
    const { json } = await cli.run("layouts", "versions", "restore", PROFILE, "2", "--json");
    expect(json()).toMatchObject({ replacedDraftVersionId: expect.stringMatching(/^ver_/) });
  });

  describe("with unpublished content in the draft", () => {
    const restore = ["layouts", "versions", "restore", PROFILE, "1"];
    const LOST = /the draft ver_\w+: \d+ blocks in \d+ regions, 1 change compared with the published version/;

    async function pushTheirs(): Promise<string> {
      cli.file(
        "theirs.yaml",
        withoutMutationId(fixture("candidate-profile.yaml")).replace("label: Notes}", "label: Mine}"),
      );
      return (await cli.run("layouts", "draft", "push", PROFILE, "theirs.yaml", "-o", "name")).stdout.trim();
    }

    it.each([[[]], [["--publish"]]])("requires confirmation, and sends nothing without it: %j", async (words) => {
      const theirs = await pushTheirs();
      const { code, error } = await cli.run(...restore, ...words, "-o", "json");
      expect(code).toBe(8);
      expect(error()).toMatchObject({
        code: "CONSENT_MISSING",
        message: expect.stringMatching(LOST) as string,
        hint: "To confirm, add --yes.",
      });
      expect(error().message).toContain(theirs);
      expect((await versions())[0]).toMatchObject({ id: theirs, status: "DRAFT" });
    });

    it("shows what is lost, and asks", async () => {
      const theirs = await pushTheirs();
      const no = await cli.answering([false], ...restore);
      expect(no.code).toBe(8);
      expect(no.stderr).toMatch(LOST);
      expect(no.asked).toEqual([`Replace the unpublished draft of '${PROFILE}'?`]);
      expect((await versions())[0]!.id).toBe(theirs);
      const yes = await cli.answering([true], ...restore);
      expect(yes.code).toBe(0);
      expect(yes.stderr).toContain(`warning: The draft ${theirs} was replaced.`);
    });

    it("continues with --yes, and shows the loss in a dry run", async () => {
      const theirs = await pushTheirs();
      const dry = await cli.run(...restore, "--dry-run");
      expect(dry.code).toBe(0);
      expect(dry.stderr).toMatch(LOST);
      expect((await versions())[0]!.id).toBe(theirs);
      const { code, stdout } = await cli.run(...restore, "--publish", "--yes");
      expect(code).toBe(0);
      expect(stdout).toContain("Published it as version 3.");
    });

    it("requires none for a draft with the content of a version", async () => {
      for (const file of ["a.yaml", "a2.yaml"]) {
        cli.file(
          file,
          withoutMutationId(fixture("candidate-profile.yaml")).replace(
            "Notes}",
            file === "a.yaml" ? "Notes}" : "Remarks}",
          ),
        );
        await cli.run("layouts", "draft", "push", PROFILE, file);
        expect((await cli.run(...restore)).code).toBe(0);
      }
    });
  });

  it("requires no confirmation for an initial draft", async () => {
    const id = await newPage(cli, "Home");
    const [only] = (await cli.run("layouts", "versions", "list", id, "--json")).json() as LayoutVersion[];
    const untouched = { ...only!, id: "ver_first", status: "DRAFT" as const, blocks: [], metadata: null };
    const context = { service: { getVersion: async () => untouched }, settings: { savedDraftsPath: "missing" } };
    const lossOf = async (draft: LayoutVersion, listed: LayoutVersion[]) =>
      (await needToReplace(context, id, draft, { versions: listed }))?.lost;
    expect(await lossOf(untouched, [untouched])).toBeUndefined();
    const filled = { ...untouched, blocks: only!.blocks };
    expect(await lossOf(filled, [filled])).toEqual(["the draft ver_first: 1 block in 1 region, never published"]);
    expect(await lossOf(untouched, [untouched, only!])).toEqual([
      "the draft ver_first: 0 blocks in 1 region, 1 change compared with the published version",
    ]);
  });

  it("publishes the restored draft with --publish", async () => {
    const { code, json } = await cli.run("layouts", "versions", "restore", PROFILE, "1", "--publish", "--json");
    expect(code).toBe(0);
    const { draftVersionId, published } = json() as { draftVersionId: string; published: { versionId: string } };
    expect(published.versionId).toBe(draftVersionId);
    expect((await cli.run("layouts", "versions", "diff", PROFILE, "1", "latest")).stdout).toBe("");
    const again = await cli.run("layouts", "versions", "restore", PROFILE, "2", "--publish");
    expect(again.stdout).toContain("Published it as version 4.\n");
  });

  it("publishes nothing if a field was deleted, and exits with 3", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml", "--publish");
    cli.file("b2.yaml", droppingPayRate());
    await cli.run("layouts", "draft", "push", DESK, "b2.yaml");
    await cli.run("layouts", "publish", DESK, "--confirm-field-change", "d_pay");
    const { code, stdout } = await cli.run("layouts", "versions", "restore", DESK, "1", "--publish");
    expect(code).toBe(3);
    expect(stdout).toContain('unknown field "pay_rate"');
    expect(stdout).toMatch(/\): invalid, so it can't be published\.\nNot published: the draft is invalid\.\n$/);
    const { json } = await cli.run("layouts", "versions", "restore", DESK, "1", "--publish", "--json");
    expect(json()).toMatchObject({ published: null, notPublished: "DRAFT_INVALID" });
  });

  it("refuses to restore the draft itself", async () => {
    await cli.run("layouts", "versions", "restore", PROFILE, "1");
    const { code, error } = await cli.run("layouts", "versions", "restore", PROFILE, "draft", "--json");
    expect(code).toBe(6);
    expect(error()).toMatchObject({ code: "VERSION_IS_DRAFT", exitCode: 6 });
  });

  it("sends nothing with --dry-run", async () => {
    const { code, stdout } = await cli.run("layouts", "versions", "restore", PROFILE, "1", "--publish", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^POST \/v1\/view-layouts\/lay_\w+\/versions\/ver_\w+\/restore-draft\n/);
    expect((await versions()).map(({ status }) => status)).toEqual(["PUBLISHED", "ARCHIVED"]);
  });
});

describe("layouts draft show", () => {
  it("prints with -o yaml and -o json a document that draft push accepts, without loss", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    const before = await cli.run("layouts", "draft", "show", DESK, "--json");
    for (const format of ["yaml", "json"]) {
      cli.stdin = (await cli.run("layouts", "draft", "show", DESK, "-o", format)).stdout;
      const { code } = await cli.run("layouts", "draft", "push", DESK, "-");
      expect(code).toBe(0);
      expect((await cli.run("layouts", "draft", "show", DESK, "--json")).stdout).toBe(before.stdout);
    }
  });

  it("starts each block with its id, and ends it with its children", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    const { stdout } = await cli.run("layouts", "draft", "show", DESK, "-o", "yaml");
    expect(stdout).toContain("blocks:\n  - id: sec_deal\n    type: section\n    source: system\n");
    expect(stdout).toContain("    children:\n      - id: col_who\n");
  });

  it("keeps unknown members", async () => {
    cli.file("more.json", {
      schemaVersion: 1,
      regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, tint: "blue" }],
      blocks: [
        {
          id: "f",
          type: "field",
          source: "dynamic_field",
          ref: { fieldKey: "email", hint: 1 },
          regionKey: "main",
          locked: true,
        },
      ],
    });
    await cli.run("layouts", "draft", "push", PROFILE, "more.json");
    const { stdout } = await cli.run("layouts", "draft", "show", PROFILE, "-o", "yaml");
    for (const member of ["tint: blue", "hint: 1", "locked: true"]) expect(stdout).toContain(member);
  });

  it("shows an outline with staged fields and problems", async () => {
    await cli.run("layouts", "draft", "push", DESK, "b.yaml");
    const { code, stdout } = await cli.run("layouts", "draft", "show", DESK);
    expect(code).toBe(0);
    expect(stdout).toContain("blocks[1].config.label  warning  LABEL_MISSING");
    expect(stdout).toMatch(/STAGED FIELD +ACTION +KEY +TYPE +NAME\nd_po +create +po_number +TEXT +PO number\n/);
  });

  it("refuses a layout without a draft", async () => {
    const { code, stderr } = await cli.run("layouts", "draft", "show", PROFILE);
    expect(code).toBe(5);
    expect(stderr).toContain("does not have a draft");
  });
});
