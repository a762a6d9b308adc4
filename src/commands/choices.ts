/**
 * Lists the values of arguments and options: the records of the target, and the names in the settings. The value of a
 * choice is the word that the user would type.
 */

import { SETTING_KEYS, SETTINGS } from "../config/setting-rows.ts";
import { listAllForms } from "../lists/forms.ts";
import { addressOf, objectText, type ObjectKey } from "../lists/addresses.ts";
import { isOwned, objectOf, objectsIn, objectsOf, objectsWithForms } from "../lists/objects.ts";
import { currentVersion, wholeVersion } from "../lists/versions.ts";
import type { FormListedAnswer, LayoutAnswer, VersionAnswer } from "../schemas/answers.ts";
import type { Service } from "../service.ts";
import { visible } from "../terminal/escape.ts";
import type { Choice } from "../terminal/prompter.ts";
import { configuredObject, type LayoutAddress } from "./addresses.ts";
import type { CommandContext, ListName } from "./command.ts";
import { findLocalOrganization } from "./local-names.ts";
import { findLayoutId, ifListed, isTypeable } from "./lookups.ts";

/** What the choices depend on: the target, and the arguments and options that are already known. */
export type Asking = { context: CommandContext; input: Readonly<Record<string, unknown>> };

/** Returns the choices of a list. Empty if the target does not offer the list to the token. */
export function listChoices(list: Exclude<ListName, "form">, asking: Asking): Promise<Choice[]> {
  return LISTS[list](asking);
}

const LISTS: { [L in Exclude<ListName, "form">]: (asking: Asking) => Promise<Choice[]> } = {
  object: ({ context }) => objectChoices(context),
  layout: ({ context }) => layoutChoices(context),
  version: ({ context, input }) => ifListed(() => versionChoices(context, input["layout"] as LayoutAddress)),
  stagedChange: ({ context, input }) => ifListed(() => stagedChoices(context, input["layout"] as LayoutAddress)),
  role: async ({ context }) =>
    (await organizationOf(context))?.roles.map(({ key, name }) => ({ name, value: key, description: key })) ?? [],
  member: async ({ context }) =>
    (await organizationOf(context))?.members.map(({ email, name }) => ({ name: `${name} <${email}>`, value: email })) ??
    [],
  async token({ context }) {
    const tokens = await (await context.local()).listTokens(context.organization);
    return tokens
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ id, name }) => ({ name, value: id, description: id }));
  },
  currency: ({ context }) =>
    ifListed(async () => {
      const currencies = await (await context.service()).listCurrencies({});
      return currencies.map(({ code, name }) => ({ name: [code, name].filter(Boolean).join("  "), value: code }));
    }),
  profile: async ({ context: { settings } }) =>
    settings.profiles().map(({ name, profile }) => ({
      name,
      value: name,
      description: "baseUrl" in profile ? profile.baseUrl : profile.store,
    })),
  setting: async () => SETTING_KEYS.map((key) => ({ name: key, value: key, description: SETTINGS[key].about })),
  async migration({ context: { settings } }) {
    const { readMigrationFolder } = await import("../migrations/folder.ts");
    const files = await readMigrationFolder({ root: settings.root, folder: settings.migrations });
    return files.map(({ name }) => ({ name, value: name }));
  },
};

/**
 * Returns the organization of a local target; undefined if the target is a server.
 *
 * @throws ORGANIZATION_UNCLEAR if the specified organization is unknown. Also if none is specified, and the store has
 *   none or several
 * @throws STORE_MISSING
 */
async function organizationOf(context: CommandContext) {
  const organization = await findLocalOrganization(context);
  // This request fails with the error that explains why the organization is unclear.
  if (!organization && context.target.kind === "local") await (await context.service()).listLayouts({ query: {} });
  return organization;
}

/**
 * Returns the objects that can have forms. A server does not list its objects. For a server, the objects come from the
 * layouts and from the settings.
 */
export async function objectChoices(context: CommandContext): Promise<Choice[]> {
  const organization = await organizationOf(context);
  if (organization) {
    return objectsIn(organization).map(({ object, name }) => {
      const address = objectText(object);
      return { name: address, value: address, description: name };
    });
  }
  const configured = configuredObject(context.settings);
  const layouts = await ifListed(async () => (await context.service()).listLayouts({ query: {} }));
  const addresses = objectsOf(layouts).map(objectText);
  return [...new Set([...(configured ? [objectText(configured)] : []), ...addresses.toSorted()])].map((address) => ({
    name: address,
    value: address,
  }));
}

/**
 * Returns the forms of an object. A form whose name is ambiguous or has hidden characters is chosen by its id.
 *
 * @param list lists the forms; by default, all forms of the object
 */
export async function formChoices(
  context: CommandContext,
  object: ObjectKey,
  list: (service: Service, object: ObjectKey) => Promise<readonly FormListedAnswer[]> = listAllForms,
): Promise<Choice[]> {
  const forms = await ifListed(async () => [...(await list(await context.service(), object))]);
  return forms.toSorted(byName).map((form) => ({
    name: form.name,
    value: `${objectText(object)}/${typedName(form, forms)}`,
    description: `${form.id}  ${form.types.join(", ")}`,
  }));
}

const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
  (a.name ?? "").localeCompare(b.name ?? "");

function typedName({ id, name }: FormListedAnswer, forms: readonly FormListedAnswer[]): string {
  return isTypeable(name) && forms.filter((form) => form.name === name).length === 1 ? name : id;
}

async function layoutChoices(context: CommandContext): Promise<Choice[]> {
  const layouts = await listLayouts(context);
  const ofForms = await Promise.all(
    objectsWithForms(layouts).map(async (object) => {
      const address = objectText(object);
      const forms = await formChoices(context, object);
      if (forms.length > 0) return forms.map((form) => ({ ...form, name: `${address}/${form.name}` }));
      // No form is listed if the token lacks the permission to read forms. The layouts of forms are then listed by
      // layout id.
      const ofObject = layouts.filter((layout) => isOwned(layout) && objectText(objectOf(layout)!) === address);
      return ofObject.map(({ id, name = id }) => ({ name: `${address}/${name}`, value: id, description: id }));
    }),
  );
  return [...ofForms.flat(), ...pagesAmong(layouts)];
}

/** Returns the layouts that no form owns. */
export async function pageChoices(context: CommandContext): Promise<Choice[]> {
  return pagesAmong(await listLayouts(context));
}

function listLayouts(context: CommandContext): Promise<LayoutAnswer[]> {
  return ifListed(async () => (await context.service()).listLayouts({ query: {} }));
}

function pagesAmong(layouts: readonly LayoutAnswer[]): Choice[] {
  const pages = layouts.filter(({ target }) => target?.formId == null);
  return pages.toSorted(byName).map((layout) => pageChoice(layout, pages));
}

function pageChoice(layout: LayoutAnswer, pages: readonly LayoutAnswer[]): Choice {
  const { id, supportedModes = [] } = layout;
  const address = addressOf(layout);
  const isUnique = address !== undefined && pages.filter((each) => addressOf(each) === address).length === 1;
  return {
    name: address ?? id,
    value: isUnique && visible(address) === address ? address : id,
    description: `${id}  ${supportedModes.join(", ")}`,
  };
}

/** Lists the staged field changes of the draft. */
async function stagedChoices(context: CommandContext, layout: LayoutAddress): Promise<Choice[]> {
  const service = await context.service();
  const { layoutId } = await findLayoutId(service, layout);
  const draft = await currentVersion(service, layoutId, "draft", await service.listVersions({ layoutId }));
  if (!draft) return [];
  const { stagedFieldDefinitions = [] } = await wholeVersion(service, layoutId, draft);
  return stagedFieldDefinitions.map(({ draftId, action, key }) => ({
    name: draftId,
    value: draftId,
    description: `${action} ${key}`,
  }));
}

async function versionChoices(context: CommandContext, layout: LayoutAddress): Promise<Choice[]> {
  const service = await context.service();
  const { layoutId } = await findLayoutId(service, layout);
  const versions = await service.listVersions({ layoutId });
  const latest = await currentVersion(service, layoutId, "latest", versions);
  const draft = await currentVersion(service, layoutId, "draft", versions);
  const numbered = ({ version, id, status }: VersionAnswer): Choice => {
    const value = version === undefined ? id : String(version);
    return { name: status === undefined ? value : `${value} (${status.toLowerCase()})`, value, description: id };
  };
  return [
    ...(latest ? [{ name: `latest: ${numbered(latest).name}`, value: "latest", description: latest.id }] : []),
    ...(draft ? [{ name: `draft: ${numbered(draft).name}`, value: "draft", description: draft.id }] : []),
    ...versions.filter((version) => version !== draft).map(numbered),
  ];
}
