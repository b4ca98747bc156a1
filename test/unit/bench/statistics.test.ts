import { describe, expect, it } from 'vitest';
import { ProviderBackend } from '../../bench/backends/provider-backend.ts';
import { median, pairedRatio, spreadOf } from '../../bench/measure/statistics.ts';

describe('statistics of the benchmark', () => {
  it('takes the middle of odd and even counts', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(spreadOf([2, 1, 9])).toEqual({ median: 2, min: 1, max: 9 });
  });

  it('compares round by round, so that a slow round for both changes nothing', () => {
    expect(pairedRatio([10, 100, 20], [5, 50, 10])).toEqual({ median: 2, min: 2, max: 2 });
  });

  it('counts unique keys and calls apart', () => {
    const provider = new ProviderBackend();
    const send = (key: string) =>
      provider.handle({ path: '/send', head: `POST /send\r\nIdempotency-Key: ${key}`, body: '' });
    send('a');
    send('a');
    send('b');
    expect([provider.sends, provider.uniqueKeys]).toEqual([3, 2]);
  });
});
