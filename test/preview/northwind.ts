/** The layouts of examples/northwind as previews, and the fields that each layout must show. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "../../src/documents/document.ts";
import { buildPreview } from "../../src/preview/build.ts";
import type { Preview, PreviewSource } from "../../src/preview/model.ts";
import { fieldsOf, toCatalogField } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { DraftFile } from "../../src/schemas/draft-schema.ts";
import type { SeedOrganization } from "../../src/schemas/organization.ts";
import { OrganizationFile } from "../../src/schemas/organization-schema.ts";
import { readShape } from "../../src/schemas/shape.ts";
import type { Mode, Surface } from "../../src/schemas/words.ts";

export const NORTHWIND = join(import.meta.dirname, "..", "..", "examples", "northwind");
const ALL: readonly Mode[] = ["CREATE", "VIEW", "EDIT"];

type Layout = { surface: Surface; modes: readonly Mode[]; object?: readonly [moduleKey: string, objectKey: string] };

export const LAYOUTS = {
  "candidate-intake": { surface: "DYNAMIC_OBJECT", modes: ["CREATE"], object: ["staffing", "candidate"] },
  "candidate-profile": { surface: "DYNAMIC_OBJECT", modes: ["VIEW", "EDIT"], object: ["staffing", "candidate"] },
  "placement-desk": { surface: "DYNAMIC_OBJECT", modes: ALL, object: ["staffing", "placement"] },
  "document-review": { surface: "DYNAMIC_OBJECT", modes: ALL, object: ["compliance", "document_check"] },
  "contractor-card": { surface: "CONTRACTOR", modes: ["VIEW"] },
  "organization-page": { surface: "ORGANIZATION", modes: ["VIEW", "EDIT"] },
  "invoice-page": { surface: "SALES_INVOICE", modes: ["VIEW"] },
  "ops-board": { surface: "DASHBOARD", modes: ["VIEW"] },
} as const satisfies Record<string, Layout>;
export type LayoutName = keyof typeof LAYOUTS;

/** @param change edits the content before the preview is built */
export function sourceOf(name: LayoutName, change: (content: DraftContent) => void = () => undefined): PreviewSource {
  const { surface, modes, object }: Layout = LAYOUTS[name];
  const content = read(join("drafts", `${name}.yaml`), DraftFile) as DraftContent;
  change(content);
  const [organization] = (read("organization.yaml", OrganizationFile) as { organizations: SeedOrganization[] })
    .organizations;
  const [moduleKey, objectKey] = object ?? [];
  const fields = organization && fieldsOf(organization, { surface, target: { moduleKey, objectKey } });
  const catalog = { surface, modes, fields: fields?.map(toCatalogField) ?? [] };
  return { title: name, content, catalog, problems: [] };
}

export function previewOf(name: LayoutName): Preview {
  return buildPreview(sourceOf(name));
}

function read(file: string, schema: typeof DraftFile | typeof OrganizationFile): unknown {
  const shape = readShape(schema, readDocument(readFileSync(join(NORTHWIND, file)), file).value);
  if (!shape.ok) throw new Error(`${file}: ${shape.problems[0]?.message}`);
  return shape.value;
}

/**
 * Returns the labels of a layout's field blocks in a mode. Reads them from the file of the layout, without the model of
 * the preview.
 */
export function fieldLabels(name: LayoutName, mode: Mode): string[] {
  const labels: string[] = [];
  const visit = (block: Block) => {
    if (block.supportedModes?.length && !block.supportedModes.includes(mode)) return;
    if (block.type === "field") labels.push(String(block.config?.["label"]));
    block.children?.forEach(visit);
  };
  sourceOf(name).content.blocks.forEach(visit);
  return labels;
}

/** All blocks of a content, parents first. */
export function allBlocks({ blocks }: Pick<DraftContent, "blocks">): Block[] {
  const withChildren = (block: Block): Block[] => [block, ...(block.children ?? []).flatMap(withChildren)];
  return blocks.flatMap(withChildren);
}
