/** Runs the contract suite over HTTP in one process: client → server → engine. */

import { httpInProcess } from "./http-providers.ts";
import { contract } from "./suite.ts";

contract(httpInProcess);
