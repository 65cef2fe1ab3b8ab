import type { OpenLoopSample, Sample } from './measure.ts';
import type { Proof } from './proof.ts';
import { betsPerSecond, cpuPerBet, type Ratio, spreadOf, subjectOf } from './ratios.ts';
import { isRead } from './reads.ts';
import type { BeforeAndAfter } from './world.ts';

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const short = (value: number): string => (value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2));

const WIDEST_SUBJECT = 20;

/** Returns one line for a finished measurement. */
export function progressLine(s: Sample): string {
  const cpu = `${whole(s.nodeUs)} + ${whole(s.postgresUs)} µs`;
  const refused = s.refusals > 0 ? `, ${s.refusals} REFUSED (${s.firstRefusal})` : '';
  return `    ${subjectOf(s).padEnd(WIDEST_SUBJECT)} ${whole(s.perSecond).padStart(7)} ${isRead(s.game) ? 'reads' : 'bets'}/s  p50 ${short(s.p50Ms)} ms  ${cpu}  foreign ${s.foreign.toFixed(2)}${s.disturbed ? ' !' : ''}${refused}`;
}

type Column = readonly [name: string, width: number, cell: (samples: readonly Sample[]) => string];

const columnsOf = (unit: 'bet' | 'read'): readonly Column[] => [
  ['variant', WIDEST_SUBJECT, ([first]) => subjectOf(first!)],
  [`${unit}s/s median`, 15, (samples) => whole(spreadOf(samples.map(betsPerSecond)).median)],
  ['min–max', 15, rangeCell],
  ['p50 ms', 8, median((s) => s.p50Ms, short)],
  ['p99 ms', 8, median((s) => s.p99Ms, short)],
  ['node µs', 9, median((s) => s.nodeUs)],
  ['pg µs', 8, median((s) => s.postgresUs)],
  [`CPU/${unit} µs`, 12, median(cpuPerBet)],
  ['generator µs', 13, median((s) => s.generatorUs)],
  ['kernel µs', 10, median((s) => s.kernelUs)],
  unit === 'bet' ? ['WAL B/bet', 10, median((s) => s.walBytes)] : ['body B', 10, median((s) => s.bodyBytes)],
  ['foreign cores', 14, foreignCell],
];

/** Returns the table of one workload, with the medians of all rounds. */
export function workloadTable(title: string, samples: readonly Sample[]): string[] {
  const columns = columnsOf(samples.some((s) => isRead(s.game)) ? 'read' : 'bet');
  const line = (cellOf: (column: Column) => string) =>
    `  ${columns.map((column, i) => (i === 0 ? cellOf(column).padEnd(column[1]) : cellOf(column).padStart(column[1]))).join('')}`;
  const rows = [...new Set(samples.map(subjectOf))].map((subject) => {
    const own = samples.filter((s) => subjectOf(s) === subject);
    return line(([, , cell]) => cell(own));
  });
  return [title, line(([name]) => name), ...rows, ''];
}

function median(of: (s: Sample) => number, shown: (value: number) => string = whole) {
  return (samples: readonly Sample[]): string => shown(spreadOf(samples.map(of)).median);
}

function rangeCell(samples: readonly Sample[]): string {
  const { min, max } = spreadOf(samples.map(betsPerSecond));
  return `${whole(min)}–${whole(max)}`;
}

function foreignCell(samples: readonly Sample[]): string {
  const disturbed = samples.filter((s) => s.disturbed).length;
  const cores = spreadOf(samples.map((s) => s.foreign)).median.toFixed(2);
  return disturbed > 0 ? `${cores} ! ${disturbed}/${samples.length}` : cores;
}

export function ratioLines(ratios: readonly Ratio[]): string[] {
  return ratios.map(({ name, workload, over, target, median, min, max, met }) => {
    const what = `${over.join(' / ')}, ${name}, ${workload}`.padEnd(60);
    const value = `${median.toFixed(2).padStart(7)}  (rounds ${min.toFixed(2)}–${max.toFixed(2)})`;
    if (!target) return `  ${what}${value}`;
    const wanted = 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`;
    return `  ${what}${value.padEnd(36)} target ${wanted.padEnd(8)} ${met ? 'PASS' : 'FAIL'}`;
  });
}

/** Returns the comparisons whose ratios of speed and of CPU time contradict each other. The CPU time is more reliable. */
export function disagreement(ratios: readonly Ratio[]): string[] {
  return ['c256', 'hot'].flatMap((workload) => {
    const of = (name: string, over: string) =>
      ratios.find((r) => r.workload === workload && r.name === name && r.over.join('/') === over)?.median;
    const [speed, cpu] = [of('bets/s', 'ours/textbook'), of('CPU per bet', 'textbook/ours')];
    if (speed === undefined || cpu === undefined) return [];
    if (Math.max(speed / cpu, cpu / speed) < 1.3) return [];
    return [
      `  ${workload}: ${speed.toFixed(1)} times textbook by bets/s, but ${cpu.toFixed(1)} times by CPU per bet: rely on the CPU`,
    ];
  });
}

export const rowsLine = ({ before, after }: BeforeAndAfter): string =>
  `  rows before: ${whole(before.bets)} bets, ${whole(before.lines)} ledger lines; after: ${whole(after.bets)} and ${whole(after.lines)}`;

export function proofLines(proof: Proof, rows: BeforeAndAfter): string[] {
  const { acknowledged, missing, unknown, repeated, findings, checked } = proof;
  const counted = Object.entries(checked)
    .map(([what, n]) => `${whole(n)} ${what}`)
    .join(', ');
  return [
    rowsLine(rows),
    `  ${whole(acknowledged)} bets acknowledged: ${missing} missing, ${unknown} never acknowledged, ${repeated} repeated`,
    `  reconcile: ${findings.length === 0 ? 'no differences' : `${findings.length} FINDINGS`} (${counted})`,
    ...findings.slice(0, 5).map((finding) => `    ${JSON.stringify(finding, textOfBigint)}`),
  ];
}

export const textOfBigint = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

export function openLoopLines(samples: readonly OpenLoopSample[]): string[] {
  if (samples.length === 0) return [];
  const lines = samples.map(
    (s) =>
      `  ${s.share * 100} %: asked ${whole(s.asked)}, got ${whole(s.perSecond)} bets/s, p50 ${short(s.p50Ms)} ms, p99 ${short(s.p99Ms)} ms, most ${short(s.maxMs)} ms, ${s.backlog} still waiting${s.disturbed ? ' !' : ''}`,
  );
  return ['Open loop, ours (latency counts from the arrival, noticed every ms)', ...lines, ''];
}
