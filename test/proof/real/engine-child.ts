/** A DynamoDB engine in a process of its own, its data on disk: it can be killed and come back. */
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';

export type EngineReady = { readonly endpoint: string };

const [path = '', port = '0'] = process.argv.slice(2);
const { endpoint } = await startDynalite({ path, port: Number(port) });
process.on('disconnect', () => process.exit());
process.send?.({ endpoint } satisfies EngineReady);
