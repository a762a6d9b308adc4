/** The setup of the layout tests: three forms, and files to push. Each form's layout has only its first draft. */

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
 * Opens a program with three forms. Its working directory contains two files:
 * - `a.yaml` is valid for {@link PROFILE}.
 * - `b.yaml` is valid for {@link DESK}, with a warning. It stages the field `po_number`.
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

/** Publishes `a.yaml` twice, the second time with another label. No draft remains. */
export async function publishTwice(cli: Cli): Promise<void> {
  await cli.run("layouts", "draft", "push", PROFILE, "a.yaml", "--publish");
  cli.file("a2.yaml", withoutMutationId(fixture("candidate-profile.yaml")).replace("label: Notes}", "label: Remarks}"));
  await cli.run("layouts", "draft", "push", PROFILE, "a2.yaml", "--publish");
}

/** Removes the mutation id, because a different content must not reuse the id. */
export function withoutMutationId(yaml: string): string {
  return yaml.replace(/^clientMutationId: .*\n/m, "");
}

/** Creates a layout of the organization, and publishes one block. @returns the id of the layout */
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

/** Returns the content of `b.yaml` without pay_rate, and stages its deletion. 57 records have a value of pay_rate. */
export function droppingPayRate(): string {
  return withoutMutationId(fixture("placement-desk.yaml"))
    .replace(/^.*id: f_pay,.*\n/m, "")
    .replace(/^.*id: f_po,.*\n/m, "")
    .replace(/- \{draftId: d_po,.*\}\}/, "- {draftId: d_pay, action: delete, key: pay_rate}");
}
