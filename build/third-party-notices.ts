/** A bundler plugin: collects the licences of the packages whose code is in the bundle. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

type Manifest = { name: string; version: string; license?: string; repository?: string | { url?: string } };

const RULE = "=".repeat(80);

/** Creates the plugin, which may be used for several bundles. `text` returns the notices of all bundles. */
export function thirdPartyNotices(): { plugin: Plugin; text: () => string } {
  const notices = new Set<string>();
  return {
    plugin: {
      name: "third-party-notices",
      generateBundle(_options, bundle) {
        const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
        const folders = modules.map((id) => /^[^\0]*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0]);
        for (const folder of new Set(folders)) if (folder !== undefined) notices.add(noticeOf(folder));
      },
    },
    text: () => `formctl contains code of these packages.\n\n${[...notices].sort().join("\n")}`,
  };
}

/** Returns the notice of a package. @throws Error without a licence file: then its code must not be in the bundle */
export function noticeOf(folder: string): string {
  const text = (file: string) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
  const { name, version, license, repository } = JSON.parse(text("package.json")) as Manifest;
  const source = typeof repository === "string" ? repository : repository?.url;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) has no licence file: ${folder}`);
  const licences = files.sort().map(text).join("\n\n");
  return `${RULE}\n${name} ${version} (${license})\nSource: ${source}\n${RULE}\n\n${licences}\n`;
}
