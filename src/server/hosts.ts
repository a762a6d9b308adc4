/** By which names a server may be called. */

/**
 * The names of this machine for itself. A page of a browser can make a name of its own point here (DNS rebinding), and
 * its requests then carry that name.
 */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host.toLowerCase());
}

/** The name in a request's URL, without its port: `http://localhost:8080/v1` → `localhost`. */
export function hostOf(url: string): string {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  return url.slice(start, end === -1 ? undefined : end).replace(/:\d*$/, "");
}
