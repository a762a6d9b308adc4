/** All attack loops. */

import { damagedFiles } from "./damaged-files.ts";
import { hostileAnswers } from "./hostile-answers.ts";
import { kills } from "./kills.ts";
import type { Loop } from "./loop.ts";
import { restores } from "./restores.ts";

export const loops: readonly Loop[] = [kills, restores, damagedFiles, hostileAnswers];
