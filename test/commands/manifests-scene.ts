/** Manifests of forms and a layout in the contract's organization. They work on a local store and on a server. */

import { join } from "node:path";
import { type Cli, openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

export type ManifestsScene = {
  cli: Cli;
  /** Returns the number of writes in the audit log. */
  writes: () => Promise<number>;
  roleId: string;
};

export type Place = "a local store" | "a server";
export const PLACES: Place[] = ["a local store", "a server"];

export async function openManifestsScene(place: Place): Promise<ManifestsScene> {
  const cli = place === "a server" ? (await openRemoteScene()).cli : await openCli();
  const local = <T>(use: Parameters<typeof cli.behind<T>>[0]) => behindNorthwind(cli, use);
  const organizations = await local(async (_service, store) => (await store.show()).organizations);
  const roleId = organizations.find(({ key }) => key === "northwind")!.roles[0]!.id;
  writeManifests(cli, roleId);
  return { cli, roleId, writes: () => local(async (_service, store) => (await store.log({ limit: 10_000 })).length) };
}

/** Returns the manifest of a layout with one field. No form owns the layout. */
export function contractorCard(label: string): string {
  return `kind: Layout
surface: CONTRACTOR
name: Card
supportedModes: [VIEW]
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f_risk, type: field, source: custom_field, ref: {fieldKey: risk_class}, regionKey: main, config: {label: ${label}}}
`;
}

/** Opens the store in the organization northwind. The setting for the organization doesn't matter. */
export async function behindNorthwind<T>(cli: Cli, use: Parameters<typeof cli.behind<T>>[0]): Promise<T> {
  const named = cli.env["FORMCTL_ORGANIZATION"];
  cli.env["FORMCTL_ORGANIZATION"] = "northwind";
  try {
    return await cli.behind(use);
  } finally {
    if (named === undefined) delete cli.env["FORMCTL_ORGANIZATION"];
  }
}

/** Writes manifests of two forms of candidates, one form of placements, and a card. @returns the folder */
export function writeManifests(cli: Pick<Cli, "file">, roleId: string): string {
  for (const [name, text] of Object.entries(manifestTexts(roleId))) cli.file(join("manifests", name), text);
  return "manifests";
}

export function manifestTexts(roleId: string): Record<string, string> {
  return {
    "candidate.yaml": `kind: Form
object: staffing/candidate
name: Profile
types: [VIEW, EDIT]
config: {title: Candidate}
defaultFor: [VIEW, EDIT]
access:
  users: []
  roles:
    - {roleId: ${roleId}, types: [VIEW]}
layout: ./profile.layout.yaml
---
kind: Form
object: staffing/candidate
name: Intake
types: [CREATE]
defaultFor: [CREATE]
layout:
${indented(layoutText("full_name", "email"))}
`,
    "profile.layout.yaml": layoutText("full_name", "email", "phone"),
    "placement.yaml": `kind: Form
object: staffing/placement
name: Desk
types: [VIEW]
layout:
${indented(layoutText("title", "pay_rate"))}
`,
    "card.yaml": `kind: Layout
surface: CONTRACTOR
name: Card
supportedModes: [VIEW, EDIT]
assignments:
  organizationDefault: true
  roles: [{roleId: ${roleId}, priority: 5}]
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: f_risk, type: field, source: custom_field, ref: {fieldKey: risk_class}, regionKey: main, config: {label: Risk}}
`,
  };
}

const REQUIRED = ["full_name", "email"];

export function layoutText(...keys: string[]): string {
  const blocks = keys.map(
    (key, order) =>
      `  - {id: f_${key}, type: field, source: dynamic_field, ref: {fieldKey: ${key}}, regionKey: main, ` +
      `displayOrder: ${order}, config: {label: ${key}}, requiredPolicy: ${REQUIRED.includes(key) ? "required" : "optional"}}`,
  );
  return `schemaVersion: 1
regions:
  - {key: main, label: Main, layout: grid, columns: 12, displayOrder: 0}
blocks:
${blocks.join("\n")}
`;
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
