import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * A fresh key and a certificate for 127.0.0.1 that it signed itself, made as DER by hand: no key
 * is kept in the repository, and no tool beyond Node is needed.
 */
export function selfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const name = sequence(
    tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from('test')))),
  );
  const years = [-1, 1].map((offset) => {
    const text = `${new Date().getUTCFullYear() + offset}0101000000Z`;
    return tagged(0x18, Buffer.from(text));
  });
  const address = tagged(0x87, Buffer.from([127, 0, 0, 1]));
  const alternativeName = sequence(oid(0x55, 0x1d, 0x11), tagged(0x04, sequence(address)));
  const toBeSigned = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(...years),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeName)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const bits = tagged(0x03, Buffer.concat([Buffer.from([0]), signature]));
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bits);
  const body = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function oid(...bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
