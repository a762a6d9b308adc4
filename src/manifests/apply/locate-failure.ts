/** What a service says against a step, at its place in the manifest or in the file of its layout. */

import { diagnosticsOf } from "../../lists/versions.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import { ServiceError } from "../../service.ts";
import { locateContent } from "../read/locate.ts";
import type { Manifest } from "../manifest.ts";
import { DraftHasWarnings } from "./strict.ts";

/** Under which path of a manifest the body of an operation stands; absent: nowhere, because it is made of several. */
const PATH_OF_BODY: Readonly<Record<string, string>> = {
  createForm: "",
  updateForm: "",
  createLayout: "",
  updateLayout: "",
  saveDraft: "layout",
  replaceFormAccess: "access",
  replaceAssignments: "assignments",
};

/** Every message at its place; none where the failure is not about what the manifest says. */
export function locateFailure(manifest: Manifest, operation: string, error: unknown): Located[] {
  if (error instanceof DraftHasWarnings) return locateContent(manifest, error.warnings);
  if (!(error instanceof ServiceError)) return [];
  const { validation, fieldErrors } = error.body;
  if (validation) {
    const diagnostics = diagnosticsOf(validation).map(({ severity, code, message, path }) => ({
      severity,
      code: code || error.code,
      message,
      path,
    }));
    return locateContent(manifest, diagnostics);
  }
  const path = PATH_OF_BODY[operation];
  if (path === undefined) return [];
  const problems = Object.entries(fieldErrors ?? {}).flatMap(([member, messages]) =>
    messages.map((message): Diagnostic => ({
      severity: "error",
      code: error.code,
      message,
      path: joined(path, member),
    })),
  );
  return problems.map((problem) => manifest.locate(problem));
}

function joined(path: string, member: string): string {
  if (path === "" || member === "") return path + member;
  return member.startsWith("[") ? path + member : `${path}.${member}`;
}
