import { describe, expect, it } from 'vitest';
import { conditionTest, type WireItem } from '../../bench/backends/condition.ts';

const names = { '#key': 'pk', '#token': 'token', '#state': 'state', '#expiry': 'expiration' };
const values = {
  ':token': { S: 'a' },
  ':state': { S: 'CLAIMED' },
  ':now': { N: '100' },
} satisfies WireItem;
const row: WireItem = { pk: { S: 'k' }, token: { S: 'a' }, state: { S: 'CLAIMED' } };

function holds(expression: string, item: WireItem | undefined): boolean {
  return conditionTest(expression)(item, { names, values });
}

describe('the lean table’s conditions', () => {
  it('decides a claim', () => {
    expect(holds('attribute_not_exists(#key)', undefined)).toBe(true);
    expect(holds('attribute_not_exists(#key)', row)).toBe(false);
  });

  it('decides a fenced write', () => {
    const fence = 'attribute_exists(#key) AND #token = :token AND #state = :state';
    expect(holds(fence, row)).toBe(true);
    expect(holds(fence, undefined)).toBe(false);
    expect(holds(fence, { ...row, token: { S: 'b' } })).toBe(false);
    expect(holds(fence, { ...row, state: { S: 'SENT' } })).toBe(false);
  });

  it('decides what Powertools Idempotency asks', () => {
    const claim =
      'attribute_not_exists(#key) OR #expiry < :now OR (#state = :state AND attribute_exists(#token) AND #token < :now)';
    expect(holds(claim, undefined)).toBe(true);
    expect(holds(claim, { pk: { S: 'k' }, expiration: { N: '99' } })).toBe(true);
    expect(holds(claim, { pk: { S: 'k' }, expiration: { N: '101' } })).toBe(false);
    const held = { pk: { S: 'k' }, expiration: { N: '101' }, state: { S: 'CLAIMED' } };
    expect(holds(claim, held)).toBe(false);
    expect(holds(claim, { ...held, token: { N: '99' } })).toBe(true);
  });

  it('refuses a condition that it does not know', () => {
    expect(() => conditionTest('#a = :b BETWEEN')).toThrow(SyntaxError);
  });
});
