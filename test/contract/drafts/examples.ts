/** Two worked examples: the draft of a profile, and the draft of a desk with a staged field. */

import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import type { Mode } from "../../../src/schemas/form.ts";
import { CANDIDATE, PLACEMENT } from "../forms/world.ts";
import { codesOf, type DraftBody, inWorld } from "../layouts/world.ts";
import type { Provider } from "../provider.ts";

function example(name: string): DraftBody {
  const file = new URL(`../../fixtures/drafts/${name}.yaml`, import.meta.url);
  return load(readFileSync(file, "utf8")) as DraftBody;
}

export function exampleCases(provider: Provider): void {
  describe("the worked examples", () => {
    it(
      "Candidate profile, with tabs and a sidebar, is valid and returned unchanged",
      inWorld(provider, async ({ service }) => {
        const body = example("candidate-profile");
        const types: Mode[] = ["VIEW", "EDIT"];
        const form = await service.createForm({ ...CANDIDATE, body: { name: "Candidate profile", types } });
        const { validation, draftVersion } = await service.saveDraft({ layoutId: form.viewLayoutId, body });
        expect(validation).toEqual({ state: "valid", errors: [], warnings: [] });
        const { clientMutationId: _id, ...content } = body;
        expect(draftVersion).toMatchObject(content);
      }),
    );

    it(
      "Placement desk, with a relation table and a new field, has one label missing, and is published",
      inWorld(provider, async ({ service, publish, field }) => {
        const body = example("placement-desk");
        const types: Mode[] = ["CREATE", "VIEW", "EDIT"];
        const form = await service.createForm({ ...PLACEMENT, body: { name: "Placement desk", types } });
        const layoutId = form.viewLayoutId;
        const { validation, draftVersionId } = await service.saveDraft({ layoutId, body });
        expect(validation.state).toBe("valid_with_warnings");
        expect(validation.warnings).toMatchObject([{ code: "LABEL_MISSING", blockId: "sec_money" }]);

        const published = await publish(layoutId, draftVersionId);
        expect(codesOf(published.validation.warnings)).toEqual(["LABEL_MISSING"]);
        expect(await field("placement", "po_number")).toMatchObject({ name: "PO number", required: false });
        const found = await service.getForm({ ...PLACEMENT, formId: form.id });
        expect(found.usableTypes).toEqual(types);
      }),
    );
  });
}
