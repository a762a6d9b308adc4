/**
 * The contract of the service on the engine. The contract over HTTP has its own files, so that they run in parallel.
 */

import { engineOnSqlite } from "./engine-provider.ts";
import { contract } from "./suite.ts";

contract(engineOnSqlite);
