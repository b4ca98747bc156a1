import { describe, expect, it } from 'vitest';
import { EmulatorClock } from '#infra/local/emulator-clock.ts';
import type { Clock } from '#ports';

describe('the clock of an emulator', () => {
  it('follows its base at an offset, stands still when frozen, and runs on from there', () => {
    let baseNow = 1_000;
    const base: Clock = { now: () => baseNow, sleep: async () => {} };
    const clock = new EmulatorClock(base);
    expect(clock.now()).toBe(1_000);
    clock.advance(500);
    baseNow += 10;
    expect(clock.now()).toBe(1_510);
    clock.freeze();
    baseNow += 10;
    expect(clock.now()).toBe(1_510);
    clock.setNow(9_000);
    clock.run();
    baseNow += 5;
    expect(clock.now()).toBe(9_005);
  });

  it('lets a sleeper wake when a frozen clock is driven past, and no earlier', async () => {
    const clock = EmulatorClock.frozenAt(0);
    let awake = false;
    const sleeping = clock.sleep(100).then(() => {
      awake = true;
    });
    clock.advance(99);
    await Promise.resolve();
    expect(awake).toBe(false);
    clock.advance(1);
    await sleeping;
    expect(awake).toBe(true);
  });

  it('lets a sleeper go when told to', async () => {
    const leave = new AbortController();
    const sleeping = EmulatorClock.frozenAt(0).sleep(100, leave.signal);
    leave.abort();
    await sleeping;
  });

  it('sleeps by the wall when it runs, and wakes early when it is advanced', async () => {
    const clock = new EmulatorClock();
    const short = clock.sleep(5);
    await short;
    const long = clock.sleep(3_600_000);
    clock.advance(3_600_000);
    await long;
  });
});
