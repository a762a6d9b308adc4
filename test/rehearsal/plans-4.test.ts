/** Part 4 of 4 of the random plans, so that they use several cores: see random-plans.ts. */

import { testRandomPlans } from "./random-plans.ts";

testRandomPlans(4);
