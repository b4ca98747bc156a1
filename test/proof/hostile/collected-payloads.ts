import type { Expected, HostilePayload } from './hostile-payload.ts';
import { BEARER, EMAIL, MARK, PHONE, TEXT } from './planted.ts';

/** A reminder that is due at `now`, of its own user. */
export function dueReminder(now: number, name: string, change: object = {}): object {
  return {
    user_id: `${MARK}-user-${name}`,
    reminder_id: `${MARK}-reminder`,
    scheduled_at: new Date(now).toISOString(),
    channel: 'push',
    data: { text: TEXT, email: EMAIL, phone: PHONE, authorization: BEARER },
    ...change,
  };
}

/** Ids of any letters are ids; what is sent for them is theirs alone. */
const ODD_IDS: readonly string[] = [
  'café',
  'cafe\u0301x',
  '苗条',
  'ﬁ ligature',
  '👩‍👩‍👧‍👦',
  'Ω≈ç√∫˜µ≤',
  '\u202Ereversed',
  '\u200Bzero\u200Bwidth',
  '\uFEFFmarked',
  'tab\tid',
  'line\nid',
  'cr\r\nSet-Cookie: a=b',
  '\u0000nul\u0000',
  '\u001B[31mred\u001B[0m',
  '\u0085next\u2028line\u2029end',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE ledger; --",
  '{{7*7}}$\\{7*7}<%= 7*7 %>#{7*7}',
  '$(reboot) `reboot` | reboot',
  '../../../etc/passwd',
  'file:///etc/passwd',
  '%00%0d%0a%2e%2e%2f',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a:b|c/d\\e"f',
  'null',
  'undefined',
  'NaN',
  '1e400',
  '-0',
  '0x10',
  '9007199254740993',
  ' leading and trailing ',
  'x'.repeat(480),
];

/** Values that are no ids. */
const NO_IDS: readonly unknown[] = [
  '',
  ' ',
  '\t\n',
  '\u3000',
  null,
  true,
  false,
  1.5,
  -1.5,
  1e21,
  9_007_199_254_740_992,
  2 ** 60,
  [],
  ['u_1'],
  {},
  { id: 'u_1' },
  { $gt: '' },
  { toString: 'x' },
  'x'.repeat(513),
  'x'.repeat(100_000),
  'lone \uD800 surrogate',
  'lone \uDFFF surrogate',
];

const NOT_OBJECTS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1e308,
  '',
  MARK,
  [],
  [MARK],
  [{ user_id: MARK }],
  {},
  { [MARK]: MARK },
];

/** Raw JSON texts: what no object of this language can hold. */
const RAW: readonly (readonly [string, Expected])[] = [
  ['', 'invalid'],
  ['{', 'invalid'],
  ['{}', 'invalid'],
  ['nul', 'invalid'],
  [`{"user_id":"${MARK}"`, 'invalid'],
  [`{"user_id":"${MARK}",}`, 'invalid'],
  [`{user_id:"${MARK}"}`, 'invalid'],
  [`{'user_id':'${MARK}'}`, 'invalid'],
  [`"{\\"user_id\\":\\"${MARK}\\"}"`, 'invalid'],
  [`\uFEFF{"user_id":"${MARK}"}`, 'invalid'],
  ['{"user_id":NaN}', 'invalid'],
  ['{"user_id":1e400}', 'invalid'],
  ['{"user_id":01}', 'invalid'],
  [`{"user_id":"\\ud800${MARK}"}`, 'invalid'],
  [`{"user_id":"\\u0000"}`, 'invalid'],
  ['['.repeat(100_000), 'invalid'],
  ['['.repeat(50_000) + ']'.repeat(50_000), 'invalid'],
  [`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'invalid'],
  [`{"__proto__":{"user_id":"${MARK}","reminder_id":"r","scheduled_at":"NOW"}}`, 'invalid'],
  [`{"constructor":{"prototype":{"user_id":"${MARK}"}},"reminder_id":"r"}`, 'invalid'],
  [
    `{"user_id":"${MARK}-raw-1","reminder_id":"r","scheduled_at":"NOW","__proto__":{"channel":"sms"}}`,
    'sent',
  ],
  [
    `{"user_id":"${MARK}-raw-2","user_id":"${MARK}-raw-3","reminder_id":"r","scheduled_at":"NOW"}`,
    'sent',
  ],
  [`{"user_id":"${MARK}-raw-4","reminder_id":"r","scheduled_at":"NOW","attempt":1e0}`, 'sent'],
  [
    `{"user_id":"${MARK}-raw-5","reminder_id":"r","scheduled_at":"NOW","data":{"__proto__":{"polluted":true}}}`,
    'sent',
  ],
  [
    `{"user_id":"${MARK}-raw-6","reminder_id":"r","scheduled_at":"NOW","data":{"n":1e400,"m":-1e400}}`,
    'sent',
  ],
  [`{"user_id":1234567890123456,"reminder_id":"${MARK}-raw-7","scheduled_at":"NOW"}`, 'sent'],
  [`{"user_id":9007199254740993,"reminder_id":"${MARK}-raw-8","scheduled_at":"NOW"}`, 'invalid'],
  [
    `{"user_id":12345678901234567890,"reminder_id":"${MARK}-raw-9","scheduled_at":"NOW"}`,
    'invalid',
  ],
];

/** Other fields with values that they cannot have, and with none. */
const WRONG_FIELDS: readonly (readonly [string, readonly unknown[]])[] = [
  [
    'channel',
    [
      '',
      'PUSH',
      'fax',
      'push ',
      '../push',
      '__proto__',
      'constructor',
      7,
      null,
      [],
      {},
      'x'.repeat(65),
    ],
  ],
  ['attempt', [-1, 1.5, '1', null, 1e10, [], {}, true]],
  ['hop', [-1, 1.5, '1', null, 1e10, [], {}, true]],
  ['version', [-1, 0.5, '2', 1e10, [], {}, null]],
  ['data', ['', MARK, 7, [], [MARK], null, true]],
  ['use_by', ['', 'never', 7, [], {}, '2026-07-26', null]],
  ['order_id', ['', ' ', [], {}, true, 1.5, null]],
  ['occurrence', ['2001-01-01T00:00:00Z', 'later', 5, null]],
];

/** Data of any kind within the bounds travels to the provider and nowhere else. */
function oddData(): readonly unknown[] {
  const deep = (levels: number): unknown => (levels === 0 ? TEXT : { down: deep(levels - 1) });
  return [
    {},
    { [MARK]: TEXT },
    { '': TEXT },
    { 'a.b[0]': TEXT, $ref: '#', 'x-amz-meta': TEXT },
    { text: 'x'.repeat(12_000) },
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${MARK}${index}`, index])),
    deep(25),
    { list: Array.from({ length: 1000 }, () => 0) },
    { text: '\u0000\u001F\u007F\u0080\u009F' },
    { text: '\u2028\u2029\r\n\v\f' },
    { text: 'lone \uD800' },
    { n: [0, -0, 1e-7, 1e21, 5e-324, 1.7976931348623157e308] },
    { authorization: BEARER, cookie: MARK, password: MARK, email: EMAIL, phone: PHONE },
    { html: `<b onmouseover="x('${MARK}')">&amp;</b>` },
    { template: '{{user_id}} {{data.text}} {{constructor.constructor("x")()}}' },
    { url: `https://example.org/?api_key=${MARK}&email=${EMAIL}` },
  ];
}

export function collectedPayloads(now: number): readonly HostilePayload[] {
  const reminder = (name: string, change?: object) => dueReminder(now, name, change);
  const instant = new Date(now).toISOString();
  return [
    ...ODD_IDS.flatMap((id, index) => [
      sent(`user id ${index}`, reminder(`u${index}`, { user_id: `${id}${MARK}` })),
      sent(`reminder id ${index}`, reminder(`r${index}`, { reminder_id: `${MARK}${id}` })),
    ]),
    ...NO_IDS.flatMap((id, index) => [
      invalid(`user id ${index}`, reminder(`nu${index}`, { user_id: id })),
      invalid(`reminder id ${index}`, reminder(`nr${index}`, { reminder_id: id })),
    ]),
    ...NOT_OBJECTS.map((payload, index) => invalid(`no reminder ${index}`, payload)),
    ...RAW.map(([text, expects], index) => ({
      name: `raw ${index}`,
      payload: text.replaceAll('NOW', instant),
      expects,
    })),
    ...WRONG_FIELDS.flatMap(([field, values]) =>
      values.map((value, index) =>
        invalidUnlessNull(
          value,
          `${field} ${index}`,
          reminder(`${field}${index}`, { [field]: value }),
        ),
      ),
    ),
    ...oddData().map((data, index) => sent(`data ${index}`, reminder(`d${index}`, { data }))),
    invalid('data too large', reminder('big', { data: { text: 'x'.repeat(20_000) } })),
    invalid('nested too deep', reminder('deep', { extra: JSON.parse(nested(200)) })),
    sent('a large field that nobody knows', reminder('extra', { extra: 'x'.repeat(200_000) })),
    sent(
      'fields that nobody knows',
      reminder('unknown', { email: EMAIL, phone: PHONE, token: BEARER }),
    ),
  ];
}

/** `null` stands for "not given". */
function invalidUnlessNull(value: unknown, name: string, payload: object): HostilePayload {
  return value === null ? sent(name, payload) : invalid(name, payload);
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

function sent(name: string, payload: unknown): HostilePayload {
  return { name, payload, expects: 'sent' };
}

function invalid(name: string, payload: unknown): HostilePayload {
  return { name, payload, expects: 'invalid' };
}
