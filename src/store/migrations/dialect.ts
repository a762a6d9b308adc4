/** The few words in which the table definitions of two databases differ. */
export type Dialect = {
  /** Behind the closing parenthesis of a table. */
  tableOptions: string;
  /** A column type for text that is ordered by code point. */
  text: string;
  /** A primary key that counts up by itself and is never used again. */
  sequence: string;
  /** Statements that make versions immutable once published, and count the changes of an object's fields. */
  triggers: string[];
};
