/** Deleting a form removes all its records and files. */

import { readdir } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOTE, type NotesWorld, openNotesWorld, publishText } from "./forms-world.ts";

/** Returns the tables with `text` in any column, except the audit table. */
function tablesWith(path: string, text: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'audit'").all();
    return tables
      .map(({ name }) => String(name))
      .filter((table) => JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()).includes(text));
  } finally {
    db.close();
  }
}

describe("deleting a form", () => {
  let world: NotesWorld;
  beforeEach(async () => {
    world = await openNotesWorld();
  });
  afterEach(() => world.close());

  async function fullForm(name: string) {
    const { service, local } = world;
    const body = { name, types: ["CREATE" as const, "VIEW" as const], isPublic: true };
    const form = await service.createForm({ ...NOTE, body });
    await publishText(service, form.viewLayoutId);
    const [office] = (await local.show()).organizations;
    await service.replaceFormAccess({
      ...NOTE,
      formId: form.id,
      body: {
        users: [{ membershipId: office!.members[0]!.id, types: ["VIEW"] }],
        roles: [{ roleId: office!.roles[0]!.id, types: ["CREATE"] }],
      },
    });
    const upload = await local.addUpload({ formId: form.id, fileName: "a.txt", bytes: new TextEncoder().encode(name) });
    return { form, upload };
  }

  it("deletes all rows of the form, its layout and its uploads, and its files (R83)", async () => {
    const { form, upload } = await fullForm("Deleted");
    const kept = await fullForm("Kept");
    const { layoutAvailability } = await world.service.getForm({ ...NOTE, formId: form.id });
    const published = layoutAvailability.VIEW?.versionId;
    const gone = [form.id, form.viewLayoutId, upload.id, published!];
    expect(tablesWith(world.path, form.id)).toEqual([
      "forms",
      "form_types",
      "access_membership_rows",
      "access_membership_modes",
      "access_role_rows",
      "access_role_modes",
      "public_uploads",
      "layouts",
      "mutations",
    ]);
    expect(await readdir(`${world.path}.uploads`)).toHaveLength(2);

    await world.service.deleteForm({ ...NOTE, formId: form.id });
    for (const id of gone) expect(tablesWith(world.path, id)).toEqual([]);
    expect(await readdir(`${world.path}.uploads`)).toEqual([expect.stringContaining(kept.upload.id)]);
    expect((await world.service.getForm({ ...NOTE, formId: kept.form.id })).usableTypes).toEqual(["CREATE", "VIEW"]);
    expect(await world.local.check()).toEqual([]);
  });

  it("keeps all rows and files when it is refused (R60)", async () => {
    const { form } = await fullForm("Default");
    await world.service.updateFormDefaults({ ...NOTE, body: { defaultViewFormId: form.id } });
    const before = tablesWith(world.path, form.id);
    await expect(world.service.deleteForm({ ...NOTE, formId: form.id })).rejects.toMatchObject({ status: 409 });
    expect(tablesWith(world.path, form.id)).toEqual(before);
    expect(await readdir(`${world.path}.uploads`)).toHaveLength(1);
  });
});
