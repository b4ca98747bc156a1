import type { Spread } from '../measure/statistics.ts';

/** A Markdown table, its columns aligned so that it is one in a terminal too. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** `12.3 [11.9–12.8]` */
export function spread({ median, min, max }: Spread, digits: number): string {
  const [middle, least, most] = [median, min, max].map((value) => value.toFixed(digits));
  return least === most ? `${middle}` : `${middle} [${least}–${most}]`;
}
