/** `formctl doctor --contract`: lists every planted difference of a server, and nothing else. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/schemas/json.ts";
import { serveLean } from "./contract-scene.ts";
import { documentedServer } from "../contract/documented-server.ts";
import { liveServer } from "../contract/live-server.ts";
import { canaryText } from "../canary.ts";
import { insertProxy, type Manner } from "../proxy/proxy.ts";
