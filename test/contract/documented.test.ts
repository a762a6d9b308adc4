/** The contract of the service on a server that returns only documented members. */

import { documentedServer } from "./documented-server.ts";
import { overLeanServer } from "./lean-provider.ts";
import { contract } from "./suite.ts";

contract(overLeanServer(documentedServer));
