/**
 * Writes the software bill of materials of the package, as CycloneDX 1.5: `node build/sbom.ts FILE`. It lists the
 * packages of the lock file that a user installs or whose code is in the bundle, with their versions and hashes. The
 * notices of `dist/` name those in the bundle.
 */

import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };

type Bom = {
  metadata: { component: { name: string } };
  components: { "bom-ref": string; properties: { name: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const OWN = `${manifest.name}@${manifest.version}`;
// npm's option `--omit dev` would also omit the bundled packages, such as zod.
const command = "npm sbom --package-lock-only --sbom-format cyclonedx --sbom-type application";
const bom = JSON.parse(execSync(command, { maxBuffer: 2 ** 26 }).toString()) as Bom;
const notices = readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8");
const named = notices.matchAll(/^=+\n(\S+) (\S+) \(.*\)\nSource: /gm);
const bundled = new Set([...named].map(([, name, version]) => `${name}@${version}`));
const isDevelopment = ({ name }: { name: string }) => name === "cdx:npm:package:development";
bom.components = bom.components.filter((each) => bundled.has(each["bom-ref"]) || !each.properties.some(isDevelopment));
const listed = new Set(bom.components.map((each) => each["bom-ref"]));
// npm names the folder.
bom.metadata.component.name = manifest.name;
for (const each of bom.components) {
  // For npm, what is bundled is optional and for development. The package contains it.
  if (bundled.has(each["bom-ref"])) Object.assign(each, { scope: "required", properties: [] });
}
bom.dependencies = bom.dependencies.filter(({ ref }) => listed.has(ref) || ref === OWN);
for (const each of bom.dependencies) {
  const all = each.ref === OWN ? [...each.dependsOn, ...bundled] : each.dependsOn;
  each.dependsOn = [...new Set(all)].filter((ref) => listed.has(ref));
}
writeFileSync(process.argv[2]!, `${JSON.stringify(bom, undefined, 2)}\n`);
