/** A bundler plugin: collects the licences of the packages whose code is in the bundle. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

type Manifest = { name?: string; version?: string; license?: string; repository?: string | { url?: string } };

const RULE = "=".repeat(80);

/** Creates the plugin, which may be used for several bundles. `text` returns the notices of all bundles. */
export function thirdPartyNotices(): { plugin: Plugin; text: () => string } {
  const notices = new Set<string>();
  return {
    plugin: {
      name: "third-party-notices",
      generateBundle(_options, bundle) {
        const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
        const packaged = modules.filter((id) => !id.startsWith("\0") && id.includes("/node_modules/"));
        for (const folder of new Set(packaged.map(packageOf))) notices.add(noticeOf(folder));
      },
    },
    text: () => `formctl contains code of these packages.\n\n${[...notices].sort().join("\n")}`,
  };
}

/** Returns the packages of a text of notices, each as `NAME VERSION`. */
export function noticedPackages(text: string): string[] {
  return [...text.matchAll(/^=+\n(\S+ \S+) \(.*\)\nSource: /gm)].map(([, name]) => name!);
}

/** Returns the folder of a module's package. A package.json without a version only states the type of modules. */
function packageOf(path: string): string {
  const folder = dirname(path);
  return existsSync(join(folder, "package.json")) && manifestOf(folder).version !== undefined
    ? folder
    : packageOf(folder);
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Returns the notice of a package. @throws Error without a licence file: then its code must not be in the bundle */
export function noticeOf(folder: string): string {
  const { name, version, license, repository } = manifestOf(folder);
  const source = typeof repository === "string" ? repository : repository?.url;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} (${license}) has no licence file: ${folder}`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return `${RULE}\n${name} ${version} (${license})\nSource: ${source}\n${RULE}\n\n${texts.join("\n\n")}\n`;
}
