/** The contract of the service on PostgreSQL. */

import { postgresOfFile } from "../postgres.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

contract(engineOnPostgres(await postgresOfFile()));
