import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { it } from 'vitest';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import { channels, protocolCommands, Reality } from '#test/support/protocol-commands.ts';
import { openLedger } from './open-ledger.ts';

/** The protocol's model against the product on a real engine: each run is a reminder of its own. */
export function protocolSuite(engine: () => EmbeddedDynamo): void {
  it('each delivery makes of the row what the protocol says', { timeout: 120_000 }, async () => {
    const { ledger } = await openLedger(engine());
    await fc.assert(
      fc.asyncProperty(channels, protocolCommands, async (channel, commands) => {
        const setup = () => ({
          model: { published: false },
          real: new Reality(ledger, channel, randomUUID()),
        });
        await fc.asyncModelRun(setup, commands);
      }),
      { numRuns: 30 },
    );
  });
}
