/** Runs the attack loops of the group "sequences" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("sequences");
