import { type CostLine, costOf } from '#functions/ops/cost/cost-of.ts';
import { dollars } from '#functions/ops/cost/prices.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import type { Output } from '#functions/ops/output.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { spanWords } from '#functions/ops/words/time-words.ts';

/** What the last day cost, and what a million reminders would at the same ratios. */
export async function cost(session: Session): Promise<Ran> {
  const target = await session.target();
  const usage = await target.usage();
  const { spent, million, ratios, measured } = costOf(usage);
  return {
    exit: EXIT.ok,
    data: { usage, spent, million, ratios, measured },
    show(out) {
      out.heading(`${spanWords(usage.seconds)} (${usage.source})`);
      showLines(out, spent);
      out.line();
      out.heading(
        measured
          ? 'A million reminders, at what each of these came to'
          : 'A million reminders, at assumed figures: nothing was claimed in this time',
      );
      showLines(out, million);
      out.line('Left out: logs, metrics, alarms, secrets, and your provider’s own price.');
    },
  };
}

function showLines(out: Output, lines: readonly CostLine[]): void {
  const total = lines.reduce((sum, { usd }) => sum + usd, 0);
  out.table(
    ['what', 'arithmetic', 'US dollars'],
    [
      ...lines.map(({ what, arithmetic, usd }) => [what, arithmetic, dollars(usd)]),
      ['together', '', dollars(total)],
    ],
  );
}
