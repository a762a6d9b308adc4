/** The address of a service: which ones a token may be sent to at all. */

import { FormctlError } from "../error.ts";

/**
 * Reads a base URL: https, or http to this very machine; nothing in it but an origin and a path.
 *
 * @returns the URL without a slash at its end, and its exact origin
 */
export function parseBaseUrl(text: string): { baseUrl: string; origin: string } {
  const url = URL.parse(text);
  if (!url || !/^https?:\/\//i.test(text)) {
    throw new FormctlError(
      "BASE_URL_INVALID",
      `${JSON.stringify(text)} is no base URL`,
      "Such as: https://forms.example.com",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new FormctlError("BASE_URL_INVALID", `the base URL must be https, not ${url.protocol.slice(0, -1)}`);
  }
  // `https://forms.example.com@evil.example` reads like the one host and leads to the other.
  if (url.username || url.password || text.includes("@")) {
    throw new FormctlError("BASE_URL_INVALID", "the base URL must not hold a user name or password");
  }
  if (url.search || url.hash || /[?#]/.test(text)) {
    throw new FormctlError("BASE_URL_INVALID", "the base URL must have neither a query nor a fragment");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new FormctlError(
      "BASE_URL_INVALID",
      `${url.origin} is not encrypted: a token is sent over http to this machine only`,
      `Use https://${url.host}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return { baseUrl: `${url.origin}${path}`, origin: url.origin };
}

/** `hostname` as the URL parser wrote it: an address that looks like a loopback one in front of a domain is not one. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
