/**
 * Why no byte of a request left this process. The only causes that prove it. `TLS`: the handshake
 * failed (nobody vouches for the certificate, another name, no common version), and the request is
 * handed to a socket only after its handshake.
 */
export type NotSentCause = 'NAME_RESOLUTION' | 'CONNECTION_REFUSED' | 'CONNECT_TIMEOUT' | 'TLS';

/** Why nobody can say whether a request was received. */
export type UnknownCause =
  | 'TIMEOUT'
  | 'RESET'
  | 'CLOSED'
  | 'CUT_BODY'
  | 'ABORTED'
  | 'ANSWER_TOO_LARGE'
  | 'BAD_ANSWER'
  | 'TLS'
  | 'CONNECTION';

type Fault = { readonly code: string; readonly syscall: string | undefined };

/** Reads a Node error by its fields, never by its class or its text. */
function faultOf(error: unknown): Fault {
  if (typeof error !== 'object' || error === null) return { code: '', syscall: undefined };
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    syscall: typeof syscall === 'string' ? syscall : undefined,
  };
}

/**
 * An error while the connection was still being made.
 * Anything but the proven causes stays unknown, however likely it is that nothing was sent:
 * a wrong "not sent" is a second message to a user, a wrong "unknown" is a question to ask.
 */
export function outcomeBeforeHandOver(
  error: unknown,
):
  | { readonly kind: 'not-sent'; readonly cause: NotSentCause }
  | { readonly kind: 'unknown'; readonly cause: UnknownCause } {
  const cause = aggregatedCause(error) ?? provenCause(faultOf(error));
  if (cause !== undefined) return { kind: 'not-sent', cause };
  const unproven = causeAfterHandOver(error);
  return unproven === 'TLS'
    ? { kind: 'not-sent', cause: unproven }
    : { kind: 'unknown', cause: unproven };
}

/**
 * Node tries every address of a name in turn and reports one error for each. All of them have to
 * be failures to connect, and one of them a proven cause: `::1` unreachable beside `127.0.0.1`
 * refused is an ordinary pair.
 */
function aggregatedCause(error: unknown): NotSentCause | undefined {
  const errors = (error as { errors?: unknown } | null)?.errors;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const faults = errors.map(faultOf);
  if (!faults.every((fault) => fault.syscall === 'connect')) return undefined;
  return faults.map(provenCause).find((cause) => cause !== undefined);
}

function provenCause(fault: Fault): NotSentCause | undefined {
  if (fault.syscall === 'getaddrinfo') return 'NAME_RESOLUTION';
  if (fault.syscall !== 'connect') return undefined;
  if (fault.code === 'ECONNREFUSED') return 'CONNECTION_REFUSED';
  return fault.code === 'ETIMEDOUT' ? 'CONNECT_TIMEOUT' : undefined;
}

/** An error once the request may be on its way. A reset of a reused connection is one of them. */
export function causeAfterHandOver(error: unknown): UnknownCause {
  const { code, syscall } = faultOf(error);
  // Node gives a plain close without an answer the code of a reset, but no system call.
  if (code === 'ECONNRESET') return syscall === undefined ? 'CLOSED' : 'RESET';
  if (code === 'EPIPE' || code === 'ECONNABORTED') return 'RESET';
  if (code === 'ETIMEDOUT') return 'TIMEOUT';
  if (code.startsWith('HPE_')) return 'BAD_ANSWER';
  return /TLS|SSL|CERT|EPROTO|VERIFY/.test(code) ? 'TLS' : 'CONNECTION';
}
