/** All attack loops, by what they attack. Each group has a test file with its name. */

import { applyRaces } from "./apply-races.ts";
import { damagedFiles } from "./damaged-files.ts";
import { diskErrors } from "./disk-errors.ts";
import { hostileAnswers } from "./hostile-answers.ts";
import { kills } from "./kills.ts";
import type { Loop } from "./loop.ts";
import { migrationChaos } from "./migration-chaos.ts";
import { migrationKills } from "./migration-kills.ts";
import { migrationRaces } from "./migration-races.ts";
import { postgresFailovers } from "./postgres-failovers.ts";
import { pooledFaults, postgresFaults } from "./postgres-faults.ts";
import { powerLoss } from "./power-loss.ts";
import { rehearsals } from "./rehearsals.ts";
import { rehearsedSources } from "./rehearsed-sources.ts";
import { restores } from "./restores.ts";
import { sequences } from "./sequences.ts";
import { storeRaces } from "./store-races.ts";
import { bodiesAtLimits } from "./serve-bodies.ts";
import { halfOpenSockets } from "./serve-half-open.ts";
import { manyRequests } from "./serve-requests.ts";
import { writeKills } from "./write-kills.ts";

export const groups = {
  store: [kills, writeKills, powerLoss, diskErrors, damagedFiles, restores],
  postgres: [postgresFaults, pooledFaults, postgresFailovers],
  migrations: [migrationKills, migrationChaos, migrationRaces],
  client: [hostileAnswers, rehearsals, rehearsedSources, applyRaces],
  server: [bodiesAtLimits, halfOpenSockets, manyRequests],
  sequences: [sequences],
  "store-races": [storeRaces],
} satisfies Record<string, readonly Loop[]>;

export const loops: readonly Loop[] = Object.values(groups).flat();
