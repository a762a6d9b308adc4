/**
 * Tests `formctl forms edit` with a simulated editor: the opened text, the requests, the confirmations and the
 * refusals.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import type { Form } from "../../src/schemas/form.ts";
import { type Cli, openCli } from "./cli.ts";
import { aForm, formNow, giveAccess, makeDefault, PROFILE, people } from "./forms-scene.ts";

let cli: Cli;
let form: Form;
beforeEach(async () => {
  cli = await openCli();
  cli.env["EDITOR"] = "test-editor";
  form = await aForm(cli, "Candidate profile", ["VIEW", "EDIT"], { config: { title: "Profile", theme: "dark" } });
});

const ENDED = { exitCode: 0, signal: null };
const EDIT = ["forms", "edit", PROFILE];

/** Lets the editor change the text. Each opening uses the next function. @returns the texts that the editor opened */
function editing(...changes: ((text: string) => string | Promise<string>)[]): string[] {
  const opened: string[] = [];
  const left = [...changes];
  cli.edit = async (path) => {
    const text = readFileSync(path, "utf8");
    opened.push(text);
    writeFileSync(path, await left.shift()!(text));
    return ENDED;
  };
  return opened;
}

const without = (mode: string) => (text: string) => text.replace(`  - ${mode}\n`, "");

describe("forms edit", () => {
  it("opens the body of the form as YAML", async () => {
    const [text = ""] = await (async () => {
      const opened = editing((same) => same);
      const { code, stderr } = await cli.answering([], ...EDIT);
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Edit cancelled") });
      return opened;
    })();
    expect(text).toContain(`# Form staffing/candidate/${form.id}\n`);
    expect(text.slice(text.indexOf("\nname:"))).toBe(
      "\nname: Candidate profile\ntypes:\n  - VIEW\n  - EDIT\nisActive: true\nisPublic: false\nconfig:\n  theme: dark\n  title: Profile\n",
    );
  });

  it("sends only what changed, after it shows the changes", async () => {
    editing((text) => text.replace("title: Profile", "title: Hello").replace("isPublic: false\n", ""));
    const { code, stderr, stdout, asked } = await cli.answering(["send"], ...EDIT);
    expect({ code, asked }).toEqual({ code: 0, asked: ["What next?"] });
    expect(stderr).toContain('~ config.title: "Profile" → "Hello"\n');
    expect(stdout).toMatch(/^Name: +Candidate profile\n/);
    expect(await formNow(cli, form)).toMatchObject({ isPublic: false, config: { title: "Hello", theme: "dark" } });
  });

  it("prints the request with --dry-run", async () => {
    editing((text) => text.replace("isActive: true", "isActive: false"));
    const { stdout } = await cli.answering([], ...EDIT, "--dry-run", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ requests: [{ method: "PATCH", body: { isActive: false } }] });
    expect(await formNow(cli, form)).toMatchObject({ isActive: true });
  });

  it("removes the config that is null", async () => {
    editing((text) => text.replace(/config:\n(?: .*\n)+/, "config: null\n"));
    await cli.answering(["send"], ...EDIT);
    expect(await formNow(cli, form)).toMatchObject({ config: null });
  });

  it("opens an invalid file again", async () => {
    const opened = editing(
      (text) => text.replace("name: Candidate profile", "name: ''"),
      (text) => text.replace("name: ''", "name: Card"),
    );
    expect((await cli.answering(["send"], ...EDIT)).code).toBe(0);
    expect(opened[1]).toMatch(/^#! line (\d+), column 7: error: name /m);
    expect(await formNow(cli, form)).toMatchObject({ name: "Card" });
  });

  it("asks before it removes a mode with access rows, and keeps the file if the user declines", async () => {
    const { recruiter: roleId } = await people(cli);
    await giveAccess(cli, form, { users: [], roles: [{ roleId: roleId!, types: ["VIEW", "EDIT"] }] });
    editing(without("EDIT"));
    const { code, stderr, asked } = await cli.answering(["send", false], ...EDIT);
    expect(code).toBe(8);
    expect(asked[1]).toBe('Remove EDIT from "Candidate profile"?');
    expect(stderr).toMatch(/Will be deleted permanently: /);
    const path = /Your edit is kept in (.*)\n  Next: (formctl forms update .*)\n/.exec(stderr);
    expect(path?.[2]).toBe(`formctl forms update staffing/candidate/${form.id} -f ${path?.[1]}`);
    expect((await cli.run("forms", "update", PROFILE, "-f", path?.[1] ?? "", "--yes")).code).toBe(0);
    expect(await formNow(cli, form)).toMatchObject({ types: ["VIEW"] });
  });

  it("refuses to remove a mode for which the form is the default", async () => {
    await makeDefault(cli, form, "EDIT");
    editing(without("EDIT"));
    const { code, stderr } = await cli.answering(["send"], ...EDIT);
    expect(code).toBe(6);
    expect(stderr).toContain("Clear it first: formctl forms defaults clear staffing/candidate EDIT");
  });

  describe("after a concurrent change of the same member", () => {
    /** Edits while another user runs `formctl forms update`. */
    function editDuring(theirs: string[], from: string, to: string) {
      editing(async (text) => {
        await cli.run("forms", "update", PROFILE, ...theirs);
        return text.replace(from, to);
      });
    }

    it("shows both values and offers to merge", async () => {
      editDuring(["--title", "Theirs", "--description", "New"], "title: Profile", "title: Mine");
      const { code, stderr, asked } = await cli.answering(["send", "merge"], ...EDIT);
      expect({ code, asked }).toEqual({ code: 0, asked: ["What next?", "The form has changed."] });
      expect(stderr).toContain('config.title was "Profile", is "Theirs" now, and you changed it to "Mine"');
      expect(stderr).toContain('config.description was not set, is "New" now');
      expect(await formNow(cli, form)).toMatchObject({
        config: { title: "Mine", description: "New", theme: "dark" },
      });
    });

    it("keeps the removal of a value when it merges", async () => {
      editDuring(["--title", "Theirs"], "  theme: dark\n", "");
      const { code } = await cli.answering(["send", "merge"], ...EDIT);
      expect(code).toBe(0);
      expect(await formNow(cli, form)).toMatchObject({ config: { title: "Theirs" } });
      expect((await formNow(cli, form)).config).not.toHaveProperty("theme");
    });

    it("asks nothing if both users made the same change", async () => {
      editDuring(["--title", "Same"], "title: Profile", "title: Same");
      expect((await cli.answering(["send"], ...EDIT)).code).toBe(0);
    });

    it.each<[string, string[], (string | boolean)[]]>([
      ["without --yes", [], ["send", "keep"]],
      ["with --yes", ["--yes"], []],
    ])(
      "sends nothing and suggests no command that would revert it, if the user declines: %s",
      async (_, more, answers) => {
        editDuring(["--name", "Theirs"], "name: Candidate profile", "name: Mine");
        const { code, stderr } = await cli.answering(answers, ...EDIT, ...more);
        expect(code).toBe(6);
        expect(stderr).toContain('name was "Candidate profile", is "Theirs" now, and you changed it to "Mine"');
        expect(stderr).toMatch(/Your edit is kept in .*\n  Next: formctl forms edit staffing\/candidate\/\S+\n/);
        expect(stderr).not.toContain("forms update");
        expect(await formNow(cli, form)).toMatchObject({ name: "Theirs" });
      },
    );
  });

  it("refuses a member that another user has changed in the meantime, but not the other members", async () => {
    editing(async (text) => {
      await cli.run("forms", "update", PROFILE, "--inactive");
      return text.replace("isPublic: false", "isPublic: true");
    });
    expect((await cli.answering(["send"], ...EDIT)).code).toBe(0);
    expect(await formNow(cli, form)).toMatchObject({ isActive: false, isPublic: true });
    editing(async (text) => {
      await cli.run("forms", "update", PROFILE, "--title", "Theirs");
      return text.replace("title: Profile", "title: Mine");
    });
    const { code, stderr } = await cli.answering(["send", "keep"], ...EDIT);
    expect(code).toBe(6);
    expect(stderr).toContain("another user changed the form while you edited it: config.title");
    expect(stderr).toContain("Your edit is kept in ");
    expect(await formNow(cli, form)).toMatchObject({ config: { title: "Theirs" } });
  });

  it("suggests to edit the layout after a mode is added", async () => {
    editing((text) => text.replace("  - EDIT\n", "  - EDIT\n  - CREATE\n"));
    const { stderr } = await cli.answering(["send"], ...EDIT);
    expect(stderr).toContain(`Next: formctl layouts edit staffing/candidate/${form.id} --publish  # add CREATE`);
  });

  it("refuses to run without a terminal, and names the command to use instead", async () => {
    const { code, error } = await cli.run(...EDIT, "--json");
    expect(code).toBe(64);
    expect(error().hint).toBe(`Without a terminal: formctl forms update '${PROFILE}' -f FILE`);
  });
});
