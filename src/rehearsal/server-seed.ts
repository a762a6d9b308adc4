/**
 * Creates the records of a copy from what a server shows. The organization file has some of the missing facts. The
 * other missing facts are assumed in favor of the plan, and reported as unknown. A refusal that depends on an
 * assumption is not certain.
 */

import type { FormctlError } from "../base/error.ts";
import type {
  CopiedAccess,
  CopiedForm,
  CopiedLayout,
  CopiedVersion,
  CopySeed,
  ShownAvailability,
} from "../local-service.ts";
import { DraftHasWarnings } from "../apply/steps.ts";
import { pageKeyOf } from "../lists/layouts.ts";
import { fieldsOwner, type Plan, type PlannedResource } from "../plan/planned.ts";
import type { RehearsalRequest, UnknownFact } from "./rehearsal.ts";
import type { ContentState, FormState, InPlace, LayoutState } from "../state/state.ts";
import type { FormListedAnswer } from "../schemas/answers.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { isSurface, type Mode, MODES } from "../schemas/words.ts";
import { ServiceError } from "../service.ts";
import { copiedOrganization, type KnownFields } from "./copied-organization.ts";

/** What a rehearsal can rely on. */
export type Certainty = {
  /** Whether the target certainly repeats a refusal of the copy. */
  isCertain: (refused: { resource: PlannedResource; step: number; error: ServiceError | FormctlError }) => boolean;
  unknown: readonly UnknownFact[];
  /**
   * Returns a form as the server shows it, if the copy lacks the published content of its layout. Undefined if the copy
   * has the content, or nothing is published.
   */
  unreadForm: (formId: string) => FormListedAnswer | undefined;
};

export type ServerSeed = {
  seed: CopySeed;
  certainty: Certainty;
  /** The plan without resources that the copy can't hold. */
  copiedPlan: Plan;
};

export function readServerSeed(request: RehearsalRequest): ServerSeed {
  const { plan, current } = request;
  const changed = plan.resources.filter(({ steps }) => steps.length > 0);
  const left = new Set(changed.filter((resource) => !isCopyable(resource)));
  const copied = changed.filter((resource) => !left.has(resource));
  const forms = copiedForms(request);
  const layouts = copiedLayouts(request);
  const { organization, fields, unknown } = copiedOrganization({ ...request, changed: copied, forms, layouts });
  const withContent = new Set(
    layouts.flatMap(({ formId, versions }) => (formId !== null && hasPublished(versions) ? [formId] : [])),
  );
  for (const { form, content } of current.forms.values()) {
    if (content && !content.isHidden && !content.published) withContent.add(form.id);
  }
  const shownForms = new Map(
    [...current.objects.values()].flatMap((object) => object.forms.map(({ form }) => [form.id, form] as const)),
  );
  return {
    seed: { organization, forms, layouts },
    certainty: {
      isCertain: certaintyOf(request, fields),
      unknown: [...unknownOfAll(request, copied), ...notCopied([...left]), ...unknown],
      unreadForm: (formId) => (withContent.has(formId) ? undefined : shownForms.get(formId)),
    },
    copiedPlan: { ...plan, resources: plan.resources.filter((resource) => !left.has(resource)) },
  };
}

function hasPublished(versions: readonly CopiedVersion[]): boolean {
  return versions.some(({ status }) => status === "PUBLISHED");
}

/**
 * Whether the copy supports the surface of a resource and the layout modes that its steps set. A server can have other
 * surfaces and modes.
 */
function isCopyable({ subject, steps }: PlannedResource): boolean {
  if (subject.kind === "Layout" && !isSurface(subject.surface)) return false;
  return steps.every(({ request }) => {
    if (request.operation === "createLayout" || request.operation === "updateLayout")
      return knownModes(request.body.supportedModes ?? []).length === (request.body.supportedModes ?? []).length;
    return true;
  });
}

function notCopied(resources: readonly PlannedResource[]): UnknownFact[] {
  if (resources.length === 0) return [];
  const addresses = resources.map(({ address }) => address);
  const text = `${addresses.join(", ")}: not rehearsed, because formctl does not know the surface or a mode`;
  return [{ kind: "notRehearsed", text, addresses, codes: "any" }];
}

export function knownModes(modes: readonly string[]): Mode[] {
  return MODES.filter((mode) => modes.includes(mode));
}

const NO_ACCESS: CopiedAccess = { users: [], roles: [] };

export function copiedForms({ current }: Pick<RehearsalRequest, "current">): CopiedForm[] {
  return [...current.objects.values()].flatMap(({ object, forms }) => {
    const free = new Set<Mode>(MODES);
    return forms.map(({ form, access, defaultFor = [] }): CopiedForm => {
      const types = knownModes(form.types);
      const isActive = form.isActive ?? true;
      // A server may report contradictory defaults. The database keys of the copy accept one default for each mode of
      // an object.
      const defaults = defaultFor.filter((mode) => isActive && types.includes(mode) && free.delete(mode));
      return {
        object,
        id: form.id,
        name: form.name,
        types: types.length > 0 ? types : ["VIEW"],
        isActive,
        isPublic: form.isPublic ?? false,
        config: form.config ?? null,
        access: access ? copiedAccess(access, types) : NO_ACCESS,
        defaultFor: defaults,
      };
    });
  });
}

function copiedAccess({ users, roles }: NonNullable<FormState["access"]>, types: readonly Mode[]): CopiedAccess {
  const granted = (modes: readonly string[]) => types.filter((mode) => modes.includes(mode));
  return {
    users: users.map((row) => ({ ...row, types: granted(row.types) })).filter((row) => row.types.length > 0),
    roles: roles.map((row) => ({ ...row, types: granted(row.types) })).filter((row) => row.types.length > 0),
  };
}

export function copiedLayouts({
  plan,
  current,
  manifests,
}: Pick<RehearsalRequest, "plan" | "current" | "manifests">): CopiedLayout[] {
  const wanted = new Map(manifests.map((manifest) => [manifest.address, manifest.content]));
  const addressOf = new Map([...current.forms].map(([address, { form }]) => [form.id, address]));
  const layouts = [...current.objects.values()].flatMap(({ object, forms }) =>
    forms.flatMap((state): CopiedLayout[] => {
      const { form, content, inPlace } = state;
      if (form.viewLayoutId === undefined) return [];
      const modes = knownModes(form.types);
      const desired = wanted.get(addressOf.get(form.id) ?? "");
      return [
        {
          ...emptyLayout(form.viewLayoutId, form.viewLayoutName ?? form.name),
          surface: "DYNAMIC_OBJECT",
          target: { ...object, formId: form.id },
          formId: form.id,
          modes,
          versions: (inPlace ? versionsInPlace(inPlace, desired, modes) : versionsOf(content, modes)).map((version) =>
            version.status === "PUBLISHED" ? asShown(version, form) : version,
          ),
        },
      ];
    }),
  );
  const pages = new Map<string, Pick<CopiedLayout, "surface" | "target">>();
  const setDefault = organizationDefaults();
  for (const { address, subject } of plan.resources) {
    if (subject.kind !== "Layout" || !isSurface(subject.surface)) continue;
    const { surface, target } = subject;
    const page = pageKeyOf({ surface, target });
    pages.set(page, { surface, target });
    const state = current.layouts.get(address);
    if (!state) continue;
    const modes = modesOfLayout(state);
    layouts.push({
      ...emptyLayout(state.layoutId, state.name ?? subject.name),
      surface,
      target,
      metadata: state.metadata ?? null,
      modes,
      assignments: state.assignments?.roles ?? [],
      isOrganizationDefault: state.assignments?.organizationDefault === true && setDefault(page, modes),
      versions: versionsOf(state.content, modes),
    });
  }
  const copied = new Set(layouts.map(({ id }) => id));
  for (const { layoutId, name, page, modes: words } of current.organizationDefaults) {
    const where = pages.get(page);
    const modes = knownModes(words);
    if (copied.has(layoutId) || !where || !setDefault(page, modes)) continue;
    copied.add(layoutId);
    layouts.push({ ...emptyLayout(layoutId, name), ...where, modes, isOrganizationDefault: true });
  }
  // The names of the other layouts matter: the plan may create a layout with the same name.
  for (const { id, name, page } of current.otherLayouts) {
    const where = pages.get(page);
    if (where && !copied.has(id)) {
      layouts.push({ ...emptyLayout(id, name), ...where, modes: ["VIEW"] });
    }
  }
  return layouts;
}

/**
 * Returns a function that records that a layout is the organization's default on a page for some modes. The function
 * returns false if another layout of the page is already the default for one of these modes.
 *
 * @param page the result of `pageKeyOf`
 */
export function organizationDefaults(): (page: string, modes: readonly Mode[]) => boolean {
  const taken = new Set<string>();
  return (page, modes) => {
    const keys = modes.map((mode) => `${page} ${mode}`);
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  };
}

export function emptyLayout(id: string, name: string) {
  return { id, name, formId: null, metadata: null, assignments: [], isOrganizationDefault: false, versions: [] };
}

function modesOfLayout({ supportedModes }: LayoutState): Mode[] {
  const modes = knownModes(supportedModes ?? MODES);
  return modes.length > 0 ? modes : ["VIEW"];
}

export function versionsOf(content: ContentState | undefined, modes: readonly Mode[]): CopiedVersion[] {
  const versions: CopiedVersion[] = [];
  const add = (status: CopiedVersion["status"], version: ContentState["draft"]) => {
    if (!version) return;
    const saved = knownModes(version.modes ?? modes);
    versions.push({ id: version.id, status, modes: saved, content: version.content });
  };
  add("PUBLISHED", content?.published ?? null);
  add("DRAFT", content?.draft ?? null);
  return versions;
}

/** Returns the published version of a form whose content needs no step. The version has the content of the manifest. */
function versionsInPlace(
  { version }: InPlace,
  content: DraftContent | undefined,
  modes: readonly Mode[],
): CopiedVersion[] {
  return content ? [{ id: version, status: "PUBLISHED", modes, content }] : [];
}

/** Returns the published version of a form with the modes and the availability that the server shows. */
function asShown(version: CopiedVersion, form: FormState["form"]): CopiedVersion {
  const { layoutAvailability: availability, usableTypes, isActive } = form;
  if (!availability) return version;
  const inState = (state: string) => MODES.filter((mode) => availability[mode]?.state === state);
  const unpublished = inState("DRAFT_ONLY");
  const shown: ShownAvailability = {
    published: inState("PUBLISHED"),
    invalid: inState("INVALID"),
    usable: isActive !== false && usableTypes ? knownModes(usableTypes) : undefined,
  };
  return { ...version, modes: version.modes.filter((mode) => !unpublished.includes(mode)), shown };
}

/** Returns the facts that the server does not show: permissions, and on some servers defaults. */
function unknownOfAll({ current }: RehearsalRequest, changed: readonly PlannedResource[]): UnknownFact[] {
  const addresses = changed.map(({ address }) => address);
  const facts: UnknownFact[] = [
    {
      kind: "permissions",
      text: "whether the token may write: a server does not show the permissions of a token",
      addresses,
      codes: ["FORBIDDEN"],
    },
  ];
  const states = new Map([...current.forms.values()].map((state) => [state.form.id, state]));
  const hiddenDefaults = changed.filter(({ formId }) => {
    const state = formId === undefined ? undefined : states.get(formId);
    return state !== undefined && state.defaultFor === undefined;
  });
  if (hiddenDefaults.length > 0) {
    const forms = hiddenDefaults.map(({ address }) => address);
    const text = `for which modes ${forms.join(", ")} is the default: the server does not show it`;
    facts.push({ kind: "defaults", text, addresses: forms, codes: ["FORM_IS_DEFAULT", "FORM_TYPE_IS_DEFAULT"] });
  }
  const layouts = changed.filter(({ kind }) => kind === "Layout").map(({ address }) => address);
  if (!current.listsLayouts && layouts.length > 0) {
    const text = "which layouts are the organization default: the server does not list layouts";
    facts.push({ kind: "defaults", text, addresses: layouts, codes: ["ASSIGNMENT_DEFAULT_TAKEN"] });
  }
  return facts;
}

/** Returns a function that decides whether the target certainly repeats a refusal of the copy. */
function certaintyOf({ current }: RehearsalRequest, fields: KnownFields): Certainty["isCertain"] {
  return ({ resource, step, error }) => {
    const owner = fieldsOwner(resource);
    if (error instanceof DraftHasWarnings) return fields.isKnown(owner) && fields.knowsScripts;
    if (!(error instanceof ServiceError)) return true;
    switch (error.code) {
      // The copy may lack the record, because the record was not read.
      case "NOT_FOUND":
        return false;
      case "FIELD_CHANGES_UNCONFIRMED":
        return fields.isKnown(owner);
      case "DRAFT_INVALID": {
        if (fields.isKnown(owner)) return true;
        const content = savedContent(resource, step) ?? draftOf(resource);
        return content !== undefined && isInvalidAnyway(error, content, resource);
      }
      default:
        return true;
    }
  };

  function draftOf({ address }: PlannedResource): DraftContent | undefined {
    return (current.forms.get(address) ?? current.layouts.get(address))?.content?.draft?.content;
  }
}

function savedContent({ steps }: PlannedResource, before: number): DraftContent | undefined {
  const saved = steps.slice(0, before).findLast(({ request }) => request.operation === "saveDraft")?.request;
  return saved?.operation === "saveDraft" ? saved.content : undefined;
}

/**
 * Whether the content is invalid, whatever fields the target has. The result is true if the checks without fields find
 * an error that the copy found too.
 */
function isInvalidAnyway(error: ServiceError, content: DraftContent, { subject }: PlannedResource): boolean {
  const surface = subject.kind === "Form" ? "DYNAMIC_OBJECT" : subject.surface;
  const identity = ({ code, path }: { code?: string | undefined; path?: string | undefined }) => `${code} ${path}`;
  const found = new Set((error.body.validation?.errors ?? []).map(identity));
  return checkDraft(content, isSurface(surface) ? { surface } : {}).some(
    (diagnostic) => diagnostic.severity === "error" && found.has(identity(diagnostic)),
  );
}
