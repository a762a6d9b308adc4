/** The default limits of concurrent requests to a target. */

/** Low, because other clients use the same server. */
export const SERVER_CONCURRENCY = 16;

/** High, because writes that wait at the same time share one flush to the disk. */
export const STORE_CONCURRENCY = 128;
