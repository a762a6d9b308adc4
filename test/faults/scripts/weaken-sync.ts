/**
 * Is loaded before the program. SQLite then flushes as the environment variable SYNCHRONOUS specifies. The setting of
 * the program has no effect.
 */

import { DatabaseSync } from "node:sqlite";

const { prototype } = DatabaseSync;
const exec: DatabaseSync["exec"] = Reflect.get(prototype, "exec");

prototype.exec = function weakened(statements: string): void {
  exec.call(this, statements.replace("synchronous = FULL", `synchronous = ${process.env["SYNCHRONOUS"]}`));
};
