/**
 * Runs the contract suite on the engine. Each test over HTTP has a separate file, so that the files run in parallel.
 */

import { engineOnSqlite } from "./engine-provider.ts";
import { contract } from "./suite.ts";

contract(engineOnSqlite);
