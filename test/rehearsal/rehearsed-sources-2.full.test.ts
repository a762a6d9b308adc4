/** Part 2 of 3 of the random promotions and transforms (rehearsed-sources.ts). */

import { countOf } from "../effort.ts";
import { testRehearsedSources } from "./rehearsed-sources.ts";

testRehearsedSources(2, countOf("rehearsed promotions and transforms"));
