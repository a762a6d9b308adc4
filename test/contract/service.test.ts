/** The contract of the service on the engine. Over HTTP it stands in files of its own, so that they run side by side. */

import { engineOnSqlite } from "./engine-provider.ts";
import { contract } from "./suite.ts";

contract(engineOnSqlite);
