/** Reads the base URL of a service, and decides whether a token may be sent to it. */

import { hidePassword } from "../base/database-url.ts";
import { FormctlError } from "../base/error.ts";

/**
 * Reads a base URL: https, or http to this machine, with only an origin and a path.
 *
 * @returns the URL without a trailing slash, and its origin
 */
export function parseBaseUrl(text: string): { baseUrl: string; origin: string } {
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) {
    throw new FormctlError(
      "BASE_URL_INVALID",
      `invalid base URL ${JSON.stringify(hidePassword(text))}`,
      "Example: https://forms.example.com",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new FormctlError("BASE_URL_INVALID", `the base URL must be https, not ${url.protocol.slice(0, -1)}`);
  }
  // `https://forms.example.com@evil.example` looks like a URL of forms.example.com, but its host is evil.example.
  if (url.username || url.password || text.includes("@")) {
    throw new FormctlError("BASE_URL_INVALID", "the base URL must not contain a user name or password");
  }
  if (url.search || url.hash || /[?#]/.test(text)) {
    throw new FormctlError("BASE_URL_INVALID", "the base URL must not contain a query or fragment");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new FormctlError(
      "BASE_URL_INVALID",
      `${url.origin} is not encrypted. Tokens are sent over http only to this machine`,
      `Use https://${url.host}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return { baseUrl: `${url.origin}${path}`, origin: url.origin };
}

/**
 * Whether a `hostname` from the URL parser is this machine. A name such as `127.0.0.1.example` is not a loopback
 * address.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
