import type { LocalState } from '#config/local-connection.ts';
import { jsonAnswer, listen, parseJson, readBody, sendAnswer } from './emulator-server.ts';
import type { Invoked } from './function-host.ts';
import type { HostedRole } from './function-worker.ts';

export type StageControl = { readonly url: string; close(): Promise<void> };

type Controlled = {
  state(): LocalState | undefined;
  invoke(role: HostedRole, event: unknown): Promise<Invoked> | undefined;
};

const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * What stands in for Lambda's Invoke and CloudWatch's figures on the local stage, for the operator's
 * command line: `GET /state`, `POST /invoke/redrive`, `POST /invoke/stats`. This machine only.
 */
export function startStageControl(controlled: Controlled): Promise<StageControl> {
  return listen(
    async (request, response) => {
      const route = `${request.method} ${request.url}`;
      if (route === 'GET /state') {
        return sendAnswer(response, jsonAnswer(200, controlled.state() ?? {}));
      }
      const role = /^POST \/invoke\/(redrive|stats)$/.exec(route)?.[1];
      if (role === undefined) {
        const error = `no route ${route}; there are GET /state, POST /invoke/redrive, /invoke/stats`;
        return sendAnswer(response, jsonAnswer(404, { error }));
      }
      const body = await readBody(request, BODY_LIMIT_BYTES);
      const event = body.kind === 'text' ? parseJson(body.text) : undefined;
      const answer = await controlled.invoke(role as HostedRole, event);
      sendAnswer(response, jsonAnswer(200, answer ?? {}));
    },
    0,
    '127.0.0.1',
  );
}
