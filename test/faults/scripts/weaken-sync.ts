/**
 * Is loaded before the program. Makes SQLite flush as the variable SYNCHRONOUS specifies, instead of as the program
 * specifies.
 */

import { DatabaseSync } from "node:sqlite";

const { prototype } = DatabaseSync;
const exec: DatabaseSync["exec"] = Reflect.get(prototype, "exec");

prototype.exec = function weakened(statements: string): void {
  exec.call(this, statements.replace("synchronous = FULL", `synchronous = ${process.env["SYNCHRONOUS"]}`));
};
