/**
 * What was last applied or exported, kept beside the manifests in `.formctl/lock.json`: which layout a manifest made,
 * where the server can't be asked, and from what state both sides have moved since.
 */


/** What one place (an origin with its organization, or a local store) is known to have had. */
export type LockedResource = {
  formId?: string;
  layoutId?: string;
  /** The digest of each managed aspect as it was last applied or exported: `types`, `access`, `content` … */
  base: Readonly<Record<string, string>>;
};

export type Lock = {
  get(address: string): LockedResource | undefined;
  set(address: string, resource: LockedResource | null): void;
  /** Writes the file whole, or leaves it; nothing where nothing changed. */
  save(): Promise<void>;
};

/** Layout ids by the address of their manifest. */
export type KnownLayouts = ReadonlyMap<string, string>;

export declare function openLock(path: string, place: string): Promise<Lock>;
