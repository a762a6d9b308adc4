/** Tests commands on a damaged store, as processes. */

import { describe, expect, it } from "vitest";
import { soundStores, tamper } from "../store/sound-store.ts";
import { emptyHome, formctl } from "./program.ts";

const soundStore = soundStores();

describe("a command on a damaged store", () => {
  it("exits with 1, and prints the record and the next step without a stack trace", async () => {
    const path = await soundStore();
    tamper(path, `UPDATE forms SET config = '{' WHERE id = 'frm_1'`);
    const home = emptyHome();
    const words = ["--store", path, "--organization", "org-1"];
    const ended = await formctl(["forms", "get", "staffing/candidate/frm_1", ...words], { home });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("the form frm_1 is damaged");
    expect(ended.stderr).toContain("formctl local restore FILE");
    expect(ended.stderr).not.toMatch(/internal error|\n +at /);
  });
});
