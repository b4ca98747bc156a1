import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NodeSha256 } from '#adapters/aws/node-sha256.ts';

const bytes = fc.uint8Array({ maxLength: 200 });
/** The same bytes in every shape that the SDK may hand over. */
function shapesOf(data: Uint8Array): readonly (Uint8Array | ArrayBuffer | Buffer)[] {
  const padded = new Uint8Array(data.length + 3);
  padded.set(data, 3);
  return [data, padded.subarray(3), Buffer.from(data), Uint8Array.from(data).buffer];
}
const hex = (digest: Uint8Array) => Buffer.from(digest).toString('hex');

it('hashes what Node hashes, in parts and in every shape', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), fc.string(), async (parts, text) => {
      const wanted = createHash('sha256');
      for (const part of parts) wanted.update(part);
      const digest = wanted.update(text).digest('hex');
      for (let shape = 0; shape < 4; shape += 1) {
        const ours = new NodeSha256();
        for (const part of parts) ours.update(shapesOf(part)[shape] ?? part);
        ours.update(text);
        expect(hex(await ours.digest())).toBe(digest);
      }
    }),
  );
});

it('signs as Node signs, with a text or with bytes as the key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 100 }),
      fc.string(),
      async (key, text) => {
        const wanted = createHmac('sha256', key).update(text).digest('hex');
        for (const secret of shapesOf(key)) {
          for (let again = 0; again < 2; again += 1) {
            const ours = new NodeSha256(secret);
            ours.update(text);
            expect(hex(await ours.digest())).toBe(wanted);
          }
        }
        const ours = new NodeSha256(text);
        ours.update(key);
        expect(hex(await ours.digest())).toBe(createHmac('sha256', text).update(key).digest('hex'));
      },
    ),
  );
});

it('starts afresh after a reset', async () => {
  for (const secret of [undefined, 'key']) {
    const ours = new NodeSha256(secret);
    ours.update('forgotten');
    ours.reset();
    ours.update('kept');
    const fresh = new NodeSha256(secret);
    fresh.update('kept');
    expect(await ours.digest()).toEqual(await fresh.digest());
  }
});
