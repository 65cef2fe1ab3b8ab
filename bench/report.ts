import type { OpenLoopSample, Sample } from './measure.ts';
import type { Proof } from './proof.ts';
import { betsPerSecond, cpuPerBet, type Ratio, spreadOf, subjectOf } from './ratios.ts';
import type { Rows } from './world.ts';

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const short = (value: number): string => (value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2));

const WIDEST_SUBJECT = 20;

/** One line for a measurement that has just been made. */
export function progressLine(s: Sample): string {
  const cpu = `${whole(s.nodeUs)} + ${whole(s.postgresUs)} µs`;
  const refused = s.refusals > 0 ? `, ${s.refusals} REFUSED (${s.firstRefusal})` : '';
  return `    ${subjectOf(s).padEnd(WIDEST_SUBJECT)} ${whole(s.perSecond).padStart(7)} bets/s  p50 ${short(s.p50Ms)} ms  ${cpu}  foreign ${s.foreign.toFixed(2)}${s.disturbed ? ' !' : ''}${refused}`;
}

const COLUMNS = [
  ['variant', WIDEST_SUBJECT],
  ['bets/s median', 14],
  ['min–max', 15],
  ['p50 ms', 8],
  ['p99 ms', 8],
  ['node µs', 9],
  ['pg µs', 8],
  ['CPU/bet µs', 11],
  ['generator µs', 13],
  ['kernel µs', 10],
  ['WAL B/bet', 10],
  ['foreign cores', 14],
] as const;

/** A table of one workload: medians over the rounds. */
export function workloadTable(title: string, samples: readonly Sample[]): string[] {
  const head = COLUMNS.map(([name, width], i) => (i === 0 ? name.padEnd(width) : name.padStart(width)));
  const subjects = [...new Set(samples.map(subjectOf))];
  const rows = subjects.map((subject) => row(samples.filter((s) => subjectOf(s) === subject)));
  return [title, `  ${head.join('')}`, ...rows.map((cells) => `  ${cells}`), ''];
}

function row(samples: readonly Sample[]): string {
  const median = (of: (s: Sample) => number) => spreadOf(samples.map(of)).median;
  const rate = spreadOf(samples.map(betsPerSecond));
  const disturbed = samples.filter((s) => s.disturbed).length;
  const cells = [
    subjectOf(samples[0]!),
    whole(rate.median),
    `${whole(rate.min)}–${whole(rate.max)}`,
    short(median((s) => s.p50Ms)),
    short(median((s) => s.p99Ms)),
    whole(median((s) => s.nodeUs)),
    whole(median((s) => s.postgresUs)),
    whole(median(cpuPerBet)),
    whole(median((s) => s.generatorUs)),
    whole(median((s) => s.kernelUs)),
    whole(median((s) => s.walBytes)),
    `${median((s) => s.foreign).toFixed(2)}${disturbed > 0 ? ` ! ${disturbed}/${samples.length}` : ''}`,
  ];
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(COLUMNS[i]![1]) : cell.padStart(COLUMNS[i]![1])))
    .join('');
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

/** Where the speed and the CPU of the same comparison do not agree, the CPU is to be believed. */
export function disagreement(ratios: readonly Ratio[]): string[] {
  return ['c256', 'hot'].flatMap((workload) => {
    const of = (name: string, over: string) =>
      ratios.find((r) => r.workload === workload && r.name === name && r.over.join('/') === over)?.median;
    const [speed, cpu] = [of('bets/s', 'ours/textbook'), of('CPU per bet', 'textbook/ours')];
    if (speed === undefined || cpu === undefined) return [];
    if (Math.max(speed / cpu, cpu / speed) < 1.3) return [];
    return [
      `  ${workload}: bets/s say ${speed.toFixed(1)} times textbook, CPU per bet says ${cpu.toFixed(1)}: trust the CPU`,
    ];
  });
}

export function proofLines(proof: Proof, before: Rows, after: Rows): string[] {
  const { acknowledged, missing, unknown, repeated, findings, checked } = proof;
  const counted = Object.entries(checked)
    .map(([what, n]) => `${whole(n)} ${what}`)
    .join(', ');
  return [
    `  rows before: ${whole(before.bets)} bets, ${whole(before.lines)} ledger lines; after: ${whole(after.bets)} and ${whole(after.lines)}`,
    `  ${whole(acknowledged)} bets acknowledged: ${missing} missing, ${unknown} never acknowledged, ${repeated} repeated`,
    `  reconcile: ${findings.length === 0 ? 'everything agrees' : `${findings.length} FINDINGS`} (${counted})`,
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
