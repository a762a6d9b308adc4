/** The system's keychain, where there is one. Its home: a native module, loaded only when a token is in it or goes there. */

import type { Keychain } from "../host.ts";

const SERVICE = "formctl";

/** By itself the library falls back to the kernel's keyring, which forgets everything when the machine is restarted. */
const STORE = { linux: { store: "secret-service" } } as const;

/** Undefined where the module is not installed for this platform, or the system has no keychain. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  try {
    const { Entry } = await import("@napi-rs/keyring");
    const entry = (origin: string) => new Entry(SERVICE, origin, STORE);
    // Asking for what can't be there tells whether anybody answers.
    entry("formctl:none").getPassword();
    return {
      get: (origin) => entry(origin).getPassword(),
      set: (origin, token) => entry(origin).setPassword(token),
      remove: (origin) => void entry(origin).deletePassword(),
    };
  } catch {
    return undefined;
  }
}
