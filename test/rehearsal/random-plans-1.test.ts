/** Part 1 of 4 of the random plans (random-plans.ts). The other parts run only in full, and use several cores. */

import { countOf } from "../effort.ts";
import { testRandomPlans } from "./random-plans.ts";

testRandomPlans(1, countOf("rehearsed plans"));
