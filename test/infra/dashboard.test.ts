import { describe, expect, it } from 'vitest';
import { CONSUMER_METRICS, REDRIVE_METRICS, STATS_METRICS } from '#config/metrics.ts';
import { production, resourcesOf, synthesise } from '#test/support/synthesise.ts';

const [dashboard] = Object.values(
  resourcesOf(synthesise(production()).service, 'AWS::CloudWatch::Dashboard'),
);
const body = JSON.stringify(dashboard?.Properties['DashboardBody']).replaceAll('\\', '');

describe('the dashboard', () => {
  it('shows the three signals, and that nothing ran away from another', () => {
    for (const name of ['Deliveries', 'KeysClaimed', 'Receipts', 'TerminalSent']) {
      expect(body).toContain(`"RemindOnce","${name}"`);
    }
  });

  it('shows that the breaker is open as a figure, and its reason and beginning as words', () => {
    expect(body).toContain(`"RemindOnce","${STATS_METRICS.breaker}"`);
    expect(body).toMatch(/SOURCE '.*fields @timestamp, severity, code, subject, reason, since/);
    expect(body).toContain('filter message = "finding"');
  });

  it('shows what no alarm stands on and a person should see', () => {
    for (const name of ['CloseOccurrences', 'ResentByPolicy', 'DuplicatesByPolicy']) {
      expect(body).toContain(`"RemindOnce","${name}"`);
    }
  });

  it('names only figures that somebody publishes', () => {
    const lists = [CONSUMER_METRICS, REDRIVE_METRICS, STATS_METRICS];
    const known = lists.flatMap((list): readonly string[] => Object.values(list));
    const shown = [...body.matchAll(/"RemindOnce","(\w+)"/g)].map(([, name]) => name);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });
});
