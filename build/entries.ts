/** The entries of the library, by the name of their file in `dist/`. package.json has a path in `exports` for each, and tsconfig.types.json their sources. */

export const LIBRARY_ENTRIES = { index: "src/index.ts", testing: "src/testing.ts" };
