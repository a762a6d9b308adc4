/** Runs the attack loops of the group "client" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("client");
