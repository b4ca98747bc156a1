import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A child process that answers one question at a time. */
export type AskableChild<Question, Reply> = {
  ask(question: Question): Promise<Reply>;
  /** The reply that came by itself when the child was ready. */
  readonly greeting: Reply;
  close(): Promise<void>;
};

/** Forks a TypeScript module of the bench. Its output goes nowhere; its errors are shown. */
export async function startChild<Question extends object, Reply>(
  module: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[] = [],
): Promise<AskableChild<Question, Reply>> {
  const child = fork(module, args, {
    env: { ...process.env, ...env },
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const greeting = await nextReply<Reply>(child);
  return {
    greeting,
    async ask(question) {
      const reply = nextReply<Reply>(child);
      child.send(question);
      return reply;
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function nextReply<Reply>(child: ChildProcess): Promise<Reply> {
  const gone = new AbortController();
  const { signal } = gone;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([reply]) => reply as Reply),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`a process of the bench ended with code ${code}; its error is above`);
      }),
    ]);
  } finally {
    gone.abort();
  }
}
