/**
 * Checks that the example's manifests build the forms and layouts of the demo, except for what manifests can't express.
 */

import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { withoutStamp } from "../../src/contents/compare.ts";
import { DraftContent } from "../../src/schemas/draft-schema.ts";
import { type Cli, openCli } from "../commands/cli.ts";

const NORTHWIND = join(import.meta.dirname, "..", "..", "examples", "northwind");
const MANIFESTS = join(NORTHWIND, "manifests");
const REVIEW = "compliance/document_check/Document review";
const OBJECTS = [
  ["staffing", "candidate"],
  ["staffing", "placement"],
  ["compliance", "document_check"],
] as const;

const FORM_MEMBERS = [
  ...(["name", "types", "isActive", "isPublic", "config", "usableTypes"] as const),
  ...(["isDefaultCreate", "isDefaultView", "isDefaultEdit"] as const),
];
const LAYOUT_MEMBERS = ["name", "surface", "supportedModes", "target", "status", "metadata"] as const;

function pick<T extends object, K extends keyof T>(record: T, members: readonly K[]): Pick<T, K> {
  return Object.fromEntries(members.map((member) => [member, record[member]])) as Pick<T, K>;
}

async function typed(cli: Cli, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(...argv);
  if (code !== 0) throw new Error(`formctl ${argv.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}

async function seeded(): Promise<Cli> {
  const cli = await openCli(null);
  await typed(cli, "local", "init");
  await typed(cli, "local", "seed", join(NORTHWIND, "organization.yaml"));
  return cli;
}

/** Creates the demo, and publishes the corrected version of its invalid draft. */
async function demo(): Promise<Cli> {
  const cli = await openCli(null);
  await typed(cli, "local", "init", "--demo");
  await typed(cli, "layouts", "draft", "push", REVIEW, join(NORTHWIND, "drafts", "document-review.yaml"), "--publish");
  return cli;
}

/** Returns everything that users and programs see of forms and layouts, without ids, times and history. */
function seenIn(cli: Cli) {
  return cli.behind(async (service, local) => {
    const { roles, members } = (await local.show()).organizations[0]!;
    const roleName = (id: string | null) => roles.find((role) => role.id === id)?.name;
    const email = (id: string) => members.find((member) => member.id === id)?.email;
    const contentOf = async (layoutId: string, status: string) => {
      const version = (await service.listVersions({ layoutId })).find((each) => each.status === status);
      return version ? withoutStamp(DraftContent.parse(version)) : null;
    };
    const forms = await Promise.all(
      OBJECTS.map(async ([moduleKey, objectKey]) => {
        const { data } = await service.listForms({ moduleKey, objectKey, query: { limit: 100 } });
        return Promise.all(
          data.map(async (form) => {
            const { users, roles: rows } = await service.getFormAccess({ moduleKey, objectKey, formId: form.id });
            return {
              ...pick(form, FORM_MEMBERS),
              states: Object.fromEntries(
                Object.entries(form.layoutAvailability).map(([mode, { state }]) => [mode, state]),
              ),
              users: users.map(({ membershipId, types: modes }) => [email(membershipId), modes]),
              roles: rows.map(({ roleId, types: modes }) => [roleName(roleId), modes]),
              published: await contentOf(form.viewLayoutId, "PUBLISHED"),
            };
          }),
        );
      }),
    );
    const layouts = await Promise.all(
      (await service.listLayouts({}))
        .filter(({ target }) => !target["formId"])
        .map(async ({ id, assignments, ...layout }) => ({
          ...pick(layout, LAYOUT_MEMBERS),
          assignments: assignments.map(({ roleId, priority, isDefault }) => [roleName(roleId), priority, isDefault]),
          published: await contentOf(id, "PUBLISHED"),
          draft: await contentOf(id, "DRAFT"),
        })),
    );
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    return { forms: forms.flat().sort(byName), layouts: layouts.sort(byName) };
  });
}

describe("examples/northwind/manifests", () => {
  let cli: Cli;
  beforeEach(async () => {
    cli = await seeded();
  });

  it("build what the demo builds", async () => {
    await typed(cli, "apply", MANIFESTS, "--yes");
    const seen = await seenIn(cli);
    expect(seen.forms).toHaveLength(5);
    expect(seen.layouts).toHaveLength(4);
    expect(seen).toEqual(await seenIn(await demo()));
  });

  it("are detected if they build something else (control)", async () => {
    await typed(cli, "apply", MANIFESTS, "--yes");
    const before = await seenIn(cli);
    await typed(
      cli,
      "forms",
      "access",
      "revoke",
      "staffing/candidate/Candidate profile",
      "--role",
      "Recruiter",
      "--yes",
    );
    expect(await seenIn(cli)).not.toEqual(before);
  });

  it("leave nothing to do after they are applied, and stay valid", async () => {
    await typed(cli, "apply", MANIFESTS, "--yes");
    expect(await typed(cli, "plan", MANIFESTS, "--detailed-exitcode", "-o", "json")).toContain('"exitCode": 0');
    await typed(cli, "validate", MANIFESTS);
    await typed(cli, "local", "check");
  });

  it("have one warning, which --strict refuses", async () => {
    const { code, stdout } = await cli.run("validate", MANIFESTS, "--strict");
    expect(code).toBe(3);
    expect(stdout.match(/LABEL_MISSING/g)).toHaveLength(1);
  });

  it("take the heading of the public form from the environment", async () => {
    cli.env["NORTHWIND_INTAKE_TITLE"] = "TEST - do not apply here";
    await typed(cli, "apply", MANIFESTS, "--yes");
    const form = await typed(cli, "forms", "get", "staffing/candidate/Candidate intake", "-o", "json");
    expect(JSON.parse(form)).toMatchObject({ config: { title: "TEST - do not apply here" } });
  });
});
