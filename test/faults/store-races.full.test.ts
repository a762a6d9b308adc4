/** Runs the attack loops of the group "store-races" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("store-races");
