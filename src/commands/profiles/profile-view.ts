/** A profile as it is printed. */

import type { NamedProfile } from "../../config/profiles.ts";
import type { LoadedSettings } from "../../config/settings.ts";

export type ProfileView = {
  name: string;
  kind: "server" | "local store";
  baseUrl: string | null;
  store: string | null;
  organization: string | null;
  /** Whether commands go there where nothing else is said. */
  isUsed: boolean;
};

export function profileView({ name, profile }: NamedProfile, settings: LoadedSettings): ProfileView {
  return {
    name,
    kind: "baseUrl" in profile ? "server" : "local store",
    baseUrl: "baseUrl" in profile ? profile.baseUrl : null,
    store: "store" in profile ? profile.store : null,
    organization: "store" in profile ? (profile.organization ?? null) : null,
    isUsed: settings.at("user", "profile") === name,
  };
}
