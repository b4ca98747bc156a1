import type { HostilePayload } from './hostile-payload.ts';
import { MARK } from './planted.ts';

/** Instants in the past that are well-formed: the reminder is late, and no more than that. */
const PAST = [
  '0001-01-01T00:00:00Z',
  '1582-10-10T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00-23:59',
  '2000-02-29T12:00:00Z',
  '2024-02-29T23:59:59.999999999Z',
  '2025-03-30T02:30:00+01:00',
  '2025-10-26T02:30:00+02:00',
  '2025-10-26T02:30:00+01:00',
  '2019-12-31T23:59:59+14:00',
  '2020-01-01T00:00:00-12:00',
  '2025-06-01t10:00:00z',
  '2025-06-01T10:00:00.000000Z',
  '2025-06-01T10:00:00-00:00',
] as const;

/** Far ahead: they wait for their instant, however far. */
const FUTURE = [
  '2038-01-19T03:14:08Z',
  '2099-12-31T23:59:59Z',
  '2106-02-07T06:28:16Z',
  '9999-12-31T23:59:59.999999999Z',
] as const;

/** No instants at all. */
const IMPOSSIBLE: readonly unknown[] = [
  '',
  ' ',
  'now',
  'tomorrow',
  '2026-07-26',
  '2026-07-26T09:00',
  '2026-07-26T09:00:00',
  '2026-07-26 09:00:00Z',
  '2026-07-26T09:00:00 Z',
  ' 2026-07-26T09:00:00Z',
  '2026-07-26T09:00:00Z ',
  '2026-07-26T09:00:00Z\n',
  '2026-07-26T09:00:00Z\r\nX-Injected: 1',
  '2026-7-26T09:00:00Z',
  '26-07-26T09:00:00Z',
  '2026-02-29T09:00:00Z',
  '2100-02-29T09:00:00Z',
  '2026-02-30T09:00:00Z',
  '2026-04-31T09:00:00Z',
  '2026-13-01T09:00:00Z',
  '2026-00-10T09:00:00Z',
  '2026-01-00T09:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+00:01',
  '2026-07-26T24:00:01Z',
  '2026-07-26T25:00:00Z',
  '2026-07-26T09:60:00Z',
  '2026-07-26T09:00:61Z',
  '2026-07-26T09:00:00+24:00',
  '2026-07-26T09:00:00+02:60',
  '2026-07-26T09:00:00+0200',
  '2026-07-26T09:00:00+02',
  '2026-07-26T09:00:00UTC',
  '2026-07-26T09:00:00.Z',
  '2026-07-26T09:00:00,5Z',
  '2026-W30-7T09:00:00Z',
  '2026-207T09:00:00Z',
  '+002026-07-26T09:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '٢٠٢٦-٠٧-٢٦T٠٩:٠٠:٠٠Z',
  '2026‐07‐26T09:00:00Z',
  '2026-07-26T09:00:00\u0000Z',
  'Sun, 26 Jul 2026 09:00:00 GMT',
  '1785056400',
  '1785056400000',
  1_785_056_400,
  1_785_056_400_000,
  0,
  -1,
  true,
  false,
  [],
  ['2026-07-26T09:00:00Z'],
  {},
  { $date: '2026-07-26T09:00:00Z' },
  { seconds: 1_785_056_400 },
  MARK,
];

export function hostileDates(): readonly HostilePayload[] {
  const at = (scheduled_at: unknown, index: number) => ({
    user_id: `${MARK}-user`,
    reminder_id: `date-${index}`,
    scheduled_at,
  });
  return [
    ...PAST.map((instant, index) => expecting('expired', `past ${instant}`, at(instant, index))),
    ...FUTURE.map((instant, index) => expecting('waits', `future ${instant}`, at(instant, index))),
    ...IMPOSSIBLE.map((value, index) =>
      expecting('invalid', `no instant ${index}`, at(value, index)),
    ),
  ];
}

function expecting(
  expects: NonNullable<HostilePayload['expects']>,
  name: string,
  payload: unknown,
): HostilePayload {
  return { name: `date: ${name}`, payload, expects };
}
