/** The drafts that an edit replaces are kept in files until they are saved again. */

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editLayout, type EditOptions, type EditService } from "../../src/layout-edits/edit-layout.ts";
import { draftFiles, keepDraft, keptDraft } from "../../src/layout-edits/kept-drafts.ts";
import { contentOf } from "../../src/lists/versions.ts";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const draft = { content: contentOf({ metadata: { owner: "ana" } }), replacedBy: "digest" };

describe("draftFiles", () => {
  it("keeps a draft in a file that only the user can read, until it is deleted", async () => {
    const folder = join(newFolder(), "kept");
    const keep = draftFiles(folder);
    expect(await keptDraft(keep, "lay_1")).toBeUndefined();
    await keepDraft(keep, "lay_1", draft);
    expect(statSync(join(folder, "lay_1.json")).mode & 0o777).toBe(0o600);
    expect(await keptDraft(draftFiles(folder), "lay_1")).toEqual(draft);
    await keep.delete("lay_1");
    await keep.delete("lay_1");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["{", "[]", '{"content":{}}'])("refuses a file with other content: %s", async (text) => {
    const folder = newFolder();
    writeFileSync(join(folder, "lay_1.json"), text);
    await expect(keptDraft(draftFiles(folder), "lay_1")).rejects.toMatchObject({ code: "INVALID_FILE" });
    expect(readFileSync(join(folder, "lay_1.json"), "utf8")).toBe(text);
  });

  it("refuses an id that leads out of its folder", () => {
    expect(() => draftFiles(newFolder()).get("../lay_1")).toThrow(expect.objectContaining({ code: "INVALID_VALUE" }));
  });
});

it.each([{ drafts: "rebase" }, { drafts: "save" }])(
  "editLayout refuses the options %j of a program without types",
  async (options) => {
    const service = {} as EditService;
    const edit = editLayout(service, "lay_1", (content) => content, options as EditOptions);
    await expect(edit).rejects.toMatchObject({ code: "INVALID_VALUE" });
  },
);
