/** The limits of files, in bytes. A larger file is refused by its size, and is never read into memory. */

/** The limit of a file that people write. It is far above the size of such files, and is read in less than a second. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The limit of a file that formctl writes: the lock, a journal, a record of migrations. */
export const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** The limit of a file that the command line names, such as a saved plan or an upload. */
export const MAX_NAMED_BYTES = 256 * 1024 * 1024;
