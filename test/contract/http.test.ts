/** The contract of the service over HTTP: client → server → engine in one process. */

import { httpInProcess } from "./http-providers.ts";
import { contract } from "./suite.ts";

contract(httpInProcess);
