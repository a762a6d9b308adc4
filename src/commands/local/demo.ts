/** Builds the example organization: seeds it, then creates every form and layout through the service. */

import type { LocalService } from "../../local-service.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import { DraftFile } from "../../schemas/draft-schema.ts";
import type { AccessMatrix, Form, FormConfig, Mode } from "../../schemas/form.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { OrganizationFile as Organization } from "../../schemas/organization.ts";
import { OrganizationFile } from "../../schemas/organization-schema.ts";
import type { FullService } from "../../service.ts";
import type { SavedDraft } from "../../config/saved-drafts.ts";
import { contentDigest } from "../../contents/compare.ts";
import { contentOf } from "../../lists/versions.ts";
import type { CommandContext } from "../command.ts";
import { readBody } from "../read-input.ts";
import { examplePath } from "./example-files.ts";

/** `organization` is null if the store already contained the demo. */
export type DemoReport = { organization: string | null; forms: number; layouts: number };

const ORGANIZATION = "northwind";

const EXISTING: DemoReport = { organization: null, forms: 0, layouts: 0 };

/**
 * Adds the demo to the store, unless the store already contains its organization. Adds all of it or nothing: a later
 * run would take an incomplete demo for a complete one.
 *
 * @param onDraft called with each draft that stays unpublished, or is published later
 */
export function buildDemo(
  context: CommandContext,
  local: LocalService,
  onDraft: (draft: SavedDraft) => void = () => {},
): Promise<DemoReport> {
  return local.transaction((within) => addDemo(context, within, onDraft));
}

async function addDemo(
  context: CommandContext,
  local: LocalService,
  onDraft: (draft: SavedDraft) => void,
): Promise<DemoReport> {
  const before = await local.show();
  if (before.organizations.some(({ key }) => key === ORGANIZATION)) return EXISTING;
  const { document } = await readBody(context, examplePath("northwind", "organization.yaml"), OrganizationFile);
  await local.seed(document.value as Organization);
  const builder = await createBuilder(context, local, onDraft);
  await buildForms(builder);
  await buildLayouts(builder);
  return { organization: ORGANIZATION, forms: builder.count.forms, layouts: builder.count.layouts };
}

async function buildForms(demo: Builder): Promise<void> {
  const intake = await demo.form("staffing/candidate", "Candidate intake", ["CREATE"], {
    isPublic: true,
    config: {
      title: "Work with Northwind",
      successMessage: "Thank you. We will call you within two days.",
      description: "Tell us who you are and what you can do.",
    },
  });
  await demo.publish(intake.viewLayoutId, "candidate-intake");
  await demo.access(intake, { users: [], roles: [["Recruiter", ["CREATE"]]] });
  for (const file of ["mia-park.txt", "jon-vale.txt"]) await demo.upload(intake, file);

  const profile = await demo.form("staffing/candidate", "Candidate profile", ["VIEW", "EDIT"]);
  await demo.publish(profile.viewLayoutId, "candidate-profile");
  await demo.publish(profile.viewLayoutId, "candidate-profile");
  await demo.access(profile, {
    users: [
      ["ana@northwind.example", ["VIEW", "EDIT"]],
      ["dana@northwind.example", ["VIEW"]],
    ],
    roles: [["Recruiter", ["VIEW", "EDIT"]]],
  });
  await demo.service.updateFormDefaults({
    moduleKey: "staffing",
    objectKey: "candidate",
    body: { defaultCreateFormId: intake.id, defaultViewFormId: profile.id, defaultEditFormId: profile.id },
  });

  const desk = await demo.form("staffing/placement", "Placement desk", ["CREATE", "VIEW", "EDIT"]);
  await demo.publish(desk.viewLayoutId, "placement-desk");
  await demo.draft(desk.viewLayoutId, "placement-desk-without-pay-rate");
  await demo.form("staffing/placement", "Placement quick add", ["CREATE"], { isActive: false });

  const review = await demo.form("compliance/document_check", "Document review", ["CREATE", "VIEW", "EDIT"]);
  await demo.draft(review.viewLayoutId, "document-review-broken");
}

async function buildLayouts(demo: Builder): Promise<void> {
  const page = await demo.layout("ORGANIZATION", "Organization page", ["VIEW", "EDIT"]);
  await demo.publish(page, "organization-page");
  await demo.assign(page, true, []);
  const compliance = await demo.layout("CONTRACTOR", "Contractor card - compliance", ["VIEW"]);
  await demo.publish(compliance, "contractor-card-compliance");
  await demo.assign(compliance, false, [["Compliance Officer", 1]]);
  const card = await demo.layout("CONTRACTOR", "Contractor card", ["VIEW"]);
  await demo.publish(card, "contractor-card");
  await demo.assign(card, true, [["Recruiter", 5]]);
  const board = await demo.layout("DASHBOARD", "Ops board", ["VIEW"], { dashboardKey: "main" });
  await demo.draft(board, "ops-board");
  const invoice = await demo.layout("SALES_INVOICE", "Old invoice page", ["VIEW"]);
  await demo.publish(invoice, "invoice-page");
  await demo.service.archiveLayout({ layoutId: invoice });
}

type Builder = Awaited<ReturnType<typeof createBuilder>>;
type Grant = readonly [subject: string, types: Mode[]];

/**
 * Returns functions for the steps of the demo. They accept names of roles, members and files instead of ids and
 * content.
 */
async function createBuilder(context: CommandContext, local: LocalService, onDraft: (draft: SavedDraft) => void) {
  const { organizations } = await local.show();
  const { roles, members } = organizations.find(({ key }) => key === ORGANIZATION)!;
  const service: FullService = await local.service(ORGANIZATION);
  const count = { forms: 0, layouts: 0 };
  const roleId = (name: string) => roles.find((role) => role.name === name)!.id;
  const membershipId = (email: string) => members.find((member) => member.email === email)!.id;
  const readDraft = async (name: string): Promise<DraftContent> => {
    const { value } = await readBody(context, examplePath("northwind", "drafts", `${name}.yaml`), DraftFile);
    return value;
  };
  const draft = async (layoutId: string, name: string) => {
    const saved = await service.saveDraft({
      layoutId,
      body: { ...(await readDraft(name)), schemaVersion: 1, clientMutationId: context.newMutationId() },
    });
    const { draftVersionId: draftId, draftVersion } = saved;
    onDraft({ layoutId, draftId, content: contentDigest(contentOf(draftVersion)) });
    return saved;
  };
  return {
    service,
    count,
    draft,
    async form(
      object: string,
      name: string,
      types: Mode[],
      more: { isActive?: boolean; isPublic?: boolean; config?: FormConfig } = {},
    ): Promise<Form & { moduleKey: string; objectKey: string }> {
      const [moduleKey = "", objectKey = ""] = object.split("/");
      count.forms++;
      return {
        ...(await service.createForm({ moduleKey, objectKey, body: { name, types, ...more } })),
        moduleKey,
        objectKey,
      };
    },
    async layout(
      surface: Surface,
      name: string,
      supportedModes: Mode[],
      target: { dashboardKey?: string } = {},
    ): Promise<string> {
      count.layouts++;
      const { id } = await service.createLayout({
        body: { surface, name, supportedModes, target, clientMutationId: context.newMutationId() },
      });
      return id;
    },
    async publish(layoutId: string, name: string) {
      const { draftVersionId } = await draft(layoutId, name);
      await service.publishLayout({ layoutId, body: { clientMutationId: context.newMutationId(), draftVersionId } });
    },
    async access(form: { id: string; moduleKey: string; objectKey: string }, rows: { users: Grant[]; roles: Grant[] }) {
      const body: AccessMatrix = {
        users: rows.users.map(([email, types]) => ({ membershipId: membershipId(email), types })),
        roles: rows.roles.map(([name, types]) => ({ roleId: roleId(name), types })),
      };
      await service.replaceFormAccess({ moduleKey: form.moduleKey, objectKey: form.objectKey, formId: form.id, body });
    },
    async assign(
      layoutId: string,
      organizationDefault: boolean,
      ranked: (readonly [role: string, priority: number])[],
    ) {
      const rows = ranked.map(([name, priority]) => ({ roleId: roleId(name), priority }));
      await service.replaceAssignments({
        layoutId,
        body: { clientMutationId: context.newMutationId(), organizationDefault, roles: rows },
      });
    },
    async upload(form: { id: string }, fileName: string) {
      // A store in a PostgreSQL database can't hold uploaded files.
      if (!local.holdsFiles) return;
      const bytes = await context.readFile(examplePath("northwind", "uploads", fileName));
      await local.addUpload({ formId: form.id, fileName, bytes });
    },
  };
}
