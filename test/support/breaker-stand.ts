import { readBreaker } from '#app/breaker-control.ts';
import type { Breaker } from '#core/breaker.ts';
import type { PipelineStand } from '#test/support/pipeline-stand.ts';

/** The breaker as its document says. */
export async function breakerOf({ controls }: PipelineStand): Promise<Breaker> {
  const answer = await readBreaker(controls);
  if (answer.kind === 'failed') throw new Error(answer.code);
  return answer.breaker;
}

/** Who changes the breaker by hand, for `pause` and `resume`. */
export function operator(stand: PipelineStand, reason: string) {
  return { by: 'ann', reason, at: stand.clock.now() };
}
