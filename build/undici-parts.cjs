// The parts of undici that src/client/undici-fetch.ts uses, under the names of undici's public entry. The bundle
// contains these instead of the whole package, which takes 15 ms longer to load. test/client/undici-parts.test.ts
// compares them with the public entry.
"use strict";

// The public entry adds the methods of the API to every dispatcher.
require("undici/lib/dispatcher/dispatcher.js").prototype.request = require("undici/lib/api/api-request.js");

module.exports = {
  Agent: require("undici/lib/dispatcher/agent.js"),
  EnvHttpProxyAgent: require("undici/lib/dispatcher/env-http-proxy-agent.js"),
};
