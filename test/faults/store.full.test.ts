/** Runs the attack loops of the group "store" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("store");
