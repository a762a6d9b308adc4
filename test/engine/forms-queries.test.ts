/** The number of queries that a list of forms needs. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOTE, type NotesWorld, openNotesWorld, publishText } from "./forms-world.ts";

describe("a list of forms", () => {
  let world: NotesWorld;
  beforeEach(async () => {
    world = await openNotesWorld();
  });
  afterEach(() => world.close());

  async function addForms(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const body = { name: `Note ${index}`, types: ["CREATE" as const, "VIEW" as const] };
      await publishText(world.service, (await world.service.createForm({ ...NOTE, body })).viewLayoutId);
    }
  }

  it("needs as many queries for 100 forms as for one", async () => {
    const count = async () => {
      world.queries();
      const { data } = await world.service.listForms({ ...NOTE, query: { limit: 100 } });
      expect(data.every((form) => form.usableTypes.length === 2)).toBe(true);
      return { forms: data.length, queries: world.queries().length };
    };
    await addForms(1);
    const one = await count();
    await addForms(99);
    expect(await count()).toEqual({ forms: 100, queries: one.queries });
  });

  it("reads no fields if no version is published", async () => {
    await world.service.createForm({ ...NOTE, body: { name: "Note", types: ["VIEW"] } });
    world.queries();
    await world.service.listForms(NOTE);
    expect(world.queries().filter((text) => /\bfields\b/.test(text))).toEqual([]);
  });

  it("returns every available form, even if there are more than one query can name", async () => {
    const body = { name: "Note", types: ["VIEW" as const] };
    for (let index = 0; index < 501; index++) await world.service.createForm({ ...NOTE, body });
    const forms = await world.service.listAvailableForms(NOTE);
    expect(new Set(forms.map(({ viewLayoutId }) => viewLayoutId)).size).toBe(501);
    expect(forms.every(({ types }) => types.length === 1)).toBe(true);
  });
});
