import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** By identity: the SDK keeps a signing key for a day and signs with that one object. */
const keyObjects = new WeakMap<object, KeyObject>();

/**
 * SHA-256 and HMAC-SHA-256 for an AWS SDK client (its option `sha256`). The SDK's own hands Node
 * the key as bytes each time, over which Node takes five times as long as over a key object.
 */
export class NodeSha256 {
  readonly #secret: Bytes | undefined;
  #state: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: Bytes) {
    this.#secret = secret;
    this.#state = stateOf(secret);
  }

  update(data: Bytes): void {
    this.#state.update(readable(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#state.digest();
  }

  reset(): void {
    this.#state = stateOf(this.#secret);
  }
}

function stateOf(secret: Bytes | undefined) {
  return secret === undefined ? createHash('sha256') : createHmac('sha256', keyOf(secret));
}

function keyOf(secret: Bytes): string | KeyObject {
  if (typeof secret === 'string') return secret;
  const known = keyObjects.get(secret);
  if (known !== undefined) return known;
  const key = createSecretKey(readable(secret) as NodeJS.ArrayBufferView);
  keyObjects.set(secret, key);
  return key;
}

function readable(data: Bytes): string | NodeJS.ArrayBufferView {
  return typeof data === 'string' || ArrayBuffer.isView(data)
    ? (data as string | NodeJS.ArrayBufferView)
    : new Uint8Array(data);
}
