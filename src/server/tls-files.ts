/** Reads the certificate and the private key of a server. */

import { X509Certificate } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { FormctlError } from "../base/error.ts";
import type { Metric } from "./metrics.ts";

export type TlsFiles = { cert: string; key: string };

/** A certificate with its chain, and its private key, in PEM. */
export type Certificate = { cert: Buffer; key: Buffer };

/**
 * Reads both files.
 *
 * @throws INVALID_VALUE if a file can't be read
 * @throws INVALID_VALUE if every user of the machine has access to the key
 * @throws INVALID_VALUE if the key does not belong to the certificate
 */
export function readCertificate(files: TlsFiles): Certificate {
  const certificate = { cert: readPem(files.cert, "certificate"), key: readPem(files.key, "key") };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new FormctlError(
      "INVALID_VALUE",
      `can't use the certificate ${files.cert} with the key ${files.key}: ${(error as Error).message}`,
      "Specify a certificate and its unencrypted private key, both in PEM.",
    );
  }
  return certificate;
}

/** Returns the metric with the end of the certificate's validity, in seconds since 1970. */
export function expiryMetric({ cert }: Certificate): Metric {
  return {
    name: "formctl_tls_certificate_expiry_time_seconds",
    help: "End of the validity of the certificate in use, in seconds since 1970.",
    type: "gauge",
    samples: [{ value: Date.parse(new X509Certificate(cert).validTo) / 1000 }],
  };
}

/** Links are followed: containers and tools for certificates provide the files as links. */
function readPem(path: string, kind: "certificate" | "key"): Buffer {
  const read = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw new FormctlError("INVALID_VALUE", `can't read the ${kind} ${path}: ${(error as Error).message}`);
    }
  };
  const file = read(() => openSync(path, "r"));
  try {
    // The check and the read use one descriptor, so that the file can't be replaced between them.
    if (kind === "key" && process.getuid !== undefined && (fstatSync(file).mode & 0o007) !== 0) {
      throw new FormctlError(
        "INVALID_VALUE",
        `every user of this machine has access to the key ${path}`,
        `Restrict its permissions: chmod o= ${path}`,
      );
    }
    return read(() => readFileSync(file));
  } finally {
    closeSync(file);
  }
}
