import type { Report, Reported, ReportedLayered } from '@subluminal/records';
import { byteCount } from '../output/time.js';
import { CODE, COUNT, count, NAME, section } from './cells.js';
import type { Section } from './document.js';

/** The effects of the calls that ran: what was written first, what was only read last. */
export function doneSections(report: Report, most: number): readonly Section[] {
  const { files, layered, commands, hosts, tools, actions } = report;
  const taken = layered.rows.filter(({ isTaken }) => isTaken);
  const waiting = layered.rows.filter(({ isTaken }) => !isTaken);
  const written = files.rows.filter(({ writes, deletes }) => writes + deletes > 0);
  const read = files.rows.filter(({ reads }) => reads > 0).toSorted((a, b) => b.reads - a.reads);
  return [
    section(
      'Files written or deleted',
      { rows: written, left: files.left },
      most,
      [
        { title: 'WRITTEN', ...COUNT },
        { title: 'DELETED', ...COUNT },
        { title: 'FILE', ...CODE },
      ],
      ({ path, writes, deletes }) => [count(writes), count(deletes, 'warn'), { text: path }],
    ),
    layerSection('Files in a layer, not in the project', report, { rows: waiting, left: layered.left }, most),
    layerSection('Files taken over from a layer', report, { rows: taken, left: 0 }, most),
    section(
      'Commands',
      commands,
      most,
      [
        { title: 'TIMES', ...COUNT },
        { title: 'FAILED', ...COUNT },
        { title: 'COMMAND', ...CODE, cut: 'end' },
      ],
      ({ command, times, failed }) => [count(times), count(failed, 'bad'), { text: command }],
    ),
    section(
      'Hosts',
      hosts,
      most,
      [
        { title: 'CALLS', ...COUNT },
        { title: 'CONNECTIONS', ...COUNT },
        { title: 'UP', ...COUNT, spare: 1 },
        { title: 'DOWN', ...COUNT, spare: 1 },
        { title: 'HOST', ...CODE },
      ],
      ({ host, calls, connections, bytesUp, bytesDown }) => [
        count(calls),
        count(connections),
        { text: bytesUp === 0 ? '' : byteCount(bytesUp) },
        { text: bytesDown === 0 ? '' : byteCount(bytesDown) },
        { text: host },
      ],
    ),
    section(
      'Tools',
      tools,
      most,
      [
        { title: 'CALLS', ...COUNT },
        { title: 'ASKED', ...COUNT },
        { title: 'REFUSED', ...COUNT },
        { title: 'FAILED', ...COUNT },
        { title: 'SERVER', ...NAME },
        { title: 'TOOL', ...NAME },
      ],
      ({ server, tool, calls, asked, refused, failed }) => [
        count(calls),
        count(asked, 'warn'),
        count(refused, 'bad'),
        count(failed, 'bad'),
        { text: server },
        { text: tool },
      ],
    ),
    section(
      'Actions',
      actions,
      most,
      [
        { title: 'TIMES', ...COUNT },
        { title: 'REFUSED', ...COUNT },
        { title: 'ACTION' },
        { title: 'WHERE', ...CODE },
      ],
      ({ action, destination, times, refused }) => [
        count(times),
        count(refused, 'bad'),
        { text: action },
        { text: destination },
      ],
    ),
    section(
      'Files read',
      { rows: read, left: 0 },
      most,
      [
        { title: 'READ', ...COUNT },
        { title: 'FILE', ...CODE },
      ],
      ({ path, reads }) => [count(reads), { text: path }],
    ),
  ];
}

/** In a report of one run files go by their places in the project. */
function layerSection(
  title: string,
  { scope }: Report,
  rows: Reported<ReportedLayered>,
  most: number,
): Section {
  return section(title, rows, most, [{ title: '' }, { title: 'FILE', ...CODE }], ({ sign, folder, path }) => [
    { text: sign },
    { text: scope.runId === undefined && folder !== '' ? `${folder}/${path}` : path },
  ]);
}
