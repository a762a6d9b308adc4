/** What is told of a store as a whole. */

/** A record that breaks what is true of every sound store. */
export type Violation = {
  invariant: string;
  about: string;
  /** The id of the record; "store" where the database itself is damaged. */
  record: string;
  detail: string;
};

/** What a store holds. Of uploads it holds the rows: the files themselves are beside it. */
export type StoreCounts = { organizations: number; forms: number; layouts: number; versions: number; uploads: number };
