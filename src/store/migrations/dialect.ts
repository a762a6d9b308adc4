/** The few words in which the table definitions of two databases differ. */
export type Dialect = {
  /** Behind the closing parenthesis of a table. */
  tableOptions: string;
  /** A column type for text that is ordered by code point. */
  text: string;
  /** A primary key that counts up by itself and is never used again. */
  sequence: string;
  /** Statements that make versions with their contents immutable once published, and count the changes of an object's fields. */
  triggers: string[];
  /** Statements that make versions immutable once published, and contents for ever; a content goes with the last that names it. */
  contentTriggers: string[];
  /** The hash of some values, as `hashOf` of `record-hash.ts` makes it. */
  hashOf: (...values: string[]) => string;
  /** The text of a member of a JSON text, or NULL. */
  memberOf: (json: string, ...path: string[]) => string;
};
