/** Where names of roles and members are looked up: in the local store, or in the project file for a server. */

import type { References } from "../../manifests/references.ts";
import type { CommandContext } from "../command.ts";

/** Reads the local store, or nothing but the settings: no server is asked. */
export declare function findReferences(context: CommandContext): Promise<References>;
