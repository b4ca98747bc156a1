import { expect, test } from 'vitest';
import { IdempotencyStore } from '#infra/local/idempotency-store.ts';

const WINDOW_MS = 1_000;

function storeOf(...keys: readonly string[]): IdempotencyStore<string> {
  const store = new IdempotencyStore<string>(WINDOW_MS);
  for (const [at, key] of keys.entries()) store.remember(key, 'body', `result of ${key}`, at);
  return store;
}

test('a key is known for its window, by its body', () => {
  const store = storeOf('a');
  expect(store.recall('a', 'body', WINDOW_MS - 1)).toEqual({ kind: 'same', result: 'result of a' });
  expect(store.recall('a', 'other', WINDOW_MS - 1)).toMatchObject({ kind: 'other-body' });
  expect(store.recall('a', 'body', WINDOW_MS)).toEqual({ kind: 'new' });
});

test('keys that are over are dropped, and only those', () => {
  const store = storeOf('a', 'b', 'c');
  store.recall('x', 'body', WINDOW_MS + 1);
  expect(store.size).toBe(1);
  expect(store.recall('c', 'body', WINDOW_MS + 1)).toMatchObject({ kind: 'same' });
});

test('a renewed key lives by its second window, and holds no later one back', () => {
  const store = storeOf('a', 'b');
  store.recall('x', 'body', 2);
  store.remember('a', 'body', 'second result', 500);
  store.recall('x', 'body', WINDOW_MS + 1);
  expect(store.size).toBe(1);
  expect(store.recall('a', 'body', WINDOW_MS + 1)).toMatchObject({ result: 'second result' });
  expect(store.recall('a', 'body', WINDOW_MS + 500)).toEqual({ kind: 'new' });
});

test('memory stays flat over many windows, also after the store stood empty', () => {
  const store = storeOf();
  for (let at = 0; at < 50 * WINDOW_MS; at += 100) {
    store.recall(`key ${at}`, 'body', at);
    store.remember(`key ${at}`, 'body', 'result', at);
    if (at % (7 * WINDOW_MS) === 0) store.clear();
    expect(store.size).toBeLessThanOrEqual(WINDOW_MS / 100);
  }
  expect(store.recall('x', 'body', 100 * WINDOW_MS)).toEqual({ kind: 'new' });
  expect(store.size).toBe(0);
  store.remember('x', 'body', 'result', 100 * WINDOW_MS);
  store.recall('y', 'body', 101 * WINDOW_MS);
  expect(store.size).toBe(0);
});
