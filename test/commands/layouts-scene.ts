/** The setup of the layout tests: three forms whose layouts have only their first draft, and files to push. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mode } from "../../src/schemas/form.ts";
import { type Cli, openCli } from "./cli.ts";

export const PROFILE = "staffing/candidate/Candidate profile";
export const DESK = "staffing/placement/Placement desk";
export const REVIEW = "compliance/document_check/Document review";

const FORMS: [address: string, types: Mode[]][] = [
  [PROFILE, ["VIEW", "EDIT"]],
  [DESK, ["CREATE", "VIEW", "EDIT"]],
  [REVIEW, ["CREATE", "VIEW", "EDIT"]],
];

/**
 * The working directory holds `a.yaml`, which is valid for {@link PROFILE}, and `b.yaml`, which is valid with a warning
 * for {@link DESK} and stages the field `po_number`.
 */
export async function openScene(): Promise<Cli> {
  const cli = await openCli();
  await cli.behind(async (service) => {
    for (const [address, types] of FORMS) {
      const [moduleKey = "", objectKey = "", name = ""] = address.split("/");
      await service.createForm({ moduleKey, objectKey, body: { name, types } });
    }
  });
  cli.file("a.yaml", fixture("candidate-profile.yaml"));
  cli.file("b.yaml", fixture("placement-desk.yaml"));
  return cli;
}

export function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, "../fixtures/drafts", name), "utf8");
}

/** Publishes `a.yaml` twice, the second time with another label, and leaves no draft. */
export async function publishTwice(cli: Cli): Promise<void> {
  await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "--publish");
  cli.file("a2.yaml", withoutMutationId(fixture("candidate-profile.yaml")).replace("label: Notes}", "label: Remarks}"));
  await cli.run("layouts", "draft", "push", PROFILE, "a2.yaml", "--publish");
}

/** A body with other content must not reuse the mutation id. */
export function withoutMutationId(yaml: string): string {
  return yaml.replace(/^clientMutationId: .*\n/m, "");
}

/** Creates a layout of the organization and publishes one block in it. @returns its id */
export async function newPage(cli: Cli, name: string, modes: Mode[] = ["VIEW"]): Promise<string> {
  return cli.behind(async (service) => {
    const { id: layoutId } = await service.createLayout({
      body: { clientMutationId: `create ${name}`, surface: "ORGANIZATION", supportedModes: modes, target: {}, name },
    });
    const { draftVersionId } = await service.saveDraft({
      layoutId,
      body: {
        clientMutationId: `save ${name}`,
        schemaVersion: 1,
        regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
        blocks: [{ id: "help", type: "custom_html", source: "system", regionKey: "main", config: { html: "Hello" } }],
      },
    });
    await service.publishLayout({ layoutId, body: { clientMutationId: `publish ${name}`, draftVersionId } });
    return layoutId;
  });
}

/** The content of `b.yaml` without pay_rate, whose deletion it stages: 57 records have a value of it. */
export function droppingPayRate(): string {
  return withoutMutationId(fixture("placement-desk.yaml"))
    .replace(/^.*id: f_pay,.*\n/m, "")
    .replace(/^.*id: f_po,.*\n/m, "")
    .replace(/- \{draftId: d_po,.*\}\}/, "- {draftId: d_pay, action: delete, key: pay_rate}");
}
