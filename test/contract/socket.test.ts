/** The contract of the service over HTTP, on real sockets. */

import { httpOverSocket } from "./http-providers.ts";
import { contract } from "./suite.ts";

contract(httpOverSocket);
