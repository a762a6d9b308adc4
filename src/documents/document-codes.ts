/** Every complaint about a file before anybody asks what it means. */

export const DOCUMENT_CODES = {
  FILE_EMPTY: "A file holds no document.",
  FILE_ENCODING: "A file is not UTF-8.",
  FILE_TOO_LARGE: "A file is over 4 MiB.",
  YAML_ALIAS: "An alias names no anchor before it, or its own.",
  YAML_DOCUMENT_COUNT: "A file that should hold one document holds several.",
  YAML_DUPLICATE_KEY: "A mapping has a key twice.",
  YAML_FORBIDDEN_TEXT: "Text holds a character that no database keeps.",
  YAML_KEY: "A key is not text, is missing, or is one that reaches the prototype of an object.",
  YAML_LIMIT: "A file is nested too deep, holds too much, or its aliases expand to too much.",
  YAML_MERGE_KEY: "Merge keys are not read.",
  YAML_NUMBER: "A number can't be kept exactly in JSON.",
  YAML_SYNTAX: "A file stops being YAML or JSON.",
  YAML_TAG: "A tag is not read.",
} as const;

export type DocumentCode = keyof typeof DOCUMENT_CODES;
