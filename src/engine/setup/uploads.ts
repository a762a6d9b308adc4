/** Adds and lists uploads of public forms. A local store has no public page, so an administrator adds the uploads. */

import { sha256 } from "../../base/sha256.ts";
import type { UploadRequest, UploadView } from "../../local-service.ts";
import { NewUpload } from "../../schemas/local-requests.ts";
import { readShape } from "../../schemas/shape.ts";
import { ServiceError } from "../../service.ts";
import type { Store, Tx } from "../../store/store.ts";
import {
  type UploadFiles,
  findUploadForm,
  insertUpload,
  listUploadRecords,
  type UploadRecord,
} from "../../store/uploads.ts";
import type { NewId } from "../ids.ts";
import { invalid, notFound } from "../refuse.ts";

/**
 * Stores an uploaded file and its record.
 *
 * @throws ServiceError 400 for an invalid file name
 * @throws ServiceError 404 if the form does not exist
 * @throws ServiceError 409 if the form is not public
 */
export async function addUpload(
  store: Store,
  files: UploadFiles,
  { formId, fileName, bytes }: UploadRequest,
  { newId, now }: { newId: NewId; now: string },
): Promise<UploadView> {
  const shape = readShape(NewUpload, { fileName });
  if (!shape.ok) throw invalid(shape.problems);
  await store.read((tx) => findPublicForm(tx, formId));
  const id = newId("upload");
  // The file is written before its row. Otherwise the row could refer to a missing file.
  const path = await files.save(id, bytes);
  try {
    return await store.write(async (tx) => {
      const form = await findPublicForm(tx, formId);
      const upload: UploadRecord = {
        id,
        org_id: form.org_id,
        form_id: form.id,
        file_name: fileName,
        size: bytes.byteLength,
        sha256: sha256(bytes),
        path,
        created_at: now,
      };
      await insertUpload(tx, upload);
      return uploadView(upload);
    });
  } catch (error) {
    await files.remove(path);
    throw error;
  }
}

/** Lists the uploads of a form, oldest first. @throws ServiceError 404 if the form does not exist */
export async function listUploads(tx: Tx, formId: string): Promise<UploadView[]> {
  if (!(await findUploadForm(tx, formId))) throw notFound(`the form ${formId} does not exist`);
  return (await listUploadRecords(tx, formId)).map(uploadView);
}

async function findPublicForm(tx: Tx, formId: string) {
  const form = await findUploadForm(tx, formId);
  if (!form) throw notFound(`the form ${formId} does not exist`);
  if (form.is_public === 1) return form;
  throw new ServiceError(
    409,
    {
      code: "FORM_NOT_PUBLIC",
      message: `the form "${form.name}" is not public, and only public forms accept uploads`,
    },
    "Make it public: formctl forms update --public",
  );
}

function uploadView(record: UploadRecord): UploadView {
  return {
    id: record.id,
    formId: record.form_id,
    fileName: record.file_name,
    size: record.size,
    sha256: record.sha256,
    createdAt: record.created_at,
  };
}
