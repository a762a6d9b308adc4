/** The versions of a layout: read, and copied back into the draft (R108). */

import type { LayoutVersion } from "../schemas/layout.ts";
import { findVersion, listVersionIds } from "../store/versions.ts";
import { replaceDraft } from "./drafts.ts";
import { contentOf, toLayoutVersion } from "./layout-records.ts";
import { publishLayout } from "./publish.ts";
import { conflict } from "./refuse.ts";
import type { Rules } from "./world.ts";

export const versionRules = {
  publishLayout,

  /** All versions, newest first; the draft is one of them (R93). */
  async listVersions(world) {
    const { tx, layout } = world;
    const versions: LayoutVersion[] = [];
    for (const id of await listVersionIds(tx, layout.id)) {
      const version = await findVersion(tx, layout.id, id);
      if (version) versions.push(toLayoutVersion(version));
    }
    return versions;
  },

  /** One version with its content; the draft too (R94). */
  async getVersion(world) {
    return toLayoutVersion(world.version);
  },

  /**
   * Makes a version's content the draft (R54), and publishes nothing (R55). A field that is gone since then does not
   * stop it: the draft is saved, and says so.
   *
   * @throws ServiceError 409 VERSION_IS_DRAFT when the version is the draft itself
   */
  async restoreDraft(world) {
    const { layout, version } = world;
    if (version.status === "DRAFT") {
      throw conflict("VERSION_IS_DRAFT", `the version ${version.id} is the draft: there is nothing to restore`);
    }
    return replaceDraft(world, layout, contentOf(version), version.id);
  },
} satisfies Partial<Rules>;
