/** Decides where a target's record of migrations is: in a table, a layout or a file. */

import { FormctlError } from "../base/error.ts";
import { isMigrationRecord, MIGRATION_RECORD } from "../lists/layouts.ts";
import type { ProjectTarget } from "../state/target.ts";
import type { Service } from "../service.ts";
import type { MigrationRecord, RecordState } from "./record.ts";
import { fileRecord, type FileRecordOptions } from "./record-file.ts";
import { type LayoutRecord, layoutRecord, LayoutRecordRefused } from "./record-layout.ts";
import { lostRecord } from "./record-entries.ts";
import { type RecordMemory, recordMemory } from "./record-memory.ts";
import { storeRecord } from "./record-store.ts";

export type RecordOptions = Omit<FileRecordOptions, "key"> & {
  target: ProjectTarget;
  /** Creates the mutation ids of writes. Random by default. */
  newMutationId?: () => string;
  onWarning: (warning: { message: string }) => void | Promise<void>;
};

/**
 * Opens the record of migrations of a target. Its location depends on the target:
 *
 * - a local store: a table
 * - a server: a layout
 * - a server that can't hold the record: a file in the folder of the migrations
 *
 * The use of a file is reported to `onWarning`, because the user has to commit the file. The functions of the record
 * throw MIGRATION_RECORD_DAMAGED, MIGRATION_RECORD_AMBIGUOUS, and the errors of the target.
 *
 * @throws MIGRATION_RECORD_AMBIGUOUS if a local store contains a record in a layout. Clients of `formctl serve` write
 *   such a record. The table lacks the migrations in that record, so they would run a second time
 */
export async function openRecord(options: RecordOptions): Promise<MigrationRecord> {
  const { target, newMutationId = () => crypto.randomUUID(), ...fileOptions } = options;
  if (target.migrations) {
    const stored = await target.migrations();
    await refuseRecordOfServer(await target.service());
    return storeRecord(stored);
  }
  const service = await target.service();
  const file = fileRecord({ ...fileOptions, key: await target.key() });
  const memory = await recordMemory(options.root, target);
  return serverRecord(layoutRecord({ service, newMutationId, sleep: (pause) => options.host.sleep(pause) }), file, {
    memory,
    onWarning: options.onWarning,
  });
}

async function refuseRecordOfServer(service: Service): Promise<void> {
  const layouts = await service.listLayouts({ query: { surface: MIGRATION_RECORD.surface } });
  const found = layouts.find((layout) => isMigrationRecord(layout) && layout.status !== "ARCHIVED");
  if (!found) return;
  throw new FormctlError(
    "MIGRATION_RECORD_AMBIGUOUS",
    `migrations of this store ran through its server, which records them in the layout "${MIGRATION_RECORD.name}" (${found.id})`,
    `Use the server for migrations, with --profile NAME. Or use only the store from now on: formctl layouts archive ${found.id}, and formctl migrate baseline NAME`,
  );
}

/**
 * Returns the record in the layout. In two cases, the record in the file is used instead:
 *
 * - The server refuses the layout.
 * - The file already contains a record, because the server refused the layout earlier. If the layout contains a record
 *   too, `read` throws.
 */
function serverRecord(
  layout: LayoutRecord,
  file: MigrationRecord,
  { memory, onWarning }: Pick<RecordOptions, "onWarning"> & { memory: RecordMemory },
): MigrationRecord {
  let current: MigrationRecord = layout;
  let isFound = false;
  const requireKept = async ({ revision }: RecordState) => {
    isFound = revision !== null;
    const former = await memory.read();
    const found = isFound ? layout.layoutId() : undefined;
    if (found !== undefined && found === former) return;
    const lost = await layout.findLost({ former, found });
    if (lost) throw lost;
  };
  const remember = async () => {
    if (current === layout && isFound && layout.layoutId() !== (await memory.read()))
      await memory.write(layout.layoutId());
  };
  const useFile = async (reason: string) => {
    if (current === file) return;
    current = file;
    await onWarning({
      message: `the record of migrations is not on the server: ${reason}. It is in ${file.where}: commit the file after each run, because a checkout without it runs the migrations again`,
    });
  };
  return {
    get where() {
      return current.where;
    },
    async read() {
      const inFile = await file.read();
      const inLayout = current === file ? undefined : await orRefusal(() => layout.read());
      if (inLayout instanceof LayoutRecordRefused) {
        const former = await memory.read();
        // An empty file would make all migrations pending, although the layout still has their record.
        if (former !== undefined && inFile.revision === null)
          throw lostRecord(`the layout ${former} contained it, and the server no longer shows it: ${inLayout.message}`);
        await useFile(inLayout.message);
      } else if (inFile.revision !== null) {
        if (inLayout && inLayout.revision !== null) throw recordedTwice(layout, file);
        await useFile("an earlier run recorded it in a file");
      }
      if (current === file) return inFile;
      await requireKept(inLayout as RecordState);
      return inLayout as RecordState;
    },
    get isNew() {
      return current === layout && layout.isNew === true;
    },
    setNew: (isNew) => layout.setNew?.(isNew),
    remember,
    get answers() {
      return current === layout ? memory.answers : undefined;
    },
    async renew() {
      await memory.write(undefined);
      const refused = await orRefusal(async () => {
        const inLayout = await layout.read();
        layout.setNew?.(false);
        if (inLayout.revision === null) await layout.renew();
        else await layout.write(inLayout.entries, inLayout.revision);
      });
      if (refused instanceof LayoutRecordRefused) throw noEmptyRecord(refused);
      await memory.write(layout.layoutId());
    },
    async write(entries, revision) {
      if (current === file) return file.write(entries, revision);
      const written = await orRefusal(() => layout.write(entries, revision));
      if (!(written instanceof LayoutRecordRefused)) {
        isFound = true;
        await remember();
        return written;
      }
      await useFile(written.message);
      return file.write(entries, revision);
    },
  };
}

async function orRefusal<T>(run: () => Promise<T>): Promise<T | LayoutRecordRefused> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof LayoutRecordRefused) return error;
    throw error;
  }
}

function noEmptyRecord({ message }: LayoutRecordRefused): FormctlError {
  return new FormctlError(
    "INVALID_VALUE",
    `no new record can be begun on the server: ${message}`,
    "Declare the migrations that ran: formctl migrate baseline NAME",
  );
}

function recordedTwice(layout: MigrationRecord, file: MigrationRecord): FormctlError {
  return new FormctlError(
    "MIGRATION_RECORD_AMBIGUOUS",
    `migrations are recorded twice: in ${layout.where} and in ${file.where}`,
    `Compare the two. Keep the layout: delete the target from ${file.where}. Or keep the file: formctl layouts archive ID`,
  );
}
