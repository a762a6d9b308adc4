/**
 * The entry `formctl/testing`: what a test of a program that uses the library needs. It needs no test runner. `formctl`
 * does not load it.
 */

export { TEST_ORGANIZATION, testOrganization } from "./testing/organization.ts";
export type { TestOrganization, TestOrganizationOptions } from "./testing/organization.ts";
export { fault, startServer } from "./testing/server.ts";
export type { FaultOptions, FaultTurnOptions, StartServerOptions, TestServer } from "./testing/server.ts";
export type { Fault, FaultEffect, FaultFraming, FaultTurn } from "./schemas/fault.ts";
export { revertScript, runScript, runTransform } from "./testing/migrations.ts";
export type { LayoutContent } from "./composition/layout-content.ts";
export type { RunScriptOptions, StepAnswers } from "./testing/migrations.ts";
