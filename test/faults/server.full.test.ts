/** Runs the attack loops of the group "server" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("server");
