import type { PartReport, Violation } from '#test/proof/part.ts';

export type ProofReport = {
  readonly format: 'proof/1';
  readonly seed: number;
  readonly scale: string;
  readonly violations: number;
  readonly seconds: number;
  readonly parts: readonly PartReport[];
};

/** The report as a page for people; the same figures as JSON are the report itself. */
export function asMarkdown(report: ProofReport): string {
  const verdict =
    report.violations === 0 ? 'Zero violations.' : `**${report.violations} violations.**`;
  return [
    '# Proof',
    '',
    `${verdict} Seed ${report.seed}, ${report.scale} form, ${report.seconds} s.`,
    ...report.parts.flatMap(partSection),
    '',
  ].join('\n');
}

function partSection(part: PartReport): readonly string[] {
  return [
    '',
    `## ${part.name} (${part.seconds} s)`,
    '',
    '| what | count |',
    '| --- | ---: |',
    ...Object.entries(part.counts).map(([name, count]) => `| ${name} | ${count} |`),
    ...part.notes.flatMap((note) => ['', note]),
    ...part.violations.flatMap(violationSection),
  ];
}

function violationSection(violation: Violation): readonly string[] {
  return [
    '',
    `### ${violation.what}`,
    '',
    violation.where,
    '',
    ...violation.story.map((step) => `- ${step}`),
  ];
}

/** A violation on a terminal. */
export function asLines(violation: Violation): string {
  const story = violation.story.map((step) => `      ${step}`);
  return [`    ${violation.what}`, `    at ${violation.where}`, ...story].join('\n');
}
