import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Part, PartReport, Scale } from '#test/proof/part.ts';
import { PARTS } from '#test/proof/parts.ts';
import { asLines, asMarkdown, type ProofReport } from '#test/proof/proof-report.ts';

type Options = {
  readonly seed: number;
  readonly short?: boolean;
  readonly part?: string[];
  readonly report?: string;
};

const command = new Command('prove')
  .description('Runs the proofs of the send protocol and reports what was run and what was found.')
  .option('--seed <number>', 'seed of every random choice', wholeNumber, 1)
  .option('--short', 'the shorter form that CI runs')
  .option('--part <name...>', `only these parts (${PARTS.map((part) => part.name).join(', ')})`)
  .option('--report <file>', 'write FILE as Markdown and its neighbour as JSON');

process.exitCode = await prove(command.parse().opts<Options>());

async function prove({ seed, short, part: only, report: file }: Options): Promise<number> {
  const unknown = only?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) {
    command.error(`no part is named ${unknown.join(', ')}; --help lists them`);
  }
  const scale: Scale = short === true ? 'short' : 'full';
  const startedAt = performance.now();
  const wanted = PARTS.filter(({ name }) => only?.includes(name) ?? true);
  const reports: PartReport[] = [];
  for (const part of wanted.filter((one) => one.alone)) {
    reports.push(await runPart(part, { seed, scale }));
  }
  const aside = wanted.filter((part) => part.aside).map((part) => runPart(part, { seed, scale }));
  for (const part of wanted.filter((one) => !one.aside && !one.alone)) {
    reports.push(await runPart(part, { seed, scale }));
  }
  reports.push(...(await Promise.all(aside)));
  const report: ProofReport = {
    format: 'proof/1',
    seed,
    scale,
    violations: reports.reduce((sum, { counts }) => sum + (counts['violations'] ?? 0), 0),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    parts: reports,
  };
  if (file !== undefined) writeReport(file, report);
  print(`${report.violations} violations in ${report.seconds} s (seed ${seed}, ${scale} form)`);
  return report.violations === 0 ? 0 : 1;
}

async function runPart(
  part: Part,
  options: { readonly seed: number; readonly scale: Scale },
): Promise<PartReport> {
  const { name, shows } = part;
  print(`${name}: ${shows}`);
  const report = await part.run({ ...options, log: (line) => print(`  ${name}: ${line}`) });
  const counts = Object.entries(report.counts).map(([what, count]) => `${what} ${count}`);
  print(`  ${name}: ${counts.join(', ')} (${report.seconds} s)`);
  for (const violation of report.violations) print(asLines(violation));
  return report;
}

function writeReport(file: string, report: ProofReport): void {
  const stem = file.slice(0, file.length - extname(file).length);
  writeFileSync(`${stem}.md`, asMarkdown(report));
  writeFileSync(`${stem}.json`, `${JSON.stringify(report, null, 2)}\n`);
  print(`report: ${stem}.md, ${stem}.json`);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number of at most nine digits is allowed');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
