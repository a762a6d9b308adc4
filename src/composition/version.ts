/** The version of the library. The executable has it from its entry, which loads no other module for it. */

/** The build replaces it. Unbuilt sources have no version. */
declare const FORMCTL_VERSION: string;

export const VERSION = typeof FORMCTL_VERSION === "string" ? FORMCTL_VERSION : "0.0.0";
