/** Writes the pages of `plan --html` and `layouts preview --out`. */

import { resolve } from "node:path";
import { requireWritable, writeWhole } from "../disk/write-file.ts";
import type { PreviewPage } from "../preview/page/page.ts";
import type { CommandContext } from "./command.ts";

export type PageFile = { write(page: PreviewPage): Promise<void> };

/**
 * Checks that a page can be written to the file. Commands call this function before they compute the page. An existing
 * file will be replaced.
 *
 * @throws FILE_UNFIT or FILE_UNWRITABLE
 */
export async function openPageFile({ cwd, settings }: CommandContext, file: string): Promise<PageFile> {
  const path = resolve(cwd, file);
  await requireWritable(path, settings.root);
  return {
    async write(page) {
      const { renderPage } = await import("../preview/page/page.ts");
      await writeWhole(path, renderPage(page), 0o644);
    },
  };
}
