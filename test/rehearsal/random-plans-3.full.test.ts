/** Part 3 of 4 of the random plans (random-plans.ts). */

import { countOf } from "../effort.ts";
import { testRandomPlans } from "./random-plans.ts";

testRandomPlans(3, countOf("rehearsed plans"));
