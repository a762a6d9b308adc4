/** A currency of the catalog (R47). */
export type Currency = {
  /** The code in ISO 4217. */
  code: string;
  name: string;
};
