/** Runs the contract suite on a server with other shapes than ours. */

import { overLeanServer } from "./lean-provider.ts";
import { liveServer } from "./live-server.ts";
import { contract } from "./suite.ts";

contract(overLeanServer(liveServer));
