/** Tests the pages that `plan --html` and `layouts preview --out` write. */

import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Cli } from "./cli.ts";
import { openManifestsScene, PLACES } from "./manifests-scene.ts";

const readPage = (cli: Cli, name = "page.html") => readFileSync(join(cli.cwd, name), "utf8");
const countOf = (text: string, part: string) => text.split(part).length - 1;

describe.each(PLACES)("a page of a plan for %s", (place) => {
  it("shows each changed layout before and after, and marks the changes", async () => {
    const { cli } = await openManifestsScene(place);
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
    const layout = readFileSync(join(cli.cwd, "manifests", "profile.layout.yaml"), "utf8");
    cli.file("manifests/profile.layout.yaml", layout.replace("label: phone", "label: Mobile"));
    const { code, stdout, stderr } = await cli.run("plan", "manifests", "--html", "page.html", "--detailed-exitcode");
    expect([code, stdout.includes("0 to create, 1 to change, 0 to delete; 3 in sync")]).toEqual([2, true]);
    expect(stderr).toContain("Wrote the page page.html.");
    const page = readPage(cli);
    expect(page).toContain("0 to create, 1 to change, 0 to delete; 3 in sync");
    expect(page).toContain('<a href="#entry-0">staffing/candidate/Profile</a>');
    // One drawing for VIEW, and one for EDIT.
    expect([countOf(page, 'data-version="before"'), countOf(page, 'data-version="after"')]).toEqual([2, 2]);
    expect(page).toContain("label: &quot;phone&quot; → &quot;Mobile&quot;");
    expect([countOf(page, "is-changed"), countOf(page, ">Added<"), countOf(page, ">Removed<")].slice(1)).toEqual([
      0, 0,
    ]);
  });

  it("shows new layouts without a version before, and other changes as text", async () => {
    const { cli } = await openManifestsScene(place);
    const { code } = await cli.run("plan", "manifests", "--html", "page.html");
    expect(code).toBe(0);
    const page = readPage(cli);
    expect(countOf(page, 'class="entry"')).toBe(4);
    expect(countOf(page, 'data-version="before"')).toBe(0);
    expect(page).toContain("defaultFor");
  });
});

describe("a page of a plan", () => {
  it("has the texts of a form before and after the plan, and other changes in the words of the terminal", async () => {
    const { cli } = await openManifestsScene("a local store");
    const edit = (from: RegExp, to: string) => {
      const text = readFileSync(join(cli.cwd, "manifests", "candidate.yaml"), "utf8");
      cli.file("manifests/candidate.yaml", text.replace(from, to));
    };
    edit(/{title: Candidate}/, "{title: Candidates, description: Who they are}");
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
    edit(/title: Candidates/, "title: Our candidates");
    const layout = readFileSync(join(cli.cwd, "manifests", "profile.layout.yaml"), "utf8");
    cli.file("manifests/profile.layout.yaml", layout.replace("label: phone", "label: Mobile"));
    const { stdout } = await cli.run("plan", "manifests", "--html", "page.html");
    const page = readPage(cli);
    const change = 'config.title: "Candidates" → "Our candidates"';
    expect(stdout).toContain(`~ ${change}`);
    expect(page).toMatch(new RegExp(`>Changed</strong>\\s*<code>${change.replaceAll('"', "&quot;")}</code>`));
    const heads = [...page.matchAll(/class="form-head">\s*<h4>(.*?)<\/h4>\s*<p>(.*?)<\/p>/g)];
    const wanted = (title: string) => [title, "Who they are"];
    // Before and after, in VIEW and in EDIT.
    expect(heads.map(([, ...texts]) => texts)).toEqual(
      ["Candidates", "Our candidates", "Candidates", "Our candidates"].map(wanted),
    );
  });

  it("lists deletions and required confirmations", async () => {
    const { cli } = await openManifestsScene("a local store");
    expect((await cli.run("apply", "manifests", "--yes")).code).toBe(0);
    const [profile = ""] = readFileSync(join(cli.cwd, "manifests", "candidate.yaml"), "utf8").split("---\n");
    cli.file("manifests/candidate.yaml", profile);
    await cli.run("plan", "manifests", "--prune", "--html", "page.html");
    const page = readPage(cli);
    expect(page).toMatch(
      />Required confirmations<\/h3>\s*<ul>\s*<li>\s*<strong class="mark mark-warning">--allow-delete</,
    );
    expect(page).toMatch(/class="losses">\s*<p>Will be deleted permanently:<\/p>\s*<ul>\s*<li>/);
  });

  it("is written if nothing changes", async () => {
    const { cli } = await openManifestsScene("a local store");
    await cli.run("apply", "manifests", "--yes");
    expect((await cli.run("plan", "manifests", "--html", "page.html")).code).toBe(0);
    expect(readPage(cli)).toContain("0 to create, 0 to change, 0 to delete; 4 in sync");
  });

  it("reports a file that can't be written before it plans", async () => {
    const { cli } = await openManifestsScene("a local store");
    mkdirSync(join(cli.cwd, "page.html"));
    const { code, stdout, stderr } = await cli.run("plan", "manifests", "--html", "page.html");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/page\.html is a folder/);
  });
});

it.each(["plan manifests --html", "layouts preview manifests --out"])(
  "formctl %s writes no page through a link that leads out",
  async (line) => {
    const { cli } = await openManifestsScene("a local store");
    mkdirSync(join(cli.cwd, ".git"));
    mkdirSync(join(cli.home, "own"));
    symlinkSync(join(cli.home, "own"), join(cli.cwd, "pages"));
    const { code, stderr } = await cli.run(...line.split(" "), "pages/page.html");
    expect([code, stderr]).toEqual([3, expect.stringContaining("points outside the project through a link")]);
    expect(readdirSync(join(cli.home, "own"))).toEqual([]);
  },
);

describe("a page of a preview", () => {
  it("has the layouts of manifests, can be read by other users, and replaces an earlier page", async () => {
    const { cli } = await openManifestsScene("a local store");
    cli.file("page.html", "old");
    const { code, stdout, stderr } = await cli.run("layouts", "preview", "manifests", "--out", "page.html");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("Wrote the page page.html.");
    const page = readPage(cli);
    expect(page).toMatch(/^<!doctype html>/);
    for (const title of ["Profile", "Intake", "Desk", "Card"]) expect(page).toContain(`/${title}</h2>`);
    expect(statSync(join(cli.cwd, "page.html")).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  it("has the problems of the layouts, which are also printed", async () => {
    const { cli } = await openManifestsScene("a local store");
    const layout = readFileSync(join(cli.cwd, "manifests", "profile.layout.yaml"), "utf8");
    cli.file("manifests/profile.layout.yaml", layout.replace("fieldKey: phone", "fieldKey: fone"));
    const { code, stdout } = await cli.run("layouts", "preview", "manifests", "--out", "page.html");
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^manifests\/profile\.layout\.yaml:\d+:\d+ .*"fone"/)]);
    expect(stdout).not.toContain("Main");
    expect(readPage(cli)).toContain("unknown field &quot;fone&quot;");
  });

  it("shows the mode of --mode first", async () => {
    const { cli } = await openManifestsScene("a local store");
    await cli.run("layouts", "preview", "manifests/candidate.yaml", "--mode", "EDIT", "--out", "page.html");
    expect(readPage(cli)).toMatch(/value="EDIT"[^>]* checked/);
  });

  it("can't be opened and drawn at the same time", async () => {
    const { cli } = await openManifestsScene("a local store");
    const { code, stderr } = await cli.run("layouts", "preview", "manifests", "--open", "--watch");
    expect([code, stderr]).toEqual([64, expect.stringContaining("--watch and --open can't be combined")]);
  });
});
