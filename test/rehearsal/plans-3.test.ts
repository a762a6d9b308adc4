/** Part 3 of 4 of the random plans (random-plans.ts). The parts use several cores. */

import { testRandomPlans } from "./random-plans.ts";

testRandomPlans(3);
