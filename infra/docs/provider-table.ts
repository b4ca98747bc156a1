import {
  COMMON_STATUSES,
  meaningOf,
  type ProviderProfile,
  type StatusMeaning,
} from '#adapters/providers/provider-profile.ts';

const START = '<!-- providers:start (npm run docs:providers writes this part) -->';
const END = '<!-- providers:end -->';

/** The published tables of all providers, as Markdown. */
export function providerTables(profiles: readonly ProviderProfile[]): string {
  return [
    table(
      ['provider', 'class', 'window', 'our key', 'receipt', 'look it up'],
      profiles.map((profile) => [
        `\`${profile.provider}\``,
        profile.declaredByChannel
          ? `${profile.providerClass}, or as declared`
          : profile.providerClass,
        windowOf(profile),
        keyOf(profile),
        receiptOf(profile),
        profile.lookUp === null ? '–' : `\`${profile.lookUp}\``,
      ]),
    ),
    table(
      ['provider', 'accepted', 'deferred', 'rejected', 'channel stopped', 'unknown'],
      profiles.map((profile) => [`\`${profile.provider}\``, ...meaningsOf(profile)]),
    ),
  ].join('\n\n');
}

/** The README with its part between the markers replaced. Throws RangeError without the markers. */
export function withProviderTables(readme: string, profiles: readonly ProviderProfile[]): string {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start === -1 || end < start) {
    throw new RangeError(`README.md lacks the lines ${START} and ${END}; put them back`);
  }
  const before = readme.slice(0, start + START.length);
  return `${before}\n\n${providerTables(profiles)}\n\n${readme.slice(end)}`;
}

function windowOf({ windowSeconds }: ProviderProfile): string {
  if (windowSeconds === null) return '–';
  const hours = windowSeconds / 3600;
  return hours > 48 ? `${hours / 24} d` : `${hours} h`;
}

function keyOf({ key }: ProviderProfile): string {
  if (key.place === 'nowhere') return 'none';
  const form = key.form === 'hex' ? '' : ', as a UUID';
  return `${key.place} \`${key.name}\`${form}`;
}

function receiptOf({ receipt }: ProviderProfile): string {
  return receipt.path
    .split('|')
    .map((path) => `\`${path}\``)
    .join(' or ');
}

const COLUMNS: readonly StatusMeaning[] = [
  'accepted',
  'deferred',
  'rejected',
  'channel-stopped',
  'unknown',
];

/** One cell per meaning: statuses by the very function that judges, then the listed codes. */
function meaningsOf(profile: ProviderProfile): readonly string[] {
  const { statuses, codes, receipt, okMember } = profile;
  const listed = new Set([...Object.keys(COMMON_STATUSES), ...Object.keys(statuses)].map(Number));
  const cells = new Map<StatusMeaning, string[]>(COLUMNS.map((meaning) => [meaning, []]));
  const put = (meaning: StatusMeaning, text: string) => cells.get(meaning)?.push(text);
  const required = receipt.required ? ' with a receipt' : '';
  put(meaningOf(200, statuses), `2xx${required}`);
  for (const status of [...listed].sort((a, b) => a - b)) {
    put(meaningOf(status, statuses), String(status));
  }
  put(meaningOf(UNLISTED_CLIENT_ERROR, statuses), 'other 4xx');
  put(meaningOf(UNLISTED_SERVER_ERROR, statuses), '5xx and any other');
  if (receipt.required) put('unknown', '2xx without a receipt');
  if (okMember !== undefined) put('unknown', `\`${okMember}: false\` under a 2xx`);
  if (receipt.emptyMeans !== undefined) put('rejected', '2xx with an empty receipt');
  for (const [code, meaning] of Object.entries(codes?.meanings ?? {})) put(meaning, `\`${code}\``);
  return COLUMNS.map((meaning) => cells.get(meaning)?.join(', ') || '–');
}

/** Statuses that no profile lists, and so stand for all the others. */
const UNLISTED_CLIENT_ERROR = 499;
const UNLISTED_SERVER_ERROR = 599;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
