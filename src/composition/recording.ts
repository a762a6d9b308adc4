/** Records the exchanges of a command in the file of `--har`. Loaded only with this option. */

import { resolve } from "node:path";
import { recordExchanges } from "../client/record-exchanges.ts";
import { createRedactor } from "../client/redact-exchange.ts";
import type { Host } from "../base/host.ts";
import { FormctlError } from "../base/error.ts";
import { requireWritable, writeWhole } from "../disk/write-file.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type OpenRecording = Awaited<ReturnType<typeof openRecording>>;

type RecordingOptions = {
  /** The file that the user named. */
  file: string;
  keepsValues: boolean;
  /** The root of the project. */
  root: string;
  version: string;
  host: Pick<Host, "cwd" | "now">;
  terminal: Pick<Terminal, "warn">;
};

/**
 * Prepares the recording. An existing file will be replaced.
 *
 * @throws USAGE for standard output
 * @throws FILE_UNFIT or FILE_UNWRITABLE
 */
export async function openRecording({ file, keepsValues, root, version, host, terminal }: RecordingOptions) {
  if (file === "-") throw new FormctlError("USAGE", "--har requires a file", "Specify a path: --har FILE.har");
  const path = resolve(host.cwd, file);
  await requireWritable(path, root);
  const recording = recordExchanges(version, createRedactor({ keepsValues }), () => host.now());
  const write = async () => {
    await writeWhole(path, recording.text(), 0o600);
    if (recording.size === 0) terminal.warn(`${file} contains no exchanges: the command sent no request to a server.`);
  };
  return {
    record: recording.record,
    /** Runs a command, and writes the file. An error of the command is thrown even if the file can't be written. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      let result: T;
      try {
        result = await work();
      } catch (error) {
        await write().catch((unwritten: Error) => terminal.warn(unwritten.message));
        throw error;
      }
      await write();
      return result;
    },
  };
}
