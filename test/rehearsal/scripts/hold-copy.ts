/** Copies the store at the given path to a temporary file. Changes the copy, and waits until this process is killed. */

import { copyDatabase } from "../../../src/store/scratch.ts";

const copy = await copyDatabase(process.argv[2]!, 2 ** 30);
copy.exec("DELETE FROM forms");
const { forms } = copy.prepare("SELECT count(*) AS forms FROM forms").get() as { forms: number };
process.stdout.write(`forms: ${forms}\n`);
process.stdin.resume();
