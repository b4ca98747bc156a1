import fc from 'fast-check';
import { test } from 'vitest';
import { channels, protocolCommands, Reality } from '#test/support/protocol-commands.ts';

test('whatever happens, each delivery makes of the row what the protocol says', async () => {
  await fc.assert(
    fc.asyncProperty(channels, protocolCommands, async (channel, commands) => {
      const setup = () => ({
        model: { published: false },
        real: new Reality(null, channel, 'u_model'),
      });
      await fc.asyncModelRun(setup, commands);
    }),
    { numRuns: 600 },
  );
});
