/** Runs the attack loops of the group "migrations" (loops.ts). */

import { testLoops } from "./test-loops.ts";

testLoops("migrations");
