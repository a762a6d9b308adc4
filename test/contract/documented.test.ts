/** The contract of the service on a server that answers only what the API document names. */

import { documentedServer } from "./documented-server.ts";
import { overLeanServer } from "./lean-provider.ts";
import { contract } from "./suite.ts";

contract(overLeanServer(documentedServer));
