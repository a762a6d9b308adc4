/** The contract of the service over HTTP, with two servers on one PostgreSQL database. */

import { postgresOfFile } from "../postgres.ts";
import { httpInTurn } from "./http-providers.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

contract(httpInTurn(engineOnPostgres(await postgresOfFile(), { servers: 2 })));
