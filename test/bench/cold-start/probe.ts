/** One start in a fresh process, as the process itself sees it; Node's own start is not in it. */
export type ColdStart = {
  readonly importMs: number;
  readonly firstInvocationMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
};

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const invocation = {
  awsRequestId: 'cold-start',
  getRemainingTimeInMillis: () => 600_000,
};

// The backends here speak plain HTTP, for which the SDK imports this module and, with it, Node's
// fetch client. A deployment's endpoints are HTTPS, so it is no part of a start.
await import('node:http');

const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { handler } = (await import(process.argv[2] ?? '')) as { readonly handler: Handler };
const importedAt = performance.now();
await handler({}, invocation);
const invokedAt = performance.now();
const { user, system } = process.cpuUsage(cpuBefore);

process.send?.({
  importMs: importedAt - startedAt,
  firstInvocationMs: invokedAt - importedAt,
  cpuMs: (user + system) / 1000,
  rssMb: process.memoryUsage().rss / 1_048_576,
} satisfies ColdStart);
process.on('disconnect', () => process.exit());
