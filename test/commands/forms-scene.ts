/** Forms for the tests of `formctl forms`. */

import { readFileSync } from "node:fs";
import type { Form, Mode } from "../../src/schemas/form.ts";
import { readDocument } from "../../src/documents/document.ts";
import type { SaveDraftBody } from "../../src/schemas/requests.ts";
import type { Input } from "../../src/schemas/operations.ts";
import type { Cli } from "./cli.ts";

export const OBJECT = "staffing/candidate";
export const PROFILE = `${OBJECT}/Candidate profile`;

const address = { moduleKey: "staffing", objectKey: "candidate" };

/**
 * Creates a form of staffing/candidate. By default, the form is active and not public. Each form is one second newer
 * than the previous form.
 */
export function aForm(
  cli: Cli,
  name: string,
  types: Mode[],
  more: Partial<Input<"createForm">["body"]> = {},
): Promise<Form> {
  cli.clock.now = new Date(cli.clock.now.getTime() + 1000);
  return cli.behind((service) => service.createForm({ ...address, body: { name, types, ...more } }));
}

/** Creates the form "Candidate profile" (VIEW, EDIT) and publishes its layout, so both modes are usable. */
export async function aUsableProfile(cli: Cli): Promise<Form> {
  const { id, viewLayoutId: layoutId } = await aForm(cli, "Candidate profile", ["VIEW", "EDIT"]);
  const file = new URL("../fixtures/drafts/candidate-profile.yaml", import.meta.url);
  const draft = readDocument(readFileSync(file), "candidate-profile.yaml").value as SaveDraftBody;
  return cli.behind(async (service) => {
    const { draftVersionId } = await service.saveDraft({ layoutId, body: draft });
    await service.publishLayout({ layoutId, body: { clientMutationId: "publish", draftVersionId } });
    return service.getForm({ ...address, formId: id });
  });
}

/** Makes a form the default of modes. */
export async function makeDefault(cli: Cli, form: Form, ...modes: Mode[]): Promise<void> {
  const KEY = { CREATE: "defaultCreateFormId", VIEW: "defaultViewFormId", EDIT: "defaultEditFormId" } as const;
  const body = Object.fromEntries(modes.map((mode) => [KEY[mode], form.id]));
  await cli.behind((service) => service.updateFormDefaults({ ...address, body }));
}

/** Returns the ids of northwind's roles by key, and of its members by the part of their address before the `@`. */
export async function people(cli: Cli): Promise<Record<string, string>> {
  const { organizations } = await cli.behind((_service, local) => local.show());
  const northwind = organizations.find(({ key }) => key === "northwind")!;
  return Object.fromEntries([
    ...northwind.roles.map(({ key, id }) => [key, id]),
    ...northwind.members.map(({ email, id }) => [email.split("@")[0], id]),
  ]);
}

/** The current form of the service. */
export function formNow(cli: Cli, { id }: Form): Promise<Form> {
  return cli.behind((service) => service.getForm({ ...address, formId: id }));
}

/** The current access matrix of the service. */
export function accessNow(cli: Cli, { id }: Form) {
  return cli.behind((service) => service.getFormAccess({ ...address, formId: id }));
}

export function giveAccess(cli: Cli, { id }: Form, body: Input<"replaceFormAccess">["body"]) {
  return cli.behind((service) => service.replaceFormAccess({ ...address, formId: id, body }));
}
