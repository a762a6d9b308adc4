/** A store that is opened on first use, because help and the currencies need no store. */

import type { Store } from "./store.ts";

export function lazyStore(open: () => Store | Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  // `open` is called in an `async` function, so that an error of `open` rejects the first use and every later use.
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
