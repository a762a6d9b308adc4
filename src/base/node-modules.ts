/**
 * The modules of Node that are slow to load. Each is loaded on first use: most commands need none of them, and would
 * start later.
 */

export const nodeCrypto = () => process.getBuiltinModule("node:crypto");
export const nodeZlib = () => process.getBuiltinModule("node:zlib");
