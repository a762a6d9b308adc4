/** The JSON Schema (2020-12) of the project file, for editors. */

import { IDENTIFIER } from "../schemas/words.ts";
import { VARIABLE_NAME } from "./project-settings.ts";
import { SETTING_KEYS, settingRow } from "./setting-rows.ts";

export function projectSchema(): Record<string, unknown> {
  const settings = SETTING_KEYS.filter((key) => settingRow(key).place === "project").map((key) => {
    const { about, values } = settingRow(key);
    return [key, { type: ["string", "number"], description: about, ...(values && { enum: values }) }] as const;
  });
  const ids = { type: "object", additionalProperties: { type: "string", pattern: IDENTIFIER.source } };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "formctl.yaml: the settings of a project",
    type: "object",
    properties: {
      ...Object.fromEntries(settings),
      manifests: {
        type: "string",
        minLength: 1,
        description: "The folder of the manifests, below this file and relative to it",
      },
      variables: {
        type: "array",
        items: { type: "string", pattern: VARIABLE_NAME.source },
        description: "The environment variables that manifests may use. Default: all that do not start with FORMCTL_",
      },
      references: {
        type: "object",
        description: "Ids of roles and members by name, for each profile or origin of a server",
        additionalProperties: {
          type: "object",
          properties: { roles: ids, members: ids },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  };
}
