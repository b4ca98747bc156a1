import { describe, expect, it } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { openLedger, plant, storedItem } from './open-ledger.ts';

export function controlDocumentsSuite(engine: () => EmbeddedDynamo): void {
  describe('control documents', () => {
    it('are absent, then versioned, and written only at the version that was read', async () => {
      const { controls } = await openLedger(engine());
      expect(await controls.read('breaker')).toEqual({ kind: 'absent' });
      expect(await controls.write('breaker', { mode: 'paused' }, 1)).toEqual({ kind: 'lost' });
      expect(await controls.write('breaker', { mode: 'paused' }, 0)).toEqual({ kind: 'written' });
      expect(await controls.write('breaker', { mode: 'running' }, 0)).toEqual({ kind: 'lost' });
      expect(await controls.write('breaker', { mode: 'limited', n: 2 }, 1)).toEqual({
        kind: 'written',
      });
      expect(await controls.write('breaker', { mode: 'running' }, 1)).toEqual({ kind: 'lost' });
      expect(await controls.read('breaker')).toEqual({
        kind: 'document',
        value: { mode: 'limited', n: 2 },
        version: 2,
      });
    });

    it.each([null, 0, '', 'text', [1, [2]], { deep: { list: [null, 1.5, 'ü'] } }])(
      'keep any JSON value as it is: %j',
      async (value) => {
        const { controls } = await openLedger(engine());
        await controls.write('reading', value, 0);
        expect(await controls.read('reading')).toEqual({ kind: 'document', value, version: 1 });
      },
    );

    it('names are apart, from each other and from rows', async () => {
      const { controls, ledger } = await openLedger(engine());
      await controls.write('a', 1, 0);
      expect(await controls.read('b')).toEqual({ kind: 'absent' });
      expect(await controls.write('b', 2, 0)).toEqual({ kind: 'written' });
      expect(await ledger.read('a' as never)).toEqual({ kind: 'absent' });
      expect(await ledger.read('control#a' as never)).toEqual({
        kind: 'failed',
        code: 'ROW_UNREADABLE',
      });
    });

    it('never expire and are in no index', async () => {
      const open = await openLedger(engine());
      await open.controls.write('breaker', { mode: 'running' }, 0);
      const item = await storedItem(open, 'control#breaker');
      expect(Object.keys(item ?? {}).sort()).toEqual(['format', 'json', 'pk', 'token', 'version']);
    });

    const good = { pk: 'control#x', format: 'control/1', version: 3, token: 't', json: '{}' };
    it.each([
      ['another layout', { ...good, format: 'control/2' }],
      ['a version that is none', { ...good, version: 'three' }],
      ['half a JSON text', { ...good, json: '{"mode":' }],
      ['no text', { ...good, json: 7 }],
    ])('one with %s is a failure, never absent', async (_title, item) => {
      const open = await openLedger(engine());
      await plant(open, item);
      expect(await open.controls.read('x')).toEqual({
        kind: 'failed',
        code: 'DOCUMENT_UNREADABLE',
      });
    });

    it('a value that JSON cannot carry is a bug and says so', async () => {
      const { controls } = await openLedger(engine());
      await expect(controls.write('x', undefined, 0)).rejects.toMatchObject({
        code: 'CONTROL_VALUE_INVALID',
      });
    });
  });
}
