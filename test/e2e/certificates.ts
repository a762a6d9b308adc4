/** Creates valid and invalid certificates. */

import { generateKeyPairSync } from "node:crypto";
import { md, pki } from "node-forge";

/** A private key and its certificate, as PEM texts. */
export type Identity = { key: string; cert: string };

/** The properties of a certificate. By default, the certificate is for this machine and currently valid. */
export type Claims = { host?: string; from?: Date; until?: Date };

export type Authority = { cert: string; issue(claims?: Claims): Identity };

const DAY = 24 * 60 * 60 * 1000;

/**
 * Creates an authority that signs server certificates. Every authority has its own key, even if two authorities have
 * the same name.
 */
export function newAuthority(name: string): Authority {
  const keys = newKeys();
  const cert = certificate(keys, keys, { subject: name, issuer: name }, {}, [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
  ]);
  return {
    cert,
    issue({ host = "localhost", ...claims } = {}) {
      const own = newKeys();
      return { key: own.pem, cert: certificate(own, keys, { subject: host, issuer: name }, claims, forHost(host)) };
    },
  };
}

/** A self-signed certificate. */
export function selfSigned(host = "localhost"): Identity {
  const keys = newKeys();
  return { key: keys.pem, cert: certificate(keys, keys, { subject: host, issuer: host }, {}, forHost(host)) };
}

type Keys = pki.rsa.KeyPair & { pem: string };

/** Creates keys with Node, because Node needs only a hundredth of node-forge's time. */
function newKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: "pkcs1", format: "pem" }));
  return {
    pem,
    privateKey: pki.privateKeyFromPem(pem),
    publicKey: pki.publicKeyFromPem(String(publicKey.export({ type: "spki", format: "pem" }))),
  };
}

function certificate(
  holder: Keys,
  signer: Keys,
  { subject, issuer }: { subject: string; issuer: string },
  { from = new Date(Date.now() - DAY), until = new Date(Date.now() + DAY) }: Claims,
  extensions: object[],
): string {
  const made = pki.createCertificate();
  made.publicKey = holder.publicKey;
  made.serialNumber = `01${Math.floor(Math.random() * 2 ** 40).toString(16)}`;
  made.validity.notBefore = from;
  made.validity.notAfter = until;
  made.setSubject([{ name: "commonName", value: subject }]);
  made.setIssuer([{ name: "commonName", value: issuer }]);
  made.setExtensions(extensions);
  made.sign(signer.privateKey, md.sha256.create());
  return pki.certificateToPem(made);
}

/** Type 2 means a DNS name. */
function forHost(host: string): object[] {
  return [{ name: "subjectAltName", altNames: [{ type: 2, value: host }] }];
}
