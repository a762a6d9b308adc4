/** Generates the reference: a Markdown page and a man page for each command or group at the top of the tree. */

import { loadHelpPage } from "../../src/commands/help-page.ts";
import { TOPICS } from "../../src/commands/help-topics.ts";
import { isGroup, type Leaf, type Group, tree } from "../../src/commands/tree.ts";
import type { Chapter } from "./chapter.ts";
import { indexPage, markdownPage } from "./markdown.ts";
import { manPage, rootManPage } from "./roff.ts";

/** Returns the content of each generated file by its path in the project. */
export async function referenceFiles(version: string): Promise<Map<string, string>> {
  const root = await loadHelpPage([]);
  const chapters = await Promise.all(Object.keys(tree.commands).map(loadChapter));
  const files = new Map<string, string>();
  files.set("docs/reference/README.md", indexPage(root, TOPICS));
  files.set("man/formctl.1", rootManPage(root, TOPICS, version));
  for (const chapter of chapters) {
    const name = chapter.page.path.join("-");
    files.set(`docs/reference/${name}.md`, markdownPage(chapter));
    files.set(`man/formctl-${name}.1`, manPage(chapter, version));
  }
  return files;
}

async function loadChapter(name: string): Promise<Chapter> {
  const node = tree.commands[name]!;
  const commands = isGroup(node) ? await Promise.all(leavesOf(node, [name]).map(loadHelpPage)) : [];
  return { page: await loadHelpPage([name]), commands };
}

function leavesOf(group: Group, path: readonly string[]): string[][] {
  return Object.entries(group.commands).flatMap(([name, node]: [string, Group | Leaf]) =>
    isGroup(node) ? leavesOf(node, [...path, name]) : [[...path, name]],
  );
}
