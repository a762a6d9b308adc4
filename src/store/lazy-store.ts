/** A store that is opened when it is first used: help and the catalog of currencies need none. */

import type { Store } from "./store.ts";

export function lazyStore(open: () => Store | Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  // `async` so that what `open` throws becomes a rejection, in the first use and in every later one.
  const store = () => (opened ??= (async () => open())());
  return {
    read: async (work) => (await store()).read(work),
    write: async (work) => (await store()).write(work),
    verify: async () => (await (await store()).verify?.()) ?? [],
    close: async () => {
      const found = await opened?.catch(() => undefined);
      opened = undefined;
      await found?.close();
    },
  };
}
