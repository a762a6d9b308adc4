/** A bundler plugin: collects the licences of the packages whose code is in the bundle. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

type Manifest = { name?: string; version?: string; license?: string; repository?: string | { url?: string } };

const RULE = "=".repeat(80);

/** Creates the plugin, which may be used for several bundles. `text` returns the notices of all bundles. */
export function thirdPartyNotices(): { plugin: Plugin; text: () => string } {
  const folders = new Set<string>();
  return {
    plugin: {
      name: "third-party-notices",
      generateBundle(_options, bundle) {
        for (const output of Object.values(bundle)) {
          if (output.type !== "chunk") continue;
          for (const id of output.moduleIds) {
            const folder = packageOf(id);
            if (folder !== undefined) folders.add(folder);
          }
        }
      },
    },
    text: () => {
      const notices = [...folders].map(noticeOf);
      return `formctl contains code of these packages.\n\n${[...new Set(notices)].sort().join("\n")}`;
    },
  };
}

/** Returns the folder of a module's package. Returns `undefined` for modules of formctl and of bundler plugins. */
function packageOf(id: string): string | undefined {
  if (id.startsWith("\0") || !id.includes("/node_modules/")) return undefined;
  let folder = dirname(id);
  // A package.json in a subfolder may have no version: it states only the type of the modules in the subfolder.
  while (!existsSync(join(folder, "package.json")) || manifestOf(folder).version === undefined)
    folder = dirname(folder);
  return folder;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/**
 * Returns the notice of a package.
 *
 * @throws Error if the package has no licence file: then its code must not be in the bundle
 */
export function noticeOf(folder: string): string {
  const { name, version, license, repository } = manifestOf(folder);
  const source = typeof repository === "string" ? repository : repository?.url;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) has no licence file: ${folder}`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return `${RULE}\n${name} ${version} (${license})\nSource: ${source}\n${RULE}\n\n${texts.join("\n\n")}\n`;
}
