/** A store that is opened on first use. Help and the currencies need no store. */

import type { Store } from "./store.ts";

export function lazyStore(open: () => Store | Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  let ready: Store | undefined;
  // `open` is called in an `async` function. So an error of `open` rejects the first use and every later use.
  const store = () => (opened ??= (async () => (ready = await open()))());
  return {
    read: async (work, oneRound) => (await store()).read(work, oneRound),
    write: async (work, orgId) => (await store()).write(work, orgId),
    verify: async () => (await (await store()).verify?.()) ?? [],
    version: () => ready?.version?.(),
    raisesVersions: () => ready?.raisesVersions?.() ?? false,
    retries: () => ready?.retries?.() ?? 0,
    close: async () => {
      const found = await opened?.catch(() => undefined);
      opened = undefined;
      ready = undefined;
      await found?.close();
    },
  };
}
