/** Files that were uploaded through public forms. They go with their form (R83). */

import sql from "sql-template-tag";
import type { Tx } from "./store.ts";

export type UploadRecord = {
  id: string;
  org_id: string;
  form_id: string;
  file_name: string;
  size: number;
  sha256: string;
  /** Where the bytes are, in the terms of the upload files. */
  path: string;
  created_at: string;
};

/** A form of whatever organization: the one who asks administers the whole store. */
export function findUploadForm(
  tx: Tx,
  formId: string,
): Promise<{ id: string; org_id: string; name: string; is_public: 0 | 1 } | undefined> {
  return tx.first(sql`SELECT id, org_id, name, is_public FROM forms WHERE id = ${formId}`);
}

export function listUploadRecords(tx: Tx, formId: string): Promise<UploadRecord[]> {
  return tx.all<UploadRecord>(sql`
    SELECT id, org_id, form_id, file_name, size, sha256, path, created_at FROM public_uploads
    WHERE form_id = ${formId} ORDER BY created_at, id`);
}

export async function insertUpload(tx: Tx, upload: UploadRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO public_uploads (id, org_id, form_id, file_name, size, sha256, path, created_at)
    VALUES (${upload.id}, ${upload.org_id}, ${upload.form_id}, ${upload.file_name}, ${upload.size}, ${upload.sha256},
            ${upload.path}, ${upload.created_at})`);
}
