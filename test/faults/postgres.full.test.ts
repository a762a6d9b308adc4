/** Runs the attack loops of the group "postgres" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("postgres");
