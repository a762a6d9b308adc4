/** Opens the keychain of the system. The native module is loaded only when a token is in the keychain, or is saved. */

import type { Keychain } from "../host.ts";

const SERVICE = "formctl";

/** The default of the library is the kernel keyring, which loses its content at a restart. */
const STORE = { linux: { store: "secret-service" } } as const;

/** Undefined when the module is not installed for this platform, or the system has no keychain. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  try {
    const { Entry } = await import("@napi-rs/keyring");
    const entry = (origin: string) => new Entry(SERVICE, origin, STORE);
    // Fails when no keychain service answers.
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
