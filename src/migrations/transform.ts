/**
 * Plans and applies a transform as a project. The functions of the migration compute the desired state from the current
 * forms and layouts.
 */

import pMap from "p-map";
import { problemsError } from "../documents/located-error.ts";
import type { Plan } from "../plan/planned.ts";
import type { LoadedManifests, ProjectHost, Project, ProjectSetup } from "../project/project.ts";
import { type Check, notRunText } from "../manifests/read/check.ts";
import type { ContentState } from "../state/state.ts";
import type { Located } from "../schemas/diagnostic.ts";
import { checkDraft } from "../schemas/draft-checks.ts";
import { type MigrationCode, positionOf } from "./call-transform.ts";
import { type Computed, type Computing, openComputed } from "./computed-project.ts";
import type { Transform } from "./definition.ts";
import { findResources } from "./find-resources.ts";
import { byAddress, type LeftOut, leftOut } from "./left-out.ts";
import { needsContent } from "./match.ts";
import type { FormerDraft, Replaced } from "./record.ts";
import { readReplaced } from "./replaced.ts";
import { recordedDraft, type Transformed, transformResource } from "./transform-resource.ts";

export type TransformOptions = Omit<ProjectSetup, "desired" | "manifests" | "variables"> & {
  transform: Transform;
  code: MigrationCode;
  /**
   * Whether drafts of users may be overwritten by the changed published content. If not, layouts with such a draft are
   * left out. Default: false.
   */
  allowReplace?: boolean;
  /**
   * What an interrupted run of this migration replaced. The functions don't get the results of that run: otherwise a
   * part would be transformed twice.
   */
  recorded?: readonly Replaced[];
};

export type TransformProject = Project & {
  /** Returns what the last `plan` or `apply` left out. */
  left(): readonly LeftOut[];
  /**
   * Returns what a plan replaces, for the record of migrations and for `downProject`. Call it before `apply`.
   *
   * @throws the errors of the service
   */
  replaced(plan: Plan): Promise<Replaced[]>;
  /** Returns the ids of the layouts whose recorded drafts were saved again before the last `plan` or `apply`. */
  savedDrafts(): ReadonlySet<string>;
};

/**
 * Opens a transform as a project. `plan` and `apply` read the matching forms and layouts, and call the functions of the
 * migration. In addition to the errors of every project, `plan` and `apply` throw:
 * - the errors of these functions, located in the file of the migration
 * - `MIGRATION_INVALID`, located at a function with an invalid result
 *
 * A published layout is changed and published. An unpublished draft is changed and left unpublished. A resource that
 * can't be changed is left out, for example an invalid layout. The other resources are changed anyway.
 */
export function transformProject(options: TransformOptions, host: ProjectHost): TransformProject {
  const { transform, code, target, onProgress, allowReplace = false } = options;
  const concurrency = options.concurrency ?? target.concurrency;
  let left: readonly LeftOut[] = [];
  let contents: ReadonlyMap<string, ContentState> = new Map();
  let drafts: ReadonlyMap<string, FormerDraft> = new Map();
  let saved: ReadonlySet<string> = new Set();

  async function compute({ reader, check }: Computing): Promise<Computed> {
    const references = await target.references();
    const match = transform.match ?? {};
    const recorded = new Map(
      options.recorded?.flatMap((each) =>
        [each.layoutId, each.formId ?? each.layoutId].map((id) => [id, each] as const),
      ),
    );
    const wantsLayouts = transform.layout !== undefined;
    let endReadAhead = () => {};
    const readAhead = (layoutIds: readonly string[]) => (endReadAhead = reader.readAhead(layoutIds));
    // The contents of layouts are read while the forms are listed. Most contents are needed for the match or the
    // transform.
    const onOwnedLayouts = wantsLayouts || needsContent(match) ? readAhead : undefined;
    const resources = await findResources({
      reader,
      match,
      wantsLayouts,
      recorded: transform.form ? recorded : new Map(),
      onOwnedLayouts,
    }).finally(() => endReadAhead());
    const layoutFunction = positionOf(code, "layout");
    const formFunction = positionOf(code, "form");
    const positions = { layout: layoutFunction.location, form: formFunction.location };
    let done = 0;
    const transformed = await pMap(
      resources.found,
      async (found): Promise<Transformed> => {
        const result = await transformResource(found, {
          transform,
          code,
          positions,
          reader,
          check,
          references,
          allowReplace,
          recorded,
        });
        // The versions of layouts without a change are not needed again, and would fill the memory.
        if (!result.manifest && found.about.layoutId !== undefined) reader.forgetContent(found.about.layoutId);
        onProgress?.({ stage: "reading", done: ++done, total: resources.found.length });
        return result;
      },
      { concurrency: READ_AHEAD * concurrency },
    );
    // Node reports the rejections that the functions do not handle at the end of a turn. The call throws them.
    await new Promise(setImmediate);
    code.call(wantsLayouts ? "layout" : "form", () => undefined);
    contents = new Map(transformed.flatMap(({ content }) => (content ? [[content.layoutId, content] as const] : [])));
    drafts = new Map(
      transformed.flatMap(({ change, layoutId }) => {
        const draft = change?.rebased ?? change?.ofDraft;
        return draft ? [[layoutId!, recordedDraft(draft)]] : [];
      }),
    );
    saved = new Set(transformed.flatMap(({ savedDraftOf }) => savedDraftOf ?? []));
    const { problems, invalid, ...checked } = sortOut(transformed, check);
    const all = [...resources.left, ...transformed.flatMap((each) => each.left ?? []), ...invalid];
    // Resources with the same name have the same address, so they are listed once.
    left = [...new Map(all.map((each) => [`${each.kind} ${each.address}`, each])).values()].toSorted(byAddress);
    const { sources } = transform.layout ? layoutFunction : formFunction;
    if (problems.some(({ severity }) => severity === "error")) {
      throw problemsError("MIGRATION_INVALID", { problems, sources });
    }
    const without = new Set(invalid.map(({ address }) => address));
    const manifests = transformed
      .flatMap(({ manifest }) => manifest ?? [])
      .filter(({ address }) => !without.has(address));
    return { manifests, sources, problems, ...checked };
  }

  const { project, reader } = openComputed(options, host, compute);
  return {
    ...project,
    left: () => left,
    replaced: async (plan) => readReplaced(plan, { reader: reader(), contents, drafts }),
    savedDrafts: () => saved,
  };
}

/**
 * The number of layouts in progress for each concurrent request. A layout is in progress while its content is read or
 * waits for the transform. So the next request is sent before the last answer is transformed. The reader limits
 * the number of concurrent requests.
 */
const READ_AHEAD = 8;

type SortedOut = Pick<LoadedManifests, "problems" | "ofContents" | "notRun"> & { invalid: LeftOut[] };

/**
 * Separates the problems that the transform causes from the older problems of the layouts. The older problems are not
 * reported. A published layout that still has an older error is left out: the service would refuse to publish it.
 */
function sortOut(transformed: readonly Transformed[], check: Check): SortedOut {
  const { problems, ofContents, notRun } = check.finish();
  const changes = new Map(
    transformed.flatMap(({ manifest, change }) =>
      manifest && change ? [[manifest.address, { manifest, change }]] : [],
    ),
  );
  const former = new Map<string, ReadonlySet<string>>();
  const isOld = (problem: Located): boolean => {
    const address = ofContents.get(problem);
    const changed = address === undefined ? undefined : changes.get(address);
    if (address === undefined || !changed) return false;
    let texts = former.get(address);
    if (!texts) {
      const { manifest, change } = changed;
      const found = checkDraft(change.before, check.knownOf({ ...manifest, content: change.before }));
      texts = new Set(found.map((each) => textOf(manifest.locate(each))));
      former.set(address, texts);
    }
    return texts.has(textOf(problem));
  };
  const fresh = problems.filter((problem) => !isOld(problem));
  const faulty = new Set(fresh.filter(({ severity }) => severity === "error").map((each) => ofContents.get(each)));
  const invalid = new Map<string, LeftOut>();
  for (const problem of problems) {
    const address = ofContents.get(problem) ?? "";
    const changed = changes.get(address);
    if (problem.severity !== "error" || !changed?.change.publish || faulty.has(address) || invalid.has(address))
      continue;
    const what = changed.change.ofDraft ? "draft" : "published layout";
    const reason = `its ${what} is invalid, so that the changed one can't be published: ${problem.message.slice(address.length + 2)}`;
    invalid.set(address, leftOut(changed.manifest, reason, "Correct the layout, and run the migration again."));
  }
  return {
    problems: fresh,
    ofContents,
    notRun: notRun.map(notRunText),
    invalid: [...invalid.values()],
  };
}

function textOf({ code, message }: Located): string {
  return `${code} ${message}`;
}
