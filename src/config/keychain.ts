/**
 * Opens the keychain of the system. The native module is loaded only to read, save or remove a token in the keychain.
 */

import type { Keychain } from "../base/host.ts";

const SERVICE = "formctl";

/** Replaces the library's default, the kernel keyring. The kernel keyring loses its content at a restart. */
const STORE = { linux: { store: "secret-service" } } as const;

/** Returns undefined if the module is not installed for this platform, or the system has no keychain. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  try {
    const { Entry } = await import("@napi-rs/keyring");
    const entry = (origin: string) => new Entry(SERVICE, origin, STORE);
    // Throws if no keychain service responds.
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
