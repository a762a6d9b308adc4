/** A package registry on this machine with the packages that npm installs with formctl, from `node_modules`. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ROOT } from "./e2e/program.ts";
import { run } from "./packed-package.ts";
import lock from "../package-lock.json" with { type: "json" };
import manifest from "../package.json" with { type: "json" };

type Locked = {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
const locked = lock.packages as unknown as Readonly<Record<string, Locked>>;

export type Registry = { url: string; close: () => Promise<void> };

/** @param folder an empty folder for the archives of the packages */
export async function startRegistry(folder: string): Promise<Registry> {
  const names = installedNames();
  const sources = [...names].map((name) => join("node_modules", name)).filter((path) => existsSync(join(ROOT, path)));
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, ...sources.map((path) => `./${path}`)], ROOT);

  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url!.slice(1));
    const archive = join(folder, archiveOf(name));
    if (name.endsWith(".tgz")) response.end(readFileSync(join(folder, name)));
    else if (names.has(name)) response.end(JSON.stringify(documentOf(name, existsSync(archive) ? archive : undefined)));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  /** Returns what the registry knows about a package. A package for another platform has no archive. */
  function documentOf(name: string, archive: string | undefined): unknown {
    const { version, ...about } = locked[`node_modules/${name}`]!;
    const integrity = archive && `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    const dist = { tarball: `${url}${archiveOf(name)}`, integrity };
    return { name, "dist-tags": { latest: version }, versions: { [version]: { ...about, name, version, dist } } };
  }
}

/** Returns the names of the packages that npm installs with formctl, on any platform. */
function installedNames(): Set<string> {
  const names = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
  // A set iterates over what is added meanwhile, too.
  for (const name of names) {
    const { dependencies, optionalDependencies } = locked[`node_modules/${name}`]!;
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) names.add(each);
  }
  return names;
}

/** The name that `npm pack` gives to the archive of a package. */
function archiveOf(name: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${locked[`node_modules/${name}`]?.version}.tgz`;
}
