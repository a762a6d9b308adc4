/** Shows a preview as a page: in a file, or in a browser with an update after each save. */

import { LocatedError } from "../../documents/located-error.ts";
import { mayOpenBrowser, openBrowser } from "../../preview/page/open-browser.ts";
import type { PreviewPage } from "../../preview/page/page.ts";
import { servePage } from "../../preview/page/serve-page.ts";
import type { Mode } from "../../schemas/words.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { CommandContext } from "../command.ts";
import type { Previewed, PreviewInput } from "./preview-source.ts";
import { followPreview, type PreviewUpdate } from "./preview-watch.ts";

/** Returns the page of all layouts. @param mode the mode that is shown first */
export function pageOf({ previews, problems }: Previewed, mode: Mode | undefined): PreviewPage {
  return {
    title: "Layout preview",
    problems,
    entries: previews.map((preview) => ({ title: preview.title, preview, mode })),
  };
}

/**
 * Reads the previews. If a watched file is invalid, returns the problems without previews. The page then shows the
 * problems until the user has corrected the file. Any other error is thrown.
 */
export async function readOrProblems(input: PreviewInput): Promise<Previewed> {
  try {
    return await input.read();
  } catch (error) {
    if (!(error instanceof LocatedError) || input.path === undefined) throw error;
    const { problems, sources } = error;
    return { previews: [], problems, notRun: [], files: [...sources.keys()], sources };
  }
}

const UNOPENED = "No browser was opened. Open the address in a browser.";

export type OpenPage = {
  url: string;
  /** Opens the browser, and updates the page until the program ends. */
  follow(terminal: Terminal): Promise<void>;
};

/** Serves the page. @param first the preview that the page shows first */
export async function openPage(
  context: CommandContext,
  input: PreviewInput,
  first: Previewed,
  { mode, opensBrowser }: { mode: Mode | undefined; opensBrowser: boolean },
): Promise<OpenPage> {
  const served = await servePage(pageOf(first, mode));
  const { url, startUrl } = served;
  return {
    url,
    async follow(terminal) {
      const isAllowed = opensBrowser && terminal.outIsTTY && mayOpenBrowser(context.env);
      const browser = isAllowed ? openBrowser(startUrl) : undefined;
      // Not awaited: the program that opens the browser may run as long as the browser.
      void browser?.isOpen.then((isOpen) => isOpen || terminal.hint(UNOPENED));
      const show = async (update: PreviewUpdate) => served.update(await updatedPage(context, update, mode));
      try {
        await followPreview(context, input, first, show);
      } finally {
        browser?.remove();
        await served.stop();
      }
    },
  };
}

/** Returns the page after a save. If the file is invalid, the page shows its problems and the last readable forms. */
async function updatedPage(context: CommandContext, { last, error }: PreviewUpdate, mode: Mode | undefined) {
  const page = pageOf(last, mode);
  if (error === undefined) return page;
  const forms = last.previews.length > 0 ? " The forms show the last readable content." : "";
  if (error instanceof LocatedError && error.problems.length > 0) {
    return { ...page, notice: `The layout can't be shown.${forms}`, problems: error.problems };
  }
  const { message } = await context.describe(error);
  return { ...page, notice: `The layout can't be read: ${message}.${forms}` };
}
