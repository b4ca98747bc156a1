import { describe, expect, test } from 'vitest';
import { causeAfterHandOver, outcomeBeforeHandOver } from '#adapters/http/connection-fault.ts';

const connect = (code: string) => ({ code, syscall: 'connect' });
const refused = connect('ECONNREFUSED');
const timedOut = connect('ETIMEDOUT');
const unreachable = connect('ENETUNREACH');

describe('before the request was handed over', () => {
  test.each([
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'NAME_RESOLUTION'],
    [{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, 'NAME_RESOLUTION'],
    [refused, 'CONNECTION_REFUSED'],
    [timedOut, 'CONNECT_TIMEOUT'],
    [{ code: 'ECONNREFUSED', errors: [refused, refused] }, 'CONNECTION_REFUSED'],
    [{ code: 'ENETUNREACH', errors: [unreachable, refused] }, 'CONNECTION_REFUSED'],
    [{ code: 'ETIMEDOUT', errors: [timedOut, unreachable] }, 'CONNECT_TIMEOUT'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'TLS'],
    [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'TLS'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'TLS'],
    [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'TLS'],
  ])('%o proves that nothing was sent', (error, cause) => {
    expect(outcomeBeforeHandOver(error)).toEqual({ kind: 'not-sent', cause });
  });

  test.each([
    [unreachable, 'CONNECTION'],
    [connect('ECONNRESET'), 'RESET'],
    [{ code: 'ECONNRESET' }, 'CLOSED'],
    [{ code: 'ECONNREFUSED', syscall: 'read' }, 'CONNECTION'],
    [{ code: 'ENETUNREACH', errors: [unreachable, unreachable] }, 'CONNECTION'],
    [
      { code: 'ECONNREFUSED', errors: [refused, { code: 'ECONNRESET', syscall: 'read' }] },
      'CONNECTION',
    ],
    [{ errors: [] }, 'CONNECTION'],
    [new Error('ECONNREFUSED'), 'CONNECTION'],
    [undefined, 'CONNECTION'],
    ['ECONNREFUSED', 'CONNECTION'],
  ])('%o stays unknown', (error, cause) => {
    expect(outcomeBeforeHandOver(error)).toEqual({ kind: 'unknown', cause });
  });
});

test.each([
  [{ code: 'ECONNRESET', syscall: 'read' }, 'RESET'],
  [{ code: 'ECONNRESET' }, 'CLOSED'],
  [{ code: 'EPIPE', syscall: 'write' }, 'RESET'],
  [{ code: 'ETIMEDOUT', syscall: 'read' }, 'TIMEOUT'],
  [{ code: 'HPE_INVALID_CONSTANT' }, 'BAD_ANSWER'],
  [refused, 'CONNECTION'],
  [{ code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }, 'TLS'],
])('after it: %o is %s', (error, cause) => {
  expect(causeAfterHandOver(error)).toBe(cause);
});
